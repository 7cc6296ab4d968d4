"""A word as a polynomial over symbols: 4*tid.x + 1024*ctaid.x + 4*n, exact modulo 2**width.

The thesis's x_t = x0 + k*t, for all axes of the block at once and with names for what x0 is made
of. Symbols stand for integers: special registers and parameters by their name, and every word
that is no polynomial of others (loaded, joined, shifted right) by the SSA value that holds it,
read as signed.

Integer arithmetic modulo 2**w is what a polynomial does, so add, sub, mul and shl by a constant
need no assumption. Leaving the width does: extending a word keeps the polynomial only if its
value, over the integers, stays inside the range of the narrow type. Where ``range_of`` cannot
show that, the polynomial is kept and marked ``assumed``: it holds for launches in which the index
does not wrap. Facts marked so explain costs; nothing is proved in bounds with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from analyses.lattice import Domain
from analyses.program import Value, constant_in_thread

Symbol = str | Value
Monomial = tuple[Symbol, ...]
Terms = tuple[tuple[Monomial, int], ...]
Bounds = tuple[int, int]

MAX_TERMS = 24
MAX_DEGREE = 4


def rank(symbol: Symbol) -> tuple[str, int]:
    return (symbol, 0) if isinstance(symbol, str) else (symbol.name, id(symbol))


class Affine(NamedTuple):
    """``terms`` maps products of symbols to coefficients in [-2**(w-1), 2**(w-1)); the empty
    product is the constant. None: not a polynomial we keep. ``empty``: no word at all."""

    width: int
    terms: Terms | None
    assumed: bool = False
    empty: bool = False

    @property
    def constant(self) -> int | None:
        """The number, if it is one."""
        if self.terms == ():
            return 0
        if self.terms is not None and len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    def __str__(self) -> str:
        if self.terms is None:
            return "?"
        parts = []
        for monomial, factor in self.terms:
            names = "*".join(s if isinstance(s, str) else s.name for s in monomial)
            names = names.replace("+0", "")
            if not names:
                parts.append(str(factor))
            else:
                parts.append(names if factor == 1 else f"{factor}*{names}")
        return " + ".join(parts).replace("+ -", "- ") or "0"


class Affines(Domain[Affine]):
    """``known`` gives the value of symbols that the launch fixes; ``range_of`` bounds a symbol."""

    symbolic = True

    def __init__(
        self,
        known: Mapping[str, int],
        range_of: Callable[[Symbol], Bounds | None],
    ) -> None:
        self.known = known
        self.range_of = range_of

    def width(self, a: Affine) -> int:
        return a.width

    def unknown(self, width: int, *operands: Affine) -> Affine:
        return Affine(width, None)

    def of(self, width: int, terms: Mapping[Monomial, int], assumed: bool = False) -> Affine:
        """The polynomial with its coefficients reduced; unknown if it has grown too large."""
        half, whole = 1 << (width - 1), 1 << width
        kept = []
        for monomial, factor in terms.items():
            factor = (factor + half) % whole - half
            if factor:
                kept.append((monomial, factor))
                if len(monomial) > MAX_DEGREE:
                    return Affine(width, None)
        if len(kept) > MAX_TERMS:
            return Affine(width, None)
        if len(kept) > 1:
            kept.sort(key=lambda term: [rank(symbol) for symbol in term[0]])
        return Affine(width, tuple(kept), assumed)

    # --- the lattice: equal or unknown

    def top(self, width: int) -> Affine:
        return Affine(width, None)

    def bottom(self, width: int) -> Affine:
        return Affine(width, None, empty=True)

    def is_bottom(self, a: Affine) -> bool:
        return a.empty

    def leq(self, a: Affine, b: Affine) -> bool:
        return a.empty or a == b or (b.terms is None and not b.empty)

    def join(self, a: Affine, b: Affine) -> Affine:
        if a.empty or b.empty:
            return b if a.empty else a
        if a.terms == b.terms:
            return a._replace(assumed=a.assumed or b.assumed)
        return Affine(a.width, None)

    def meet(self, a: Affine, b: Affine) -> Affine:
        return b if b.empty or (a.terms is None and not a.empty) else a

    def fresh(self, a: Affine, name: object) -> Affine:
        """A word that is no polynomial of others is a symbol of its own."""
        if a.terms is not None or a.empty or not isinstance(name, Value):
            return a
        return Affine(a.width, (((name,), 1),))

    # --- operators

    def const(self, width: int, bits: int) -> Affine:
        return self.of(width, {(): bits})

    def special(self, name: str, width: int) -> Affine:
        number = self.known.get(name)
        if number is not None:
            return self.const(width, number)
        return self.of(width, {(name,): 1}) if constant_in_thread(name) else self.unknown(width)

    def add(self, a: Affine, b: Affine) -> Affine:
        if a.terms is None or b.terms is None:
            return Affine(a.width, None)
        terms = dict(a.terms)
        for monomial, factor in b.terms:
            terms[monomial] = terms.get(monomial, 0) + factor
        return self.of(a.width, terms, a.assumed or b.assumed)

    def sub(self, a: Affine, b: Affine) -> Affine:
        return self.add(a, self.scaled(b, -1))

    def scaled(self, a: Affine, by: int) -> Affine:
        if a.terms is None:
            return a
        return self.of(a.width, {m: factor * by for m, factor in a.terms}, a.assumed)

    def mul(self, a: Affine, b: Affine) -> Affine:
        if a.terms is None or b.terms is None or len(a.terms) * len(b.terms) > 4 * MAX_TERMS:
            return Affine(a.width, None)
        terms: dict[Monomial, int] = {}
        for left, x in a.terms:
            for right, y in b.terms:
                monomial = (
                    tuple(sorted((*left, *right), key=rank)) if left and right else left or right
                )
                terms[monomial] = terms.get(monomial, 0) + x * y
        return self.of(a.width, terms, a.assumed or b.assumed)

    def not_(self, a: Affine) -> Affine:
        return self.sub(self.const(a.width, -1), a)

    def shl(self, a: Affine, n: Affine) -> Affine:
        by = n.constant
        if by is None:
            return Affine(a.width, None)
        shifted = self.scaled(a, 1 << min(by % 2**32, a.width))
        return shifted._replace(assumed=a.assumed or n.assumed)

    def or_(self, a: Affine, b: Affine) -> Affine:
        """An addition where no bit is set in both: one is a multiple of 2**k, the other below
        it."""
        for high, low in ((a, b), (b, a)):
            bounds = self.range(low)
            if high.terms is not None and bounds is not None and bounds[0] >= 0:
                step = 1 << bounds[1].bit_length()
                if all(factor % step == 0 for _, factor in high.terms):
                    return self.add(high, low)
        return Affine(a.width, None)

    def and_(self, a: Affine, b: Affine) -> Affine:
        """A mask of low ones leaves a word alone that fits into it."""
        for word, mask in ((a, b), (b, a)):
            ones, bounds = mask.constant, self.range(word)
            if ones is not None and bounds is not None:
                ones %= 1 << a.width
                if ones & (ones + 1) == 0 and bounds[0] >= 0 and bounds[1] <= ones:
                    return word._replace(assumed=word.assumed or mask.assumed)
        return Affine(a.width, None)

    def shr_u(self, a: Affine, n: Affine) -> Affine:
        """Exact where the polynomial, over the integers, is the word: no high bit is lost."""
        by, bounds = n.constant, self.range(a)
        if by is None or bounds is None or a.terms is None:
            return Affine(a.width, None)
        by %= 1 << n.width
        if by >= a.width or bounds[0] < 0 or bounds[1] >> a.width:
            return Affine(a.width, None)
        if any(factor % (1 << by) for _, factor in a.terms):
            return Affine(a.width, None)
        shifted = {m: factor >> by for m, factor in a.terms}
        return self.of(a.width, shifted, a.assumed or n.assumed)

    def select(self, p: Affine, a: Affine, b: Affine) -> Affine:
        return self.join(a, b)

    def zext(self, width: int, a: Affine) -> Affine:
        return self._extended(width, a, 0, (1 << a.width) - 1)

    def sext(self, width: int, a: Affine) -> Affine:
        return self._extended(width, a, -(1 << (a.width - 1)), (1 << (a.width - 1)) - 1)

    def _extended(self, width: int, a: Affine, low: int, high: int) -> Affine:
        """Exact where the polynomial's value over the integers lies in the narrow type."""
        if a.terms is None or a.width == 1:
            return Affine(width, None)
        bounds = self.range(a)
        fits = bounds is not None and low <= bounds[0] and bounds[1] <= high
        if not fits and not any(isinstance(s, str) for m, _ in a.terms for s in m):
            return Affine(width, None)  # nothing known of it anyway
        return self.of(width, dict(a.terms), a.assumed or not fits)

    def extract(self, width: int, low: int, a: Affine) -> Affine:
        if low or a.terms is None or width == 1:
            return Affine(width, None)
        return self.of(width, dict(a.terms), a.assumed)

    # --- what a polynomial says

    def range(self, a: Affine) -> Bounds | None:
        """Bounds of the polynomial over the integers, None where a symbol has none."""
        if a.terms is None:
            return None
        low = high = 0
        for monomial, factor in a.terms:
            bounds = (factor, factor)
            for symbol in monomial:
                found = self.range_of(symbol)
                if found is None:
                    return None
                corners = [x * y for x in bounds for y in found]
                bounds = (min(corners), max(corners))
            low, high = low + bounds[0], high + bounds[1]
        return low, high

    def admits(self, fact: Affine, words: Any) -> Any:
        raise NotImplementedError("a polynomial is checked by evaluating it: tests/oracle")
