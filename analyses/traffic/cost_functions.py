"""Cost functions: the cost of an access by one unknown number, a stride or a warp's first address.

An address ``B + o[l] + s*m[l]`` with a parameter s costs the same for all s that are congruent
modulo a period, for all s large enough: banks and sectors depend on the address modulo 128 and 32,
and lanes with different m never share a bank word or a sector once s exceeds the span of the
offsets. So one s for each residue decides all; the cost function is the table of their costs, and
the bound from which it holds.

Sectors depend on the address of a warp's first lane in the same way, if the offsets of the others
are known; under guards, this is the cost function of a full warp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd

from msgspec import Struct

from analyses.addresses import ResolvedAccess
from analyses.domains.uniformity import Level
from analyses.hardware import LINE
from analyses.lanes.accesses import active
from analyses.lanes.coordinates import ROWS
from analyses.lanes.evaluation import Warps
from analyses.lanes.lane_value import NO_WRAP
from analyses.polynomials.polynomial import Symbol
from analyses.polynomials.symbols import selects
from analyses.traffic.costs import Cost, Metric, of_warps
from analyses.traffic.patterns import Offsets, Pattern, distinct, rows

MAX_CASES = 4  # that are printed

FIRST = "first address"
"""The subject of cost functions of the address of a warp's first active lane."""


class CostFunction(Struct, frozen=True):
    """The cost as a function of one number s, ``subject``: ``costs[s % period]`` for every ``s >=
    least``. No launch has an s whose residue is not listed. ``assumptions`` are those of a
    pattern."""

    subject: str
    unit: str
    period: int
    costs: Mapping[int, Cost]
    least: int = 0
    assumptions: tuple[str, ...] = ()

    def __call__(self, s: int) -> Cost:
        return self.costs[s % self.period]

    @property
    def exact(self) -> bool:
        """True if s decides the cost."""
        return all(cost.exact for cost in self.costs.values())

    @property
    def best(self) -> Cost:
        """The least cost over all s."""
        return min(self.costs.values(), key=lambda c: (c.worst, c.best))

    @property
    def good(self) -> str:
        """The condition under which the cost is the least: ``pitch % 8 == 0``."""
        return self._condition([r for r, c in self.costs.items() if c == self.best])

    def over(self, tolerated: int) -> str:
        """The condition under which the cost exceeds the ideal by more than is tolerated: ``never``
        and ``always`` too."""
        hits = [r for r, c in self.costs.items() if c.worst > c.ideal + tolerated]
        if len(hits) in (0, len(self.costs)):
            return "always" if hits else "never"
        return self._condition(hits)

    def _condition(self, hits: Sequence[int]) -> str:
        if len(hits) == len(self.costs):
            return f"any {self.subject}"
        for d in divisors(self.period):
            for sign, wanted in (("==", hits[0] % d), ("!=", 0)):
                if hits == [r for r in self.costs if (r % d == wanted) is (sign == "==")]:
                    odd = d == 2 and self.subject != FIRST and hits[0] % 2
                    is_ = "is odd" if odd else f"% {d} {sign} {wanted}"
                    return f"{self.subject} {is_}"
        return f"{self.subject} % {self.period} in {{{', '.join(map(str, hits))}}}"

    def __str__(self) -> str:
        """``4 sectors if pitch % 8 == 0, 6 if pitch % 8 == 4, else 7``."""
        numbers = [c.worst for c in self.costs.values()]
        if self.exact and len(numbers) == self.period:
            least = min(numbers)
            for banks in (8, 16, 32):
                if numbers == [least * gcd(r, banks) for r in range(self.period)]:
                    times = "" if least == 1 else f"{least}*"
                    return f"{times}gcd({self.subject}, {banks}) {self.unit}"
        cases = self.cases
        if len(cases) > MAX_CASES:
            low, high = min(c[0] for c in cases[1:]), max(c[1] for c in cases[1:])
            cases = [cases[0], (low, high, [])]
        (low, high, hits), *others = cases
        text = f"{shown(low, high)} {self.unit}"
        if not others:
            return f"{text} for {self._condition(hits)}"
        said = [f"{shown(*c)} if {self._condition(hits)}" for *c, hits in others[:-1]]
        return ", ".join(
            [f"{text} if {self._condition(hits)}", *said, f"else {shown(*others[-1][:2])}"]
        )

    @property
    def cases(self) -> list[tuple[int, int, list[int]]]:
        """The distinct costs in ascending order, each with its residues."""
        found: dict[tuple[int, int], list[int]] = {}
        for residue, cost in self.costs.items():
            found.setdefault((cost.best, cost.worst), []).append(residue)
        return [(*numbers, hits) for numbers, hits in sorted(found.items())]


