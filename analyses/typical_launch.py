"""Launches that stand for many, and sizes that no launch has.

They order bounds by preference and choose what the interpreter tries first. No proof rests on them:
where they do not fit, a message is longer or a witness is missed. They were chosen by the contracts
that are inferred for the corpus (tests/contracts)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import prod

from analyses.polynomials.division import quotient
from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol
from analyses.polynomials.symbols import LaunchQuotient, PowerOfTwo, Quotient

TYPICAL_LAUNCH = {
    "ntid.x": 32,
    "ntid.y": 4,
    "ntid.z": 1,
    "nctaid.x": 4,
    "nctaid.y": 4,
    "nctaid.z": 1,
}
FULL_GRID = 2**12  # blocks: a grid with such a limit has as many
TYPICAL_PARAMETER = 1000  # elements
FEWER_ELEMENTS = 100  # by a parameter that a word has a large multiple of
EXTENT, DIVIDED = 2**3, 2**20  # of an array whose elements are divided by its extents
LARGE_EXPONENT = 8  # of a power of two: no parameter of 1000 is meant to be one
TYPICAL_DEGREE = 3  # extents of an array that are as large; those of more extents are smaller
SMALL_PARAMETERS = (0, 1, TYPICAL_PARAMETER)
MANY_THREADS = TYPICAL_LAUNCH | {"nctaid.x": 2**15}
LAYERS = TYPICAL_LAUNCH | {"nctaid.z": 3}
ODD = 5  # elements that are no whole groups
FEW_THREADS = TYPICAL_LAUNCH | dict.fromkeys(("nctaid.x", "nctaid.y", "nctaid.z"), 1)
FEW_ELEMENTS = 10  # by a parameter of a launch with many threads
APART = 32  # elements by which a parameter exceeds another one that is subtracted from it

BLOCK_WARPS = 4  # of an undeclared block that is replayed first; others have these threads
WIDTHS = (256, 512, 1024, 64, 32, 16)
WARP = 32
SHAPES = ((32, 8, 1), (16, 16, 1), (32, 32, 1), (8, 8, 1), (16, 8, 1), (64, 4, 1), (8, 8, 8),
          (32, 1, 1), (128, 1, 1), (256, 1, 1), (1, 1, 1))  # fmt: skip
ROUND_PARAMETER = 1024  # in replays for costs: rows of a power of two cause conflicts
UNEVEN_PARAMETER = 100  # in replays for bounds: no multiple of a warp
OTHER_PARAMETERS = (1024, 1, 2, 4, 8, 16, 32)  # in replays, for one at a time: a mode, a few words
SOLVER_SIZES = (100, 10_000, 1_000_000)  # of a counterexample: small launches first, for the replay

MIN_SLACK = 32  # a precondition that leaves fewer launches is avoided
COARSE = 2**15  # a factor of a symbol that is no element size, as the limit of a grid is none
TYPE_LIMIT = 2**30  # a bound of this size is the limit of a type and says nothing
NO_BUFFER = 2**28  # bytes: a bound like this is that of a type, not of a buffer
UNBOUNDED = 2**40  # an offset of this size says nothing; the value of an unbounded symbol


def typical_launch_value(
    polynomial: Polynomial,
    parameter: int | None = None,
    known: Mapping[Symbol, int] = {},
) -> int:
    """The value in a typical launch, with this number for each parameter but those that are known;
    if none is given, one that leaves products of more than TYPICAL_DEGREE parameters as many
    elements as others."""
    if parameter is None:
        degree = max((parameters(monomial) for monomial in polynomial.terms), default=0)
        power = TYPICAL_DEGREE / max(degree, TYPICAL_DEGREE)
        parameter = round(TYPICAL_PARAMETER**power)
    return typical(polynomial, TYPICAL_LAUNCH, parameter, known)


def least_in_array(least: Polynomial, elements: Collection[Symbol]) -> int:
    """The value of a lower bound where these parameters are numbers of elements and all others the
    extents of the array, but for the greatest integers that others hold, without what is added to
    it: that may be 0."""
    end = Polynomial({m: factor for m, factor in least.terms.items() if factor < 0})
    held = (symbol for symbol in end.symbols if symbol.label.endswith(".max"))
    known = dict.fromkeys(held, TYPICAL_PARAMETER) | dict.fromkeys(elements, DIVIDED)
    return typical(end, TYPICAL_LAUNCH, EXTENT, known)


def elements(bounds: Iterable[Polynomial]) -> frozenset[Symbol]:
    """The parameters that are divided in bounds."""
    parts = (symbol for least in bounds for symbol in least.parts)
    divided = (part.dividend.symbols for part in parts if isinstance(part, LaunchQuotient))
    return frozenset[Symbol]().union(*divided)


def parameters(monomial: Monomial) -> int:
    """The number of its factors that are parameters."""
    return sum(symbol.label not in TYPICAL_LAUNCH for symbol in monomial)


def typical(
    polynomial: Polynomial,
    shape: Mapping[str, int],
    parameter: int,
    known: Mapping[Symbol, int] = {},
) -> int:
    """The value in a launch of this shape, with this number for each parameter but those that are
    known."""

    def number(symbol: Symbol) -> int:
        if isinstance(symbol, (LaunchQuotient, Quotient)) and symbol.rank == 0:
            parts = symbol.dividend, symbol.divisor
            dividend, divisor = (typical(part, shape, parameter, known) for part in parts)
            return dividend // max(divisor, 1)
        if isinstance(symbol, PowerOfTwo):
            return 1 << min(
                max(typical(symbol.exponent, shape, parameter, known), 0), LARGE_EXPONENT
            )
        extent = known.get(symbol, shape.get(symbol.label, parameter))
        full = is_grid(symbol) and extent < symbol.high <= FULL_GRID
        return int(symbol.high) if full else extent

    return polynomial.value(number)


def holds_in_a_typical_block(polynomial: Polynomial) -> bool:
    """True if it is not negative for a block of a typical shape, of a warp or more."""
    extents = [dict(zip("xyz", shape, strict=True)) for shape in SHAPES if prod(shape) >= WARP]
    return any(polynomial.value(lambda s, of=of: of[s.label[-1]]) >= 0 for of in extents)  # type: ignore[misc]


def holds(polynomial: Polynomial, parameter: int | None = None) -> bool:
    """True if it is not negative in a typical launch, with this number for each parameter, or where
    those are greater that others are subtracted from: ``n - k - 1`` needs more than equal ones."""
    return typical_launch_value(with_room(polynomial), parameter) >= 0


def with_room(polynomial: Polynomial) -> Polynomial:
    """The polynomial where parameters that are added, in no product, exceed those subtracted."""
    alone = {m[0]: c for m, c in polynomial.terms.items() if len(m) == 1}
    if all(c > 0 or not is_parameter(s) for s, c in alone.items()):
        return polynomial
    in_products = frozenset[Symbol]().union(*(m for m in polynomial.terms if len(m) > 1))
    added = (c for s, c in alone.items() if c > 0 and is_parameter(s) and s not in in_products)
    return polynomial + APART * sum(added)


def with_room_for_products(polynomial: Polynomial) -> Polynomial:
    """The polynomial where parameters that are in no product exceed the products of others: of
    ``n - rows*stride``, n is as large as need be."""
    products = [m for m in polynomial.terms if len(m) > 1]
    within = Polynomial(dict.fromkeys(products, 1)).parts
    if not products or not all(map(is_parameter, within)):
        return polynomial
    alone = (c for m, c in polynomial.terms.items() if len(m) == 1 and m[0] not in within)
    return polynomial + UNBOUNDED * sum(alone)


def with_least_integers(polynomial: Polynomial) -> Polynomial:
    """The polynomial with 0 for the least integers of index buffers, as most of these have."""
    least = (symbol for symbol in polynomial.symbols if symbol.label.endswith(".min"))
    return polynomial.replaced({symbol: Polynomial.of(0) for symbol in least})


def is_parameter(symbol: Symbol) -> bool:
    """True if it is neither a part of the launch's shape nor an end of a value range."""
    return "." not in symbol.label


