"""What a device is told and what becomes of the answer, with the interpreter in its place; and the
record of a device, replayed without one."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from ctypes import Array, string_at
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from ptxlint.contracts.launch import PointerArgument
from ptxlint.simt import Allocation, RunOptions, run
from tests.isa import case as isa
from tests.isa.table import CASES

from . import record as record_
from .accesses import accesses, accessing
from .counts import counted, machine_text
from .driver import ALIGNED, Driver, DriverError
from .instructions import MOST_PLACE, SLOT, folded, instruction
from .launches import Case, assembled, corpus, lined, packed
from .measure import OF_INSTRUCTIONS
from .randomly import BYTES, drawn, settled
from .record import (
    RECORD,
    apart,
    case_of,
    differences_from,
    explanations,
    kept,
    other_words,
    recorded,
    unexplained,
)
from .sanitizers import other_faults

EVERY = 12  # of so many launches of a kind one is replayed
DEVICE = {"device": "stand-in", "driver": "0"}
needs_ptxas = pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")


class StandIn:
    """A driver that runs the kernel of a case on the interpreter, with what it is told alone."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.memory: dict[int, bytearray] = {}
        self.code = 0

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: 0

    def cuGetErrorName(self, code: int, said: Any) -> int:  # noqa: N802
        said._obj.value = b"CUDA_ERROR_ILLEGAL_ADDRESS"
        return 0

    def cuMemAlloc_v2(self, start: Any, size: Any) -> int:  # noqa: N802
        start._obj.value = (1 << 40) * (1 + len(self.memory))
        self.memory[start._obj.value] = bytearray(size.value)
        return 0

    def place(self, address: int) -> tuple[bytearray, int]:
        start = address - address % (1 << 40)
        return self.memory[start], address - start

    def cuMemcpyHtoD_v2(self, address: Any, data: bytes, size: Any) -> int:  # noqa: N802
        memory, first = self.place(address.value)
        memory[first : first + size.value] = data
        return 0

    def cuMemcpyDtoH_v2(self, left: Array[Any], address: Any, size: Any) -> int:  # noqa: N802
        memory, first = self.place(address.value)
        left.raw = bytes(memory[first : first + size.value])
        return self.code

    def cuLaunchKernel(self, function: Any, *told: Any) -> int:  # noqa: N802
        kernel, pointers = self.case.kernel, told[8]
        shape = [word.value for word in told[:7]]
        regions = {p.region: p.region.size or p.size for p in kernel.parameters}
        words = {r: string_at(pointers[i], n) for i, (r, n) in enumerate(regions.items())}
        arguments: list[Any] = []
        firsts: list[int] = []  # by argument
        for formal in kernel.arguments:
            word = words[formal.region][formal.offset : formal.offset + formal.size]
            number = int.from_bytes(word, "little")
            firsts.append(number)
            declared = self.case.launch.arguments[formal.index]
            if isinstance(declared, PointerArgument):
                after = number - firsts[declared.base]
                arguments.append(PointerArgument(declared.base, after))
            elif formal.type.startswith("f"):
                arguments.append(np.frombuffer(word, f"f{formal.size}").item())
            elif formal.size == 8 and number >> 40 in range(1, len(self.memory) + 1):
                memory, first = self.place(number)
                data = np.frombuffer(bytes(memory[first:]), np.uint8)
                arguments.append(Allocation(data.size, data, first or ALIGNED))
            else:
                arguments.append(number)
        launch = replace(self.case.launch, grid=tuple(shape[:3]), block=tuple(shape[3:6]),
                         shared=shape[6], arguments=tuple(arguments))  # fmt: skip
        left = run(kernel, launch, self.case.options).buffers
        for memory, buffer in zip(self.memory.values(), left, strict=True):
            memory[len(memory) - len(buffer) :] = bytes(buffer)
        return 0


@pytest.mark.parametrize("case", [*corpus("compilers", "regressions")], ids=lambda case: case.name)
def test_a_device_is_told_the_whole_launch(case: Case) -> None:
    left = Driver(StandIn(case)).launched(packed(case), b"")
    assert left == case.left(case.interpreted())


def test_what_the_driver_says_is_told() -> None:
    case = next(corpus("compilers"))
    stand_in = StandIn(case)
    stand_in.code = 700
    with pytest.raises(DriverError, match="cuMemcpyDtoH_v2: CUDA_ERROR_ILLEGAL_ADDRESS"):
        Driver(stand_in).launched(packed(case), b"")


