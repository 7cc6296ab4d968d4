"""Requirements under which the integers that floats are compared with are exact as floats.

``(int)fminf(fmaxf(x, 0), w - 1)`` is an index below ``w`` if ``w - 1`` is not negative and has no
more bits than a float.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.float_limits import EXACT, FloatLimits
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import unwrapped
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import WHOLE
from ptxlint.ir import PtxInstr


def exact(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the sums that limit converted floats are exact, and not
    negative; each with the reason, and the conversion."""
    symbolic, names = facts.symbolic, facts.decided.keys()
    limits = FloatLimits(symbolic.floats, upper=True)
    for symbol in sorted(symbolic.opaque, key=order):
        value = symbolic.opaque[symbol]
        instr = symbolic.values.definition.get(value)
        for limit in limits.of(value) if isinstance(instr, PtxInstr) else ():
            of = symbolic.integer(limit.operand, limit.signed)
            whole = None if of is None or limit.exact(of) else unwrapped(of)
            if whole is not None and whole.symbols <= names and not limit.less:
                assert isinstance(instr, PtxInstr)
                yield whole + limit.plus, WHOLE, instr
                yield -whole + ((1 << EXACT[limit.width]) - 1 - abs(limit.plus)), WHOLE, instr