def holds_for_sizes(polynomial: Polynomial) -> bool:
    """True unless every launch fails it whose extents and parameters are 1 at least, as one of
    ``-h*w - w``, or of ``w - h*w*w - 1``: a product of such is not less than a part of it. What
    only a size of 1 meets, ``w - h*w``, counts as one that every launch fails, and so does what
    asks for a grid of one block by parameters, ``w*c + c - w*c*nctaid.x``."""
    grid = [symbol for symbol in polynomial.symbols if is_grid(symbol)]
    if len(grid) < len(polynomial.symbols):
        polynomial = polynomial.replaced({symbol: Polynomial.of(symbol) + 1 for symbol in grid})
    sizes = {s: (1, s.high) for s in polynomial.symbols if is_size(s) and s.low < 1 < s.high}
    terms, own = dict(polynomial.terms), {*sizes, *(s for s in polynomial.symbols if s.low >= 1)}
    products, least = [m for m in terms if own.issuperset(m)], 0
    for part in (m for m in products if terms[m] > 0):
        for whole in products:
            if terms[whole] < 0 and quotient(whole, part) is not None:
                both = min(terms[part], -terms[whole])
                terms[part], terms[whole] = terms[part] - both, terms[whole] + both
                least = 1 if part else least
    return Polynomial({m: c for m, c in terms.items() if c}).range(sizes)[1] >= least