@needs_ptxas
def test_every_access_stands_on_a_line_of_its_own_number() -> None:
    for case in corpus("compilers"):
        text = lined(case.text)
        assembled(text)
        told = {int(line.split()[2]) for line in text.splitlines() if line.startswith(".loc")}
        assert {line for line, _ in counted(case)} <= told, case.name
    with pytest.raises(ValueError, match="line 2; "):
        assembled(".target sm_90\nnonsense\n")


@pytest.mark.parametrize("number", range(0, len(CASES), 40))
def test_a_kernel_gives_what_its_instruction_gives(number: int) -> None:
    """Of each row of operands all results, the carry last."""
    case = CASES[number]
    if any(role.type == "words" for role in case.roles):
        return
    launched = instruction(number, case)
    outcome = launched.interpreted()
    assert not outcome.faults
    kinds, rows = isa.arguments(case)
    results = isa.result_types(case)
    slots = bytes(outcome.buffers[1])
    for i, row in enumerate(rows):
        own = slots[i * SLOT * len(results) :]
        got = [
            int.from_bytes(own[SLOT * j : SLOT * (j + 1)], "little") for j in range(len(results))
        ]
        assert got == isa.expected(case, kinds, row, results), (str(case), row)


@needs_ptxas
@pytest.mark.parametrize("seed", [20, 30, 37])
def test_a_random_kernel_leaves_its_registers_in_every_order(seed: int) -> None:
    case = drawn(seed)
    assembled(lined(case.text))
    assert settled(case)
    threads = np.frombuffer(case.left(case.interpreted())[-1], np.uint8).reshape(-1, BYTES)
    ended = threads[:, -16] >= 64  # of those that came to the end, the predicates have one bit more
    assert ended.any() and threads[ended, :-16].any()


@needs_ptxas
def test_a_kernel_that_depends_on_the_order_is_left_out() -> None:
    assert not any(settled(drawn(seed)) for seed in range(3))


@pytest.mark.parametrize("number", range(0, 70, 9))
def test_an_access_has_one_outcome_in_every_order(number: int) -> None:
    case = [*accesses()][number]
    alone = RunOptions(max_steps=100 * case.max_steps)
    orders = [replace(alone, schedule=order) for order in range(3)]
    outcomes = [run(case.kernel, case.launch, options) for options in (case.options, *orders)]
    assert not any(outcome.faults or outcome.exhausted for outcome in outcomes)
    assert len({tuple(case.left(outcome)) for outcome in outcomes}) == 1


# --- the record


def test_no_two_words_are_the_same() -> None:
    expected = np.array([0.0, 1.0, -1.0, 2.0], np.float32)
    for place, other in ((0, -0.0), (1, 1 + 2**-23), (2, np.nextafter(np.float32(-1), 0))):
        left = expected.copy()
        left[place] = other
        one, two = left.tobytes(), expected.tobytes()
        assert apart(kept(one, two), two) == "1 of 4 words, up to 1 apart"
        assert apart(kept(two, two), two) == "" and apart(kept(two, one), one)
    assert apart(kept(b"12345", b"12346"), b"12346") == "1 of 2 words, up to 1 apart"


def answers(cases: list[Case], folder: Path) -> None:
    """What a device leaves in the folder that does what the interpreter does."""
    (folder / "device.json").write_text(json.dumps(DEVICE))
    with (folder / "corpus.results").open("wb") as file:
        for case in cases:
            pickle.dump((case.name, case.left(case.interpreted())), file)
    with (folder / "corpus.counters").open("w") as out:
        for case in cases:
            rows = [
                [line, machine_text(min(own.kinds)), own.counters(space)]
                for (line, space), own in counted(case).items()
            ]
            out.write(json.dumps([case.name, {}, rows]) + "\n")


def test_a_device_that_does_the_same_leaves_nothing_to_explain(tmp_path: Path) -> None:
    answers([*corpus("compilers"), accessing("local", "st.local.u32", 4)], tmp_path)
    record = json.loads(recorded(tmp_path))
    assert len(record["left"]) == len(record["counters"]) > 20
    assert unexplained(record) == []


