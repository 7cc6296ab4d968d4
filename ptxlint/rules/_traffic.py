"""The common part of the rules on memory traffic: requests that cost more than the ideal.

Not a rule: names with an underscore are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.traffic.costs import Metric
from ptxlint.claim import Claim
from ptxlint.facts.fixes import fix_help, proposed_fix
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.requests import (
    certain,
    cost_function,
    excess_cost,
    request_cost,
    traffic_share,
)
from ptxlint.facts.wording import described, doubt
from ptxlint.rule import Rule
from ptxlint.thresholds import TOLERATED


def costly(
    rule: Rule,
    facts: Facts,
    access: AccessFacts,
    what: str,
    otherwise: str,
    by: Metric | None = None,
) -> Iterator[Claim]:
    """The claim that a request costs more than the ideal and the tolerated excess. ``what`` begins
    the message. Counted ``by`` another metric than that of the space, the cost must be known
    without a replay."""
    price = request_cost(facts, access, by)
    if price is None or (by is not None and not price.actual):
        return
    tolerated = TOLERATED[price.unit]
    if price.actual and (price.best or price.actual) <= price.ideal + tolerated:
        return
    law = cost_function(facts, access) if by is None else None
    share = traffic_share(facts, access) if by is None else None
    condition = law.over(tolerated) if law is not None else "always"
    if condition == "never":
        return
    fix = proposed_fix(facts, access) if by is None else None
    layout = facts.structures.get(access.place.region) if access.place.region else None
    if layout is not None:
        otherwise = f"{otherwise}; not every access is known to be to one field of {layout}"
    yield rule.claim(
        access.instr,
        f"{what} {access.place.access.kind} takes {{cost}}",
        bool(price.actual) and certain(facts, access),
        condition=condition if condition != "always" else None,
        access=described(access),
        harm=excess_cost(facts, access, price.unit, tolerated),
        cost=price,
        share=share.percent if share is not None else None,
        help=fix_help(access, fix, otherwise),
        advice=fix_help(access, None, otherwise),
        fix=fix,
        unless=doubt(access),
    )
