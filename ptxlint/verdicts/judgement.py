"""The judgement of one kernel under one launch: every property, decided by the analyses; what a
finding flags counts as flagged, whatever is proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.inferred_contract import Inferred
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Certainty
from ptxlint.results.verdict import Property, Status, Verdict, every, worst
from ptxlint.verdicts.accesses import accesses
from ptxlint.verdicts.conditions import ConditionalAccesses
from ptxlint.verdicts.decision import Decision, Decisions, undecided
from ptxlint.verdicts.execution import executed
from ptxlint.verdicts.initialisation import initialisation
from ptxlint.verdicts.ordering import barriers, races, uniformity

OF_ACCESS = (Property.BOUNDS, Property.ALIGNMENT, Property.SPACES)


class Judgement(Struct, frozen=True):
    """``decisions`` by property, or the decision not to check one; ``condition``, under which the
    conditional accesses are safe; ``contract``, what those require that are not proved."""

    decisions: Mapping[Property, Decisions | Decision]
    condition: str | None = None
    contract: Inferred | None = None

    def verdicts(self) -> Iterator[Verdict]:
        """The subjects of each property, counted."""
        for about, found in self.decisions.items():
            if isinstance(found, Decision):
                reason, option = found.reason, found.option
                yield Verdict(name=about, unchecked=1, reason=reason, option=option)
                continue
            status = [decision.status for decision in found.values()]
            yield Verdict(
                name=about,
                proved=status.count(Status.PROVED),
                flagged=status.count(Status.FLAGGED),
                conditional=status.count(Status.CONDITIONAL),
                undecided=status.count(Status.UNDECIDED),
                condition=every(
                    decision.reason
                    for decision in found.values()
                    if about is Property.COSTS and decision.status is Status.CONDITIONAL
                ),
            )

    def unproved(self) -> Iterator[tuple[Property, PtxInstr, Decision]]:
        """The subjects that are not proved, in the order of the text."""
        found = [
            (instr.offset, about, instr, decision)
            for about, decisions in self.decisions.items()
            if not isinstance(decisions, Decision)
            for instr, decision in decisions.items()
            if decision.status is not Status.PROVED
        ]
        for _, about, instr, decision in sorted(found, key=lambda one: one[0]):
            yield about, instr, decision

    def refutes(self, claim: Claim) -> bool:
        """True if the claim is possible only, and what it says against is proved."""
        decisions = self.decisions.get(claim.property) if claim.property is not None else None
        if claim.certainty is not Certainty.POSSIBLE or decisions is None:
            return False
        known = None if isinstance(decisions, Decision) else decisions.get(claim.instr)
        return known is not None and known.status is Status.PROVED

    def access(self, instr: PtxInstr) -> Status:
        """The worst of an access's bounds, alignment and space."""
        each = [self.decisions[about] for about in OF_ACCESS]
        return worst(one[instr].status for one in each if not isinstance(one, Decision))


def judged(facts: Facts, claims: Iterable[Claim]) -> Judgement:
    """The judgement of a kernel with these findings."""
    found: dict[Property, Decisions | Decision] = {
        Property.BARRIERS: barriers(facts),
        Property.RACES: races(facts),
        Property.UNIFORMITY: uniformity(facts),
        Property.INITIALISATION: initialisation(facts),
    }
    run = executed(facts, found)
    conditions = ConditionalAccesses(facts, run)
    found.update({**run.ordered, **accesses(facts, conditions)})
    for claim in claims:
        if claim.property is not None and claim.certainty is not Certainty.POSSIBLE:
            flagged = Decision(Status.FLAGGED, f"{claim.severity.value}[{claim.rule}]")
            subjects = found[claim.property]
            known = {} if isinstance(subjects, Decision) else subjects
            found[claim.property] = {**known, claim.instr: flagged}
        elif claim.property is Property.RACES and claim.condition is not None:
            decisions = found[Property.RACES]
            assert not isinstance(decisions, Decision)
            reason = f"a race if {claim.condition}"
            found[Property.RACES] = {**decisions, claim.instr: undecided(reason)}
    contract = conditions.contract if conditions.text is not None else None
    return Judgement({about: found[about] for about in Property}, conditions.text, contract)