def test_other_words_and_other_counts_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = accessing("shared", "ld.shared.u64", 8)
    answers([case], tmp_path)
    record = json.loads(recorded(tmp_path))
    _, x, y = case.left(case.interpreted())
    other = np.frombuffer(y, np.int32) + np.where(np.arange(64) == 9, 3, 0).astype(np.int32)
    record["left"][case.name] = ["other", kept(x, x), kept(other.tobytes(), y)]
    sass, counters, lines = next(row for row in record["counters"][case.name] if row[1][-1])
    counters[-1] += 1
    words, few, *counts = unexplained(record)
    assert words == f"{case.name}: other words in buffer 0"
    assert few == f"{case.name}: 1 of 64 words, up to 3 apart in buffer 2"
    said = f"{OF_INSTRUCTIONS[-1]} {counters[-1] - 1}, on the device {counters[-1]}"
    assert counts == [f"{case.name}:{line} shared, {sass}: {said}" for line in lines]
    rows = [f"[[explained]]\ndifference = '{re.escape(one)}'\nwhy = 'for a test'" for one in
            (words, few, *counts)]  # fmt: skip
    monkeypatch.setattr(record_, "EXPLAINED", tmp_path / "explained.toml")
    record_.EXPLAINED.write_text("\n".join(rows))
    assert unexplained(record) == []


def test_what_a_sanitizer_alone_finds_is_told() -> None:
    case = case_of("flawed/saxpy_unguarded")
    assert not [*other_faults(case, {"memcheck": "Invalid write", "racecheck": ""})]
    (race,) = other_faults(case, {"memcheck": "Invalid write", "racecheck": "hazard"})
    assert race == f"{case.name}: racecheck says 'hazard', a run 'nothing'"
    (fault,) = other_faults(case, {"memcheck": ""})
    assert fault == f"{case.name}: memcheck says 'nothing', a run 'out-of-bounds'"


@pytest.mark.parametrize(
    ("opcode", "further", "admitted"),
    [("tanh.approx.f32", 4000, True), ("tanh.approx.f32", 9000, False),
     ("ex2.approx.f32", 2, True), ("ex2.approx.f32", 3, False), ("add.rn.f32", 1, False)],
)  # fmt: skip
def test_an_approximation_may_be_as_far_apart_as_the_manual_says(
    opcode: str, further: int, admitted: bool
) -> None:
    number = next(i for i, case in enumerate(CASES) if case.opcode == opcode)
    case = instruction(number, CASES[number])
    given, expected = case.left(case.interpreted())
    words = np.frombuffer(expected, np.int32).reshape(-1, SLOT // 4).copy()
    ordinary = (words[:, 0] > 0x3F000000) & (words[:, 0] < 0x3F800000)
    words[ordinary, 0] -= further
    left = [kept(given, given), kept(words.tobytes(), expected)]
    assert ordinary.any()
    assert (not [*other_words({"left": {case.name: left}}, [case.name])]) is admitted


@pytest.mark.skipif(not RECORD.exists(), reason="no device has been measured")
def test_the_record_of_a_device_holds() -> None:
    assert unexplained(json.loads(RECORD.read_text()), EVERY) == []


@pytest.mark.slow
@pytest.mark.skipif(not RECORD.exists(), reason="no device has been measured")
def test_the_record_of_a_device_holds_and_every_explanation_is_needed() -> None:
    record = json.loads(RECORD.read_text())
    lines = [*differences_from(record)]
    known = explanations()
    assert [line for line in lines if not any(p.match(line) for p in known)] == []
    assert [p.pattern for p in known if not any(map(p.match, lines))] == []


@needs_ptxas
def test_of_constants_an_instruction_gives_what_it_gives_of_registers() -> None:
    """The first thread, and the first choice of constants."""
    number = next(i for i, case in enumerate(CASES) if case.opcode == "bfe.s32")
    own, case = CASES[number], folded(number, CASES[number])
    assert case is not None and assembled(case.text)
    outcome = case.interpreted()
    kinds, rows = isa.arguments(own)
    (left,) = isa.expected(own, kinds, rows[0], isa.result_types(own))
    assert not outcome.faults and max(rows[0][1:]) <= MOST_PLACE
    assert int.from_bytes(bytes(outcome.buffers[1])[:4], "little") == left
    assert folded(0, next(one for one in CASES if one.opcode == "div.rn.f64")) is None
