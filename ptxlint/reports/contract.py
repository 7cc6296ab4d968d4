"""Inferred contracts as text for a person, as JSON, and as TOML that ``--contract`` takes back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ptxlint.check import CheckedFile, Report
from ptxlint.contracts.declaration import shown
from ptxlint.imprecision import REASONS
from ptxlint.inference.inferred import SHARED, Bytes, Inferred, Unknown
from ptxlint.ir import PtxInstr
from ptxlint.mangling import demangled
from ptxlint.reports.colour import Palette, harmless
from ptxlint.reports.places import Locations
from ptxlint.version import VERSION

FORMATS = ("text", "json", "toml")
COLUMN = 64  # characters: what is longer stands out of its column
SCHEMA = "ptxlint-contract/1"


def render(report: Report, form: str, palette: Palette) -> str:
    """The contracts of a report; ``form`` is one of FORMATS."""
    if form == "json":
        contracts = [entry for file in report.files for entry in entries(file)]
        document = {"schema": SCHEMA, "version": VERSION, "contracts": contracts}
        return json.dumps(document, indent=1) + "\n"
    write = toml if form == "toml" else text
    parts = [
        "\n".join(write(contract, Locations(file), palette))
        for file in report.files
        for contract in inferred(file)
    ]
    return "\n\n".join(parts) + "\n" * bool(parts)


def inferred(file: CheckedFile) -> list[Inferred]:
    return [checked.contract for checked in file.kernels if checked.contract is not None]


# --- for a person


def text(contract: Inferred, places: Locations, palette: Palette) -> Iterator[str]:
    """A head like a declaration, and a line for each need and each buffer."""
    params = ", ".join(f"{name}: {kind}" for name, kind in contract.params)
    yield palette.paint(harmless(f"{demangled(contract.kernel.name)}({params})"), "label")
    rows = list(lines(contract, places))
    if not rows:
        yield "  needs    nothing, and touches no buffer"
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


def lines(contract: Inferred, places: Locations) -> Iterator[Row]:
    """Each a label, a claim, why or when, and where."""
    if contract.block is not None:
        yield "needs", f"block {shown(contract.block)}", "because of .reqntid", ""
    for need in contract.needs:
        yield "needs", need.condition, need.reason, line(need.instr, places)
    for part in contract.bytes:
        when = f"when {part.when}" if part.when else ""
        yield part.kind, f"{called(part)}[{part.low} .. {part.high})", when, ""
    for name, (_, align) in contract.extents().items():
        if align > 4:
            what = "dynamic shared memory" if name == SHARED else name
            yield "aligned", f"{what} to {align} bytes", "", ""
    for each in contract.distinct:
        claim = f"{', '.join(each.names)}{' or same' if each.same else ''}"
        why = f"when {each.when}" if each.when else each.reason
        yield "distinct", claim, why, line(each.instr, places)
    for (about, reason), group in grouped(contract.unknown).items():
        count = f"{len(group)} accesses" if len(group) > 1 else "1 access"
        claim = f"{count} of {about}" if about else count
        yield "unknown", claim, f"{REASONS[reason]} ({reason})", line(group[0].instr, places)


def grouped(unknown: tuple[Unknown, ...]) -> dict[tuple[str | None, str], list[Unknown]]:
    groups: dict[tuple[str | None, str], list[Unknown]] = {}
    for one in unknown:
        groups.setdefault((one.name, one.reason), []).append(one)
    return groups


def called(part: Bytes) -> str:
    return "dynamic shared memory" if part.name == SHARED else part.name


def line(instr: PtxInstr, places: Locations) -> str:
    place = places.primary(instr)
    return f"{place.path}:{place.line}"


# --- for programs


def entries(file: CheckedFile) -> Iterator[dict[str, Any]]:
    """The contracts of a file as plain values; keys without a value are left out."""
    places = Locations(file)
    for contract in inferred(file):
        extents = contract.extents()
        shared = extents.pop(SHARED, None)
        entry: dict[str, Any] = {
            "kernel": contract.kernel.name,
            "path": file.source.path,
            "params": [f"{name}: {kind}" for name, kind in contract.params],
            "block": list(contract.block) if contract.block else None,
            "needs": [need.condition for need in contract.needs],
            "reasons": [
                {"need": n.condition, "reason": n.reason, "location": line(n.instr, places)}
                for n in contract.needs
            ]
            + [
                {"distinct": d.text, "reason": d.reason, "location": line(d.instr, places)}
                for d in contract.distinct
            ],
            "reads": touched(contract, ("reads", "updates")),
            "writes": touched(contract, ("writes", "updates")),
            "buffers": {name: f"{high}@{align}" for name, (high, align) in extents.items()},
            "shared": shared[0] if shared else None,
            "distinct": [each.text for each in contract.distinct],
            "unknown": [
                {"access": u.name, "reason": u.reason, "location": line(u.instr, places)}
                for u in contract.unknown
            ],
        }
        yield {key: value for key, value in entry.items() if value not in (None, [], {})}


def touched(contract: Inferred, kinds: tuple[str, ...]) -> dict[str, str]:
    """The end of what is touched of each buffer, in bytes."""
    ends: dict[str, list[str]] = {}
    for part in contract.bytes:
        if part.kind in kinds and part.name != SHARED:
            ends.setdefault(part.name, []).extend(part.ends)
    return {
        name: found[0] if len(found) == 1 else f"max({', '.join(found)})"
        for name, found in ((name, list(dict.fromkeys(list_))) for name, list_ in ends.items())
    }


# --- to paste


def toml(contract: Inferred, places: Locations, palette: Palette) -> Iterator[str]:
    """A ``[[launch]]`` table; reasons are comments."""
    yield "[[launch]]"
    yield f"kernel = {quoted(contract.kernel.name)}"
    if contract.params:
        params = ", ".join(quoted(f"{name}: {kind}") for name, kind in contract.params)
        yield f"params = [{params}]"
    if contract.block is not None:
        yield f"block = {list(contract.block)}"
    extents = contract.extents()
    shared = extents.pop(SHARED, None)
    if shared is not None:
        yield f"shared = {quoted(shared[0])}"
    if contract.needs:
        yield "needs = ["
        for need in contract.needs:
            why = harmless(f"{need.reason}, {line(need.instr, places)}")
            yield f"    {quoted(need.condition)},  # {why}"
        yield "]"
    if contract.writes is not None:
        yield f"writes = [{', '.join(map(quoted, contract.writes))}]"
    if contract.distinct:
        yield "distinct = ["
        for each in contract.distinct:
            why = harmless(f"{each.reason}, {line(each.instr, places)}")
            yield f"    {quoted(each.text)},  # {why}"
        yield "]"
    else:
        yield "distinct = []"
    if extents:
        yield "[launch.buffers]"
        yield from (
            f"{key(n)} = {quoted(f'{high}@{align}')}" for n, (high, align) in extents.items()
        )
    for (about, reason), group in grouped(contract.unknown).items():
        what = f"{len(group)} of {about}" if about else f"{len(group)}"
        yield f"# nothing is known of accesses: {harmless(what)}: {REASONS[reason]}"


def quoted(word: str) -> str:
    return json.dumps(word)


def key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)
