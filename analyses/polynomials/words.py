"""Words modulo 2**width, as polynomials, and divisions by powers of two that are shifts."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from analyses.polynomials.polynomial import Polynomial
from analyses.program import Operand


class DivisionPart(Enum):
    """What a division gives: the multiple is the greatest one of the divisor in the dividend."""

    QUOTIENT = auto()
    REMAINDER = auto()
    MULTIPLE = auto()


class PowerDivision(NamedTuple):
    """A word that is a ``part`` of a division of the word ``dividend``, unsigned, for a divisor
    ``mask + 1`` that is a power of two. For a divisor that is 0 modulo 2**width the quotient and
    the multiple are 0, the remainder is the dividend."""

    dividend: Polynomial
    mask: Polynomial
    part: DivisionPart

    @property
    def tests(self) -> bool:
        """True if the word is 0 exactly for those divisors: ``n & (n - 1)``."""
        return self.part is DivisionPart.REMAINDER and (self.dividend - self.mask).constant == 1


class ModularPolynomial(NamedTuple):
    """A word that is ``polynomial`` modulo 2**width, None if unknown. ``operand`` is the predicate
    itself, for choices by it. ``ones`` is the word whose ones it counts. It is each of ``by_power``
    for some divisors."""

    width: int
    polynomial: Polynomial | None
    operand: Operand | None = None
    ones: ModularPolynomial | None = None
    by_power: tuple[PowerDivision, ...] = ()


def constant(a: ModularPolynomial) -> int | None:
    """The number as an unsigned word."""
    number = a.polynomial.constant if a.polynomial is not None else None
    return None if number is None else number % (1 << a.width)


def shifted_by(a: ModularPolynomial, n: ModularPolynomial) -> tuple[PowerDivision, ...]:
    """``a >> popc(d - 1)``: d - 1 has k ones for d = 2**k, and as many as the width for d = 0."""
    mask = n.ones
    if mask is None or mask.width != a.width or a.polynomial is None or mask.polynomial is None:
        return ()
    if mask.polynomial.constant is not None:
        return ()
    return (PowerDivision(a.polynomial, mask.polynomial, DivisionPart.QUOTIENT),)


def masked_by(a: ModularPolynomial, b: ModularPolynomial) -> tuple[PowerDivision, ...]:
    """``a & (d - 1)``: all ones below k for d = 2**k, all of them for d = 0; and ``a & -d``, which
    has all ones from k up, none of them for d = 0."""
    if a.polynomial is None or b.polynomial is None:
        return ()
    return tuple(
        PowerDivision(dividend, mask, part)
        for dividend, other in ((a.polynomial, b.polynomial), (b.polynomial, a.polynomial))
        if other.constant is None
        for mask, part in ((other, DivisionPart.REMAINDER), (-other - 1, DivisionPart.MULTIPLE))
    )
