"""Inferred contracts as text for a person, as JSON, and as TOML that ``--contract`` takes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ptxlint.contracts.declaration import shown
from ptxlint.reports.colour import Palette
from ptxlint.results.contract import SHARED, InferredContract
from ptxlint.results.report import Report
from ptxlint.results.serialization import to_json
from ptxlint.source import harmless
from ptxlint.version import VERSION

FORMATS = ("text", "json", "toml")
COLUMN = 64  # characters: what is longer stands out of its column
SCHEMA = "ptxlint-contract/1"


def render(report: Report, form: str, palette: Palette) -> str:
    """The contracts of a report; ``form`` is one of FORMATS."""
    if form == "json":
        document = {"schema": SCHEMA, "version": VERSION, "contracts": to_json(report.contracts)}
        return json.dumps(document, indent=1) + "\n"
    parts = [
        contract.as_toml() if form == "toml" else "\n".join([*text(contract, palette), ""])
        for contract in report.contracts
    ]
    return "\n".join(parts)


def text(contract: InferredContract, palette: Palette) -> Iterator[str]:
    """A head like a declaration, and a line for each need and each buffer."""
    params = ", ".join(contract.params)
    yield palette.paint(harmless(f"{contract.demangled}({params})"), "label")
    rows = list(lines(contract))
    if not rows:
        yield "  requires nothing, and touches no buffer"
        return
    width = widest(claim for _, claim, _, _ in rows)
    wide = widest(why for _, _, why, _ in rows)
    for label, claim, why, place in rows:
        line = f"  {label:8} {claim:{width}}  {why:{wide}}  {place}"
        yield harmless(line.rstrip())


def widest(column: Iterable[str]) -> int:
    """The width of a column: one long claim does not push all others aside."""
    return max((len(text) for text in column if len(text) <= COLUMN), default=0)


Row = tuple[str, str, str, str]


def lines(contract: InferredContract) -> Iterator[Row]:
    """Each a label, a claim, its reason or condition, and its location."""
    if contract.block is not None:
        yield "requires", f"block {shown(contract.block)}", "because of .reqntid", ""
    for one in contract.reasons:
        if one.need is not None:
            yield "requires", one.need, one.reason, one.location
    for part in contract.touched:
        null = (f"{part.buffer} is not null",) if part.buffer in contract.optional else ()
        whens = [*null, *((part.when,) if part.when else ())]
        when = f"when {' and '.join(whens)}" if whens else ""
        yield part.kind, f"{called(part.buffer)}[{part.low} .. {part.high})", when, ""
    for name, held in contract.values.items():
        ends, _, kind = held.partition(":")
        yield "values", f"{called(name)} holds {kind}: {ends}", "its least and greatest integer", ""
    for name, align in contract.aligned.items():
        if align > 4:
            yield "aligned", f"{called(name)} to {align} bytes", "", ""
    for one in contract.reasons:
        if one.distinct is not None:
            claim, _, when = one.distinct.partition(" when ")
            yield "distinct", claim, f"when {when}" if when else one.reason, one.location
    for one in contract.reasons:
        if one.assumed is not None:
            yield "assumes", one.assumed, one.reason, one.location
    for (about, message, fact), group in contract.by_reason().items():
        count = f"{len(group)} accesses" if len(group) > 1 else "1 access"
        claim = f"{count} of {about}" if about else count
        yield "unknown", claim, f"{message} ({group[0].reason})", group[0].location
        yield "", "decided by", fact, ""


def called(buffer: str) -> str:
    return "dynamic shared memory" if buffer == SHARED else buffer
