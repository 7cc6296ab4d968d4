"""Requirements under which the integers that floats are compared with are exact as floats.

``(int)fminf(fmaxf(x, 0), w - 1)`` is an index below ``w`` if ``w - 1`` is not negative and has no
more bits than a float.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.float_limits import EXACT, Converted
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import unwrapped
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import WHOLE
from ptxlint.ir import PtxInstr


def exact(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the sums that limit converted floats are exact, and not
    negative; each with the reason, and the conversion."""
    symbolic, names = facts.symbolic, facts.decided.keys()
    for symbol in sorted(symbolic.opaque, key=order):
        value = symbolic.opaque[symbol]
        instr = symbolic.values.definition.get(value)
        if not isinstance(instr, PtxInstr):
            continue
        converted = Converted(symbolic.floats, value, symbolic.integer, symbolic.integers)
        for limit, of in converted.limits(upper=True):
            whole = unwrapped(of)
            if not limit.exact(of) and not limit.less and whole.symbols <= names:
                yield whole + limit.plus, WHOLE, instr
                yield -whole + ((1 << EXACT[limit.width]) - 1 - abs(limit.plus)), WHOLE, instr
