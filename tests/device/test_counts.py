"""Which machine instructions are held against an access, and how many of a record are."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping

import pytest

from analyses.hardware import BANK, LINE, WARP
from analyses.traffic.costs import Lanes

from .accesses import accesses, accessing, pairs, patterns
from .counts import (
    ADDED,
    ANOTHER,
    DIFFERENT,
    EQUAL,
    ESTIMATED,
    HARDWARE,
    LOOP,
    NOTHING,
    OTHERWISE,
    Comparison,
    comparisons,
    counted,
    machine_text,
    table,
    totals,
)
from .launches import Case
from .record import RECORD, costs, rows_of

LOAD = accessing("shared", "ld.shared.u32", 4)
recorded = pytest.mark.skipif(not RECORD.exists(), reason="no device has been measured")


def same(case: Case) -> list[tuple[int, str, Mapping[str, int]]]:
    """What a device counts that does the same."""
    return [
        (line, machine_text(min(own.kinds)), own.counters(space))
        for (line, space), own in counted(case).items()
    ]


def found(case: Case, text: str, **more: int) -> Comparison:
    """What comes of the first access of the kind, if it became this machine instruction."""
    place = next(
        i for i, (_, text_, _) in enumerate(same(case)) if text_.startswith(("LDS", "ATOMS"))
    )
    rows = list(same(case))
    line, _, counters = rows[place]
    rows[place] = (line, text, {n: c + more.get(n, 0) for n, c in counters.items()})
    return next(each for each in comparisons(case, rows) if each.place == (line, "shared"))


@pytest.mark.parametrize(
    ("text", "more", "outcome"),
    [
        ("LDS R0, [R2]", {}, EQUAL),
        ("LD.E R0, desc[UR4][R2.64]", {}, EQUAL),
        ("@!P0 LDS R0, [R2]", {"inst_executed": 3}, EQUAL),
        ("@!P0 LDS R0, [R2]", {"inst_executed": -1}, OTHERWISE),
        ("LDS R0, [R2]", {"inst_executed": 3}, OTHERWISE),
        ("LDS R0, [R2]", {"thread_inst_executed_true": 1}, OTHERWISE),
        ("LDS R0, [R2]", {"memory_l1_wavefronts_shared": 1}, DIFFERENT),
        ("LDS R0, [R2]", {"memory_l1_wavefronts_shared_ideal": 1}, DIFFERENT),
        ("LDS.128 R0, [R2]", {}, ANOTHER),
        ("LDS.U8 R0, [R2]", {}, ANOTHER),
        ("STS [R2], R0", {}, ANOTHER),
        ("LDSM.16.M88.4 R8, [R12]", {}, ANOTHER),
    ],
)
def test_a_line_is_compared_if_its_machine_instruction_is_the_access(
    text: str, more: Mapping[str, int], outcome: str
) -> None:
    """A predicate may switch off all lanes of a warp that executes it."""
    assert found(LOAD, text, **more).outcome == outcome


def test_copies_of_an_access_are_counted_together() -> None:
    """The loop that fills the memory makes its store 32 times."""
    rows = same(LOAD)
    place = next(i for i, row in enumerate(rows) if row[1] == "STS.128")
    line, text, counters = rows.pop(place)
    assert counters["inst_executed"] == 32
    quarter = (line, text, {name: count // 4 for name, count in counters.items()})
    assert {each.outcome for each in comparisons(LOAD, [*rows, *[quarter] * 4])} == {EQUAL}
    by_three = {each.outcome for each in comparisons(LOAD, [*rows, *[quarter] * 3])}
    assert by_three == {EQUAL, OTHERWISE}


def test_what_ptxas_leaves_out_or_adds_is_told() -> None:
    outcomes = Counter(each.outcome for each in comparisons(LOAD, [(1, "STL [R1], R0", {
        "memory_l2_theoretical_sectors_local": 4})]))  # fmt: skip
    assert outcomes == {NOTHING: len(same(LOAD)), ADDED: 1}
    case = accessing("shared", "red.shared.add.f32", 4)
    assert found(case, "ATOMS.CAST.SPIN R9, [R3], R4, R6").outcome == LOOP
    *_, none, all_ = table(comparisons(LOAD, []))
    assert none == f"| shared stores | 1 |{' 0 |' * 2} 1 |{' 0 |' * 6}"
    assert all_ == f"| all | {len(same(LOAD))} |{' 0 |' * 2} {len(same(LOAD))} |{' 0 |' * 6}"


# --- the record


def compared(found: list[Comparison]) -> float:
    return sum(each.outcome in (EQUAL, DIFFERENT) for each in found) / len(found)


@recorded
def test_every_kind_of_access_is_compared_in_each_pattern() -> None:
    """But for loops, and for loads that the profiler estimates: the hardware counts those alone."""
    record = json.loads(RECORD.read_text())
    names = [name for name in record["counters"] if name.startswith("access/")]
    assert len(names) == len(list(accesses()))
    left_out = Counter[tuple[str, str]]()
    for name in names:
        found = [*costs(record, [name])]
        left_out += Counter(
            (name, one.outcome) for one in found if one.outcome in (LOOP, ESTIMATED)
        )
        rest = [one for one in found if one.outcome not in (LOOP, ESTIMATED)]
        assert len(found) > 30 and compared(rest) > 0.95, name
    assert len(left_out) == 6
    assert left_out["access/ld.shared.v2.u64", ESTIMATED] == 47


@recorded
def test_the_hardware_counts_as_many_sectors_and_wavefronts() -> None:
    """Of all patterns together; a loop of compare-and-swaps loads more than its access does, and
    copies past L1 are counted otherwise."""
    hardware = json.loads(RECORD.read_text())["hardware"]
    other = set()
    for case in accesses():
        seen = hardware[case.name]
        if {name: seen.get(name, 0) for name in HARDWARE.values()} != totals(case):
            other.add(case.name)
    retried = ("add.u64", "max.u64", "add.f32", "add.f64")
    assert other == {
        *(f"access/atom.shared.{kind}" for kind in retried),
        "access/red.shared.add.f32",
        *(f"access/cp.async.cg.shared.global 16{read}" for read in ("", ", %n", ", %m1")),
    }
    constants = sum(len({*row} - {None}) for row in patterns())
    assert hardware["access/ld.const.u32"]["idc__requests.sum"] == constants + 1


@recorded
def test_a_copy_past_l1_is_counted_by_lines_and_halves_of_sectors() -> None:
    """The chunks of 16 bytes lie alike in global and in shared memory."""
    case = accessing("shared", "cp.async.cg.shared.global", 16, "[%a], [%c], 16")
    rows = rows_of(json.loads(RECORD.read_text())["counters"][case.name])
    counted = {line: row["memory_l1_wavefronts_shared"] for line, text, row in rows
               if text.startswith("LDGSTS")}  # fmt: skip
    known = [row for row in patterns() + pairs() if None not in row]
    for line, row in zip(sorted(counted), known, strict=True):
        halves = defaultdict[int, int](int)  # by sector, a bit for each
        for chunk in {chunk for chunk in row if chunk is not None}:
            halves[chunk // 2] |= 1 << chunk % 2
        assert counted[line] == len({(sector // 4, both) for sector, both in halves.items()}), row


@recorded
def test_most_accesses_of_kernels_are_compared() -> None:
    record = json.loads(RECORD.read_text())
    names = [name for name in record["counters"] if not name.startswith("access/")]
    assert len(names) > 350
    assert compared([*costs(record, names[::6])]) > 0.9


@recorded
@pytest.mark.parametrize("opcode", ["atom.shared.add.f32", "atom.shared.add.f64"])
def test_a_loop_goes_on_with_the_lanes_that_lost(opcode: str) -> None:
    size = int(opcode[-2:]) // 8
    case = accessing("shared", opcode, size)
    rows = rows_of(json.loads(RECORD.read_text())["counters"][case.name])
    counted = {line: row["inst_executed"] for line, text, row in rows if "CAST" in text}
    lines = [i for i, line in enumerate(case.text.split("\n"), 1) if f"@%q {opcode}" in line]
    known = patterns() + (pairs() if size == 8 else [])
    for line, row in zip(lines, known, strict=True):
        assert counted[line] == tries([None if i is None else size * i for i in row], size), row


def tries(lanes: Lanes, size: int) -> int:
    """In each, the first lane of each bank goes ahead, in each phase; but not if a lane of a phase
    before it has just changed its word."""
    left = [lane for lane, address in enumerate(lanes) if address is not None]
    together, number = min(WARP, WARP * BANK // size), 0
    while left:
        changed, first = set[int | None](), dict[tuple[int, int], int]()
        for lane in left:
            first.setdefault((lane // together, (lanes[lane] or 0) % LINE), lane)
        for lane in first.values():
            if lanes[lane] not in changed:
                left.remove(lane)
            changed.add(lanes[lane])
        number += 1
    return number
