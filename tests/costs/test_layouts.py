"""Arrays of structures against numpy's, and their fixes against runs with every address moved."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from analyses.hardware import WARP
from analyses.traffic.costs import sectors
from analyses.traffic.layouts import ArrayOfStructures
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.fixes import fix_help, layout_fix, proposed_fix
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.simt import Observer, RunOptions, run
from tests.observation.launches import kernels_of

from .kernels import TYPES, WORDS

COUNT = 300


def structures() -> list[list[int]]:
    random = Random(3)
    return [random.choices((1, 2, 4, 8, 16), k=random.randint(1, 7)) for _ in range(60)]


@pytest.mark.parametrize("sizes", structures(), ids=str)
def test_fields_are_where_c_places_them(sizes: list[int]) -> None:
    """numpy's aligned records are C's structures; it has no type of 16 bytes that is aligned so."""
    layout = ArrayOfStructures.of_sizes(sizes)
    if 16 in sizes:
        assert all(start % size == 0 for start, size in layout.fields)
        assert layout.bytes % 16 == 0
        return
    record = np.dtype([(f"f{i}", f"u{size}") for i, size in enumerate(sizes)], align=True)
    assert layout.bytes == record.itemsize
    fields = record.fields
    assert fields is not None
    assert layout.fields == tuple((f[1], f[0].itemsize) for f in fields.values())


@pytest.mark.parametrize("sizes", structures()[:20], ids=str)
def test_a_structure_of_arrays_has_each_field_in_a_row(sizes: list[int]) -> None:
    layout = ArrayOfStructures.of_sizes(sizes)
    for start, size in layout.fields:
        first = layout.as_arrays(start)
        bytes_ = [start + element * layout.bytes + at for element in range(9) for at in range(size)]
        assert [layout.as_arrays(at) for at in bytes_] == [*range(first, first + 9 * size)]
        assert layout.holds(start + 5 * layout.bytes, size)
        assert not layout.holds(start + 5 * layout.bytes, size + 1)


# --- fixes


def kernel(layout: ArrayOfStructures, fields: list[int], index: str = "") -> str:
    """Loads some fields of the structure of each thread of a grid, if it is below n."""
    loads = [layout.fields[i] for i in fields]
    body = "\n".join(f"ld.global.{TYPES[b]} {WORDS[b]}, [%p+{at}];" for at, b in loads)
    return f"""
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {{
.reg .b16 %h; .reg .b32 %i, %t, %u, %n, %v, %v<4>; .reg .b64 %p, %q, %w; .reg .pred %c;
mov.u32 %i, %ctaid.x;
mov.u32 %n, %ntid.x;
mov.u32 %t, %tid.x;
mad.lo.u32 %i, %i, %n, %t;
{index}
ld.param.u32 %n, [n];
ld.param.u64 %p, [x];
setp.ge.u32 %c, %i, %n;
@%c bra END;
cvta.to.global.u64 %p, %p;
mul.wide.u32 %q, %i, {layout.bytes};
add.s64 %p, %p, %q;
{body}
END: ret;
}}
"""


class Moved(Observer):
    """The sectors of each load, the most of a warp, with its addresses moved."""

    def __init__(self, layout: ArrayOfStructures) -> None:
        self.layout = layout
        self.requests: dict[PtxInstr, list[tuple[NDArray[np.uint64], NDArray[np.bool_]]]] = (
            defaultdict(list)
        )

    def accessed(
        self,
        instr: PtxInstr,
        space: str,
        addresses: NDArray[np.uint64],
        active: NDArray[np.bool_],
    ) -> None:
        if space == "global":
            rows = addresses.reshape(-1, WARP).copy(), active.reshape(-1, WARP).copy()
            self.requests[instr] += zip(*rows, strict=True)

    def worst(self, instr: PtxInstr, start: int) -> int:
        return max(
            sectors(
                [
                    self.layout.as_arrays(int(at) - start) if on else None
                    for at, on in zip(row.tolist(), lanes.tolist(), strict=True)
                ],
                instr.access.bytes,
            )
            for row, lanes in self.requests[instr]
            if instr.access is not None
        )


def facts_of(ptx: str, layout: ArrayOfStructures, declared: bool, **launch: str) -> Facts:
    (found,) = kernels_of(ptx)
    layouts = [f"x={layout}"] if declared else []
    buffer = [f"x={layout.bytes}*{16 * COUNT}"]
    contract = Contract.of(**launch, buffer=buffer, layout=layouts, arg=[f"n={COUNT}"])
    return Facts(found, resolved([contract], found), "sm_80")


def hold(facts: Facts, layout: ArrayOfStructures) -> int:
    """Every fix that is proposed costs in a run what it promises; how many there are."""
    launch = facts.launch
    assert launch.block is not None and launch.grid is not None
    memory = Allocation.of(np.zeros(layout.bytes * 16 * COUNT, np.uint8))
    given = ConcreteLaunch.of(launch.block, launch.grid, 0, {"x": memory, "n": COUNT})
    moved = Moved(layout)
    outcome = run(facts.kernel, given, RunOptions(), moved)
    assert not outcome.faults
    start = min(int(row[on].min()) for all_ in moved.requests.values() for row, on in all_)
    start -= start % 256  # of the allocation
    found = 0
    for access in facts.accesses:
        fix = layout_fix(facts, access) if access.space == "global" else None
        if fix is not None:
            assert fix.cost == moved.worst(access.instr, start)
            found += 1
    return found


@pytest.mark.parametrize(
    ("sizes", "fields", "fixed"),
    [
        ([4, 4, 4], [0, 1, 2], 3),
        ([4, 4, 4], [0], 1),
        ([8, 4, 4], [0, 1, 2], 3),  # the first field is wider than the others
        ([4, 8, 1, 2], [0, 1, 3], 3),
        ([4, 4, 4, 4, 4], [0, 4], 2),
        ([16, 4], [0, 1], 2),
        ([8, 8, 8], [0, 2], 2),
        ([4], [0], 0),
    ],
)
def test_a_fix_costs_what_a_run_with_moved_addresses_counts(
    sizes: list[int], fields: list[int], fixed: int
) -> None:
    layout = ArrayOfStructures.of_sizes(sizes)
    facts = facts_of(kernel(layout, fields), layout, True, block="64", grid="4")
    assert hold(facts, layout) == fixed


@pytest.mark.parametrize("words", [3, 4])
@pytest.mark.parametrize(
    ("index", "cost"), [("", 4), ("add.u32 %i, %i, 8;", 4), ("add.u32 %i, %i, 3;", 5)]
)
def test_an_array_that_is_not_declared_is_fixed_by_the_distance_of_its_lanes(
    index: str, cost: int, words: int
) -> None:
    """Also behind an offset; where that is no sector of a field's array, one more is promised."""
    layout = ArrayOfStructures.of_sizes([4] * words)
    facts = facts_of(kernel(layout, [0, 2], index), layout, False, block="64", grid="4")
    assert hold(facts, layout) == 2
    proposed = [layout_fix(facts, a) for a in facts.accesses if a.space == "global"]
    assert [fix.cost for fix in proposed if fix is not None] == [cost, cost]