def holds_for_any_sizes(polynomial: Polynomial) -> bool:
    """True unless every launch with sizes fails it, or all but those with a size near the limit of
    its type, or those whose sizes are whole groups: of ``4*groups*q <= n*q``, with a quotient q by
    a number of groups of four."""
    grown = max((len(m) for m, c in polynomial.terms.items() if c > 0), default=0)
    if grown <= 1 and polynomial.terms.get((), 0) <= -NO_BUFFER:
        return False
    groups = [s for s in polynomial.symbols if isinstance(s, LaunchQuotient)]
    terms = [(q, m) for q in groups for m in polynomial.terms if q in m]
    whole = any(not q.divisor.symbols.isdisjoint(m) for q, m in terms)
    odd = not whole or typical(with_room(polynomial), LAYERS, ODD) >= 0
    return odd and holds_for_sizes(polynomial)


def is_size(symbol: Symbol) -> bool:
    """True if it is a part of the launch's shape or a parameter."""
    return symbol.label in TYPICAL_LAUNCH or (is_parameter(symbol) and not symbol.parts - {symbol})


def holds_in_a_small_launch(polynomial: Polynomial) -> bool:
    """True if it is not negative for one of the small parameters."""
    return any(holds(polynomial, small) for small in SMALL_PARAMETERS)


def holds_with_many_threads(polynomial: Polynomial) -> bool:
    """True if a launch with far more threads than elements satisfies it. Such a launch is legal: a
    no-overflow limit must not tie the grid to the number of elements."""
    return typical(with_room(polynomial), MANY_THREADS, FEW_ELEMENTS) >= 0


def holds_with_few_threads(polynomial: Polynomial) -> bool:
    """True unless the grid must grow with the number of elements: in a loop that strides over the
    grid, few threads take many elements each."""
    grown = [m for m, c in polynomial.terms.items() if c > 0 and any(map(is_grid, m))]
    return not grown or typical(with_room(polynomial), FEW_THREADS, TYPICAL_PARAMETER) >= 0


def is_grid(symbol: Symbol) -> bool:
    """True if it is an extent of the grid."""
    return symbol.label.startswith("nctaid.")
