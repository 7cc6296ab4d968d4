"""Parameters that count elements of a thread's own array: at most as many as it has.

A copy of the last few words from a local array of four, by a loop that a compiler unrolls by
sixteen, has parts that no launch comes to whose count is in order. That an access to the array
stays inside requires ``offset + count <= 4``. With parameters in these ranges a second look finds
most of the loop unreached, and the rest is a few words.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import ResolvedAccess
from analyses.budget import INFERRED_ACCESS_SHARE
from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.program import Operand
from ptxlint.contracts.grids import FEW
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred_contract import InferredRequirement
from ptxlint.inference.reasons import FACTOR
from ptxlint.inference.requirements import Required


def in_local_arrays(facts: Facts) -> list[ResolvedAccess]:
    """Of the accesses to local arrays by one register the farthest, if some are not shown to stay
    inside by ranges."""
    farthest = dict[Operand, ResolvedAccess]()
    for place in facts.places:
        regions = [one.region for one in place.each]
        if place.reached and any(r is not None and r.space == "local" and r.size for r in regions):
            known = farthest.setdefault(place.access.base, place)
            if known.access.offset < place.access.offset:
                farthest[place.access.base] = place
    return [place for place in farthest.values() if not place.in_bounds]


def limits_of_counts(
    inference: Inference, places: list[ResolvedAccess]
) -> tuple[list[InferredRequirement], list[str]]:
    """The requirements that limit a sum of parameters to a few, of the first access that has such,
    and that none of these is negative; and the limits of each that follow."""
    for place in places:
        inference.prepare([place])
        with inference.budget.share(INFERRED_ACCESS_SHARE):
            inference.add(place)
        if any(any(summed(need, inference.facts)) for need in inference.needs.values()):
            break
    names = inference.facts.decided
    sums, least = dict[Polynomial, Required](), dict[str, InferredRequirement]()
    implied = dict[str, int]()
    for need in inference.needs.values():
        for symbol, most in summed(need, inference.facts):
            rest = need.polynomial - need.polynomial.terms.get((), 0)
            sums[rest] = min(need, sums.get(rest, need), key=constant)
            named = at_least(Polynomial.of(symbol).terms, names)
            least.setdefault(named, InferredRequirement(named, FACTOR, need.instr))
            implied[names[symbol]] = min(most, implied.get(names[symbol], FEW))
    said = [
        InferredRequirement(at_least(need.polynomial.terms, names), need.reason, need.instr)
        for need in sums.values()
    ]
    return [*least.values(), *said], [f"{name} <= {most}" for name, most in implied.items()]


def constant(need: Required) -> int:
    return need.polynomial.terms.get((), 0)


def summed(need: Required, facts: Facts) -> Iterator[tuple[Symbol, int]]:
    """The parameters of a sum that it limits to a few, each with its greatest value where none is
    negative."""
    most, terms = constant(need), need.polynomial.terms.items()
    factors = {monomial: factor for monomial, factor in terms if monomial}
    single = all(len(m) == 1 and facts.decided.get(m[0]) in facts.launch.names for m in factors)
    if single and factors and max(factors.values()) < 0 <= most < FEW:
        yield from ((monomial[0], most // -factor) for monomial, factor in factors.items())