ROWS = "mov.u32 %u, %tid.y;\nmad.lo.u32 %i, %u, 64, %i;"


def test_a_declared_layout_is_counted_where_lanes_are_in_several_rows() -> None:
    """In blocks of 8 x 4 neighbouring lanes are not all at one distance."""
    layout = ArrayOfStructures.of_sizes([4, 4, 4])
    text = kernel(layout, [1], ROWS)
    declared, silent = (facts_of(text, layout, it, block="8x4", grid="8") for it in (True, False))
    assert hold(silent, layout) == 0
    assert hold(declared, layout) == 1
    (access,) = [a for a in declared.accesses if a.space == "global"]
    help_ = "make the array a structure of arrays, and it takes 4"
    assert fix_help(access, proposed_fix(declared, access), "") == help_


def test_a_layout_that_the_accesses_do_not_have_is_no_fix() -> None:
    layout = ArrayOfStructures.of_sizes([4, 4, 4])
    other = ArrayOfStructures.of_sizes([8, 4])
    (found,) = kernels_of(kernel(layout, [0, 1]))
    contract = Contract(block=64, buffers={"x": "12*n"}, layouts={"x": str(other)})
    facts = Facts(found, resolved([contract], found), "sm_80")
    assert all(layout_fix(facts, access) is None for access in facts.accesses)


@pytest.mark.parametrize("said", ["aos:4,3", "aos:", "soa:4,4", "4,4", "aos:4,4,32", "aos:4,,4"])
def test_what_is_no_layout_is_refused(said: str) -> None:
    with pytest.raises(ContractError, match="expected an array of structures, like aos:4,4,8"):
        Contract(buffers={"x": "8*n"}, layouts={"x": said})


def test_a_layout_needs_the_size_of_the_buffer() -> None:
    with pytest.raises(ContractError, match=r"layout x: its size is missing, --buffer x=BYTES"):
        Contract(layouts={"x": "aos:4,4"})


def test_where_the_first_structure_is_is_not_known() -> None:
    """It is a parameter: the first element of a warp may be anywhere in a sector."""
    layout = ArrayOfStructures.of_sizes([4] * 4)
    behind = "shl.b64 %w, %w, 4;\nadd.s64 %p, %p, %w;\nadd.s64 %p, %p, %q;"
    text = kernel(layout, [1]).replace("add.s64 %p, %p, %q;", f"ld.param.u64 %w, [f];\n{behind}")
    (found,) = kernels_of(text.replace(".param .u32 n", ".param .u32 n, .param .u64 f"))
    contract = Contract(block=64, grid=4, args={"f": (0, 100)}, buffers={"x": 1 << 20})
    facts = Facts(found, resolved([contract], found), "sm_80")
    assert [f.cost for a in facts.accesses if (f := layout_fix(facts, a))] == [5]