def shown(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def divisors(number: int) -> list[int]:
    return [d for d in range(2, number + 1) if number % d == 0]


def of_first(found: Pattern, by: Metric, size: int) -> CostFunction | None:
    """The cost by the address of the first lane, if the pattern leaves several. Of several warps
    with the same address, the costliest counts."""
    residue, modulus = found.base
    step = gcd(modulus, by.period)
    if step == by.period or by.least is not by.most:
        return None
    starting: dict[int, dict[Offsets, None]] = {}
    for offsets in found.warps:
        first = next(o for o in offsets if o is not None)
        from_first = tuple([None if o is None else o - first for o in offsets])
        for start in range((residue + first) % step, by.period, step):
            starting.setdefault(start, {})[from_first] = None
    costs = {r: of_warps(starting[r], (r, by.period), by, size) for r in sorted(starting)}
    if len(set(costs.values())) == 1:
        return None
    return CostFunction(FIRST, by.unit, by.period, costs, 0, found.assumptions)


class Strided(Struct, frozen=True):
    """The address ``B + o[l] + s*m[l]`` of each lane. B is a multiple of ``modulus`` plus products
    of s with uniform values, which have the factors ``moving``."""

    symbol: Symbol
    offsets: tuple[int, ...]
    factors: tuple[int, ...]
    modulus: int
    moving: tuple[int, ...]


def of_stride(warps: Warps, found: ResolvedAccess, by: Metric, size: int) -> CostFunction | None:
    """The cost by a parameter that multiplies the thread coordinates, if there is just one."""
    strided = read(warps, found)
    if strided is None:
        return None
    at = warps.at(found.block)
    lanes = active(at, found.access, found.block)
    domain, width = at.domain, found.access.base.width
    steps = {abs(a - b) for a in strided.factors for b in strided.factors} - {0}
    period = by.period // gcd(by.period, *strided.factors, *strided.moving)
    span = max(strided.offsets) - min(strided.offsets) + size + by.period
    least = -(-span // min(steps, default=1))
    costs = []
    for residue in range(period):
        s = residue + period * -(-least // period)
        numbers = [o + s * m for o, m in zip(strided.offsets, strided.factors, strict=True)]
        address = domain.of(width, width, numbers)
        bands: tuple[Offsets, ...] = distinct(rows(address, lanes, warps.shape))
        if not bands:
            return None  # unreachable
        modulus = gcd(strided.modulus, *(s * factor for factor in strided.moving))
        costs.append(of_warps(bands, (0, modulus), by, size))
    assumptions = set(lanes.assumptions) | ({ROWS} if warps.shape is None else set())
    if found.formula != found.polynomial:
        assumptions.add(NO_WRAP)
    name = warps.symbolic.names.get(strided.symbol, strided.symbol.name)
    shortened = dict(enumerate(shortest(costs)))
    return CostFunction(name, by.unit, len(shortened), shortened, least, tuple(sorted(assumptions)))


def read(warps: Warps, found: ResolvedAccess) -> Strided | None:
    """The polynomial of the address by lane. Uniform terms only move the base."""
    polynomial, names = found.formula, warps.symbolic.names
    if polynomial is None or (found.origin is None and found.access.space == "generic"):
        return None
    words = warps.at(found.block).domain.specials
    count = max(len(word.offsets or ()) for word in words.values())
    offsets, factors = [0] * count, [0] * count
    symbols: set[Symbol] = set()
    bases: list[tuple[list[Symbol], int]] = []
    modulus = LINE if found.origin is None else warps.align(found.origin.region)
    for monomial, factor in polynomial.terms.items():
        axes = [s for s in monomial if names.get(s) in words and names[s] != "ntid.x"]
        rest = [s for s in monomial if s not in axes]
        if len(axes) > 1 or (axes and len(rest) > 1) or not all(map(shared(warps, found), rest)):
            return None
        if not axes:
            bases.append((rest, factor))
            continue
        target = factors if rest else offsets
        symbols.update(rest)
        word = words[names[axes[0]]]
        for lane in range(count):
            target[lane] += factor * word.lane(lane)
    if len(symbols) != 1 or not any(factors):
        return None
    (symbol,) = symbols
    still = [factor for rest, factor in bases if rest and symbol not in rest]
    moving = [factor for rest, factor in bases if symbol in rest]
    offsets = [o + sum(factor for rest, factor in bases if not rest) for o in offsets]
    modulus = gcd(modulus, *still)
    return Strided(symbol, tuple(offsets), tuple(factors), modulus, tuple(moving))


def shared(warps: Warps, found: ResolvedAccess) -> Callable[[Symbol], bool]:
    """The predicate: true if a symbol is uniform at the access."""
    known, symbolic = warps.divergence, warps.symbolic
    heads = {counter: head for head, counter in symbolic.counters.items()}

    def agreed(symbol: Symbol) -> bool:
        if symbol in symbolic.names:
            return known.symbol(symbolic.names[symbol]) <= Level.WARP
        if symbol in heads:
            return known.counter(heads[symbol], found.block) <= Level.WARP
        if symbol in symbolic.opaque:
            return known.use(symbolic.opaque[symbol], found.block) <= Level.WARP
        parts = symbol.parts - {symbol}
        return bool(parts) and not selects(symbol) and all(map(agreed, parts))

    return agreed


def shortest(costs: Sequence[Cost]) -> tuple[Cost, ...]:
    """The costs of one period."""
    for period in range(1, len(costs)):
        if len(costs) % period == 0 and all(c == costs[i % period] for i, c in enumerate(costs)):
            return tuple(costs[:period])
    return tuple(costs)
