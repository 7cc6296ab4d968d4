"""The report of ``ptxlint costs``: the accesses of a file by what they cost above the ideal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ptxlint.analysis import Analysis
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import traffic_shares
from ptxlint.facts.wording import described, doubt
from ptxlint.mangling import signature
from ptxlint.places import Locations
from ptxlint.reports.colour import Palette
from ptxlint.results.costs import METRICS, AccessCost
from ptxlint.results.finding import VERBS
from ptxlint.results.serialization import to_json
from ptxlint.source import harmless
from ptxlint.version import VERSION

FORMATS = ("text", "json")
SCHEMA = "ptxlint-costs/1"
LONGEST = 40  # characters of a name in the table
HEAD = ("cost", "ideal", "unit", "share", "line", "access", "kernel", "Nsight Compute")


def costs(analyses: Iterable[Analysis], places: Locations) -> list[AccessCost]:
    """The accesses of the kernels: those of one line that agree are one."""
    found: dict[AccessCost, AccessCost] = {}
    for analysis in analyses:
        facts = analysis.facts
        if facts is None:  # it crashed
            continue
        for access, share in traffic_shares(facts):
            one = cost_of(facts, access, places)
            alike = replace(
                one, ptx=one.location, access=replace(one.access, offset=None, range=None)
            )
            percent = None if share is None else share.percent
            if first := found.get(alike):
                if percent is not None and first.share is not None:
                    percent += first.share
                found[alike] = replace(first, accesses=first.accesses + 1, share=percent)
            else:
                found[alike] = replace(one, share=percent)
    return list(found.values())


def cost_of(facts: Facts, access: AccessFacts, places: Locations) -> AccessCost:
    by, cost, name = metric(facts, access), access.cost, facts.kernel.name
    unknown = cost is None or by is None
    return AccessCost(
        location=places.primary(access.instr),
        ptx=places.ptx(access.instr),
        kernel=name,
        demangled=signature(name),
        access=described(access),
        unit=None if by is None else by.unit,
        worst=None if cost is None else cost.worst,
        best=None if cost is None or cost.best == cost.worst else cost.best,
        ideal=None if cost is None else cost.ideal,
        metric=None if by is None else METRICS.get((access.space, by.unit)),
        reason=doubt(access) if unknown else None,
    )


def ranked(found: Iterable[AccessCost]) -> list[AccessCost]:
    """By the cost above the ideal, then by the cost; the unknown ones last."""

    def key(one: AccessCost) -> tuple[object, ...]:
        at = one.location
        return one.worst is None, -one.excess, -(one.worst or 0), at.path, at.line, one.kernel

    return sorted(found, key=key)


def render(found: Iterable[AccessCost], form: str, palette: Palette) -> str:
    """The table; ``form`` is one of FORMATS."""
    rows = ranked(found)
    if form == "json":
        document = {"schema": SCHEMA, "version": VERSION, "costs": to_json(tuple(rows))}
        return json.dumps(document, indent=1) + "\n"
    table = [HEAD, *(tuple(map(harmless, cells(row))) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    return "\n".join([*lines(table, widths, palette), ""])


def lines(table: Iterable[tuple[str, ...]], widths: list[int], palette: Palette) -> Iterator[str]:
    style = "label"
    for row in table:
        aligned = [
            text.rjust(width) if column in (0, 1, 3) else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(aligned).rstrip()
        yield palette.paint(text, style) if style else text
        style = ""


def cells(row: AccessCost) -> Iterator[str]:
    if row.worst is None:
        yield "?"
    else:
        yield str(row.worst) if row.best is None else f"{row.best}..{row.worst}"
    yield "?" if row.ideal is None else str(row.ideal)
    yield row.unit or "-"
    yield "-" if row.share is None else f"{row.share} %"
    yield row.location.short
    fact = row.access
    many = f"{row.accesses}x " if row.accesses > 1 else ""
    where = fact.region if fact.region is not None else f"{fact.space} memory"
    why = f" ({row.reason})" if row.reason else ""
    yield f"{many}{VERBS.get(fact.kind or '', 'touches')} {fact.bytes} bytes of {where}{why}"
    name = row.demangled
    yield name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."
    yield row.metric or "-"
