"""What becomes of control flow: blocks end where they must, edges go where they must, and SSA form
stays well-formed in graphs that no compiler likes."""

from __future__ import annotations

import pytest

from analyses.graph import dominators, loops
from analyses.program import Block
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.barriers import met
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr

from .launches import kernels_of
from .structure import broken

REGISTERS = ".reg .pred %p, %q; .reg .b32 %r<6>; .shared .b32 s[32];"


def kernel_of(body: str) -> Kernel:
    """A kernel with this body, whose SSA form is well-formed."""
    (kernel,) = kernels_of(
        ".version 8.5\n.target sm_80\n.address_size 64\n"
        f".visible .entry k(.param .u32 n)\n{{ {REGISTERS}\n"
        f"mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 7; setp.eq.u32 %q, %r0, 3;\n{body}\n}}\n"
    )
    assert list(broken(kernel)) == []
    return kernel


def written(block: Block) -> list[str]:
    """The opcodes that somebody wrote."""
    return [i.text for i in block.instrs if isinstance(i, PtxInstr) and not i.synthetic]


def home(kernel: Kernel, opcode: str) -> Block:
    (found,) = [block for block in kernel.blocks if opcode in written(block)]
    return found


def after(kernel: Kernel, block: Block) -> list[Block]:
    """The next blocks with something in them, in the order of the targets."""
    found = []
    for target in block.terminator.targets:
        there = kernel.blocks[target]
        while not written(there) and len(there.terminator.targets) == 1:
            there = kernel.blocks[there.terminator.targets[0]]
        found.append(there)
    return found


def test_a_branch_without_a_predicate_ends_its_block() -> None:
    kernel = kernel_of("bra L; neg.s32 %r1, %r0; L: abs.s32 %r2, %r0; ret;")
    assert all("neg.s32" not in written(block) for block in kernel.blocks)
    assert after(kernel, kernel.blocks[0]) == [home(kernel, "abs.s32")]


def test_a_predicated_branch_in_mid_block_ends_it_and_falls_through() -> None:
    kernel = kernel_of("@%p bra L; neg.s32 %r1, %r0; L: abs.s32 %r2, %r0; ret;")
    assert after(kernel, kernel.blocks[0]) == [home(kernel, "abs.s32"), home(kernel, "neg.s32")]
    assert after(kernel, home(kernel, "neg.s32")) == [home(kernel, "abs.s32")]


def test_a_negated_predicate_branches_on_its_negation() -> None:
    kernel = kernel_of("@!%p bra L; neg.s32 %r1, %r0; L: abs.s32 %r2, %r0; ret;")
    entry = kernel.blocks[0]
    (negation,) = [i for i in entry.instrs if entry.terminator.condition in i.defs]
    assert isinstance(negation, PtxInstr) and negation.text == "not"


@pytest.mark.parametrize("leave", ["exit", "ret"])
def test_an_exit_under_a_predicate_leaves_the_others_going(leave: str) -> None:
    kernel = kernel_of(f"@%p {leave}; neg.s32 %r1, %r0; ret;")
    ended, rest = after(kernel, kernel.blocks[0])
    assert not ended.terminator.targets and written(rest) == ["neg.s32"]


def test_an_indexed_branch_goes_to_its_targets_in_order() -> None:
    kernel = kernel_of(
        "rem.u32 %r1, %r0, 3; T: .branchtargets A, B, A; brx.idx %r1, T;"
        "A: neg.s32 %r2, %r0; ret; B: abs.s32 %r2, %r0; ret;"
    )
    a, b = home(kernel, "neg.s32"), home(kernel, "abs.s32")
    assert after(kernel, kernel.blocks[0]) == [a, b, a]


def test_a_branch_to_the_next_instruction_is_no_branch() -> None:
    kernel = kernel_of("@%p bra L; L: neg.s32 %r1, %r0; ret;")
    assert all(block.terminator.condition is None for block in kernel.blocks)


def test_an_unreachable_block_is_gone() -> None:
    kernel = kernel_of("bra L; M: neg.s32 %r1, %r0; bra M; L: ret;")
    assert all("neg.s32" not in written(block) for block in kernel.blocks)


def test_a_loop_at_the_first_instruction_gets_an_entry_before_it() -> None:
    (kernel,) = kernels_of(
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n"
        "{ .reg .pred %p; .reg .b32 %r; L: mov.u32 %r, %clock; setp.lt.u32 %p, %r, 7;"
        "@%p bra L; ret; }"
    )
    assert list(broken(kernel)) == []
    assert not kernel.blocks[0].predecessors and not written(kernel.blocks[0])


def test_two_latches_become_one() -> None:
    kernel = kernel_of(
        "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; @%p bra L; setp.lt.u32 %q, %r1, 9; @%q bra L; ret;"
    )
    graph = [block.terminator.targets for block in kernel.blocks]
    (loop,) = loops(graph, dominators(graph)).values()
    assert loop.natural and len(loop.latches) == 1
    assert loop.head == home(kernel, "add.u32").index


def test_a_loop_with_two_entries_is_no_natural_loop() -> None:
    kernel = kernel_of(
        "mov.u32 %r1, 0; @%p bra M; L: neg.s32 %r1, %r1; M: abs.s32 %r1, %r1;"
        "setp.gt.s32 %q, %r1, %r0; @%q bra L; ret;"
    )
    graph = [block.terminator.targets for block in kernel.blocks]
    (loop,) = loops(graph, dominators(graph)).values()
    assert not loop.natural
    assert {home(kernel, "neg.s32").index, home(kernel, "abs.s32").index} <= loop.nodes


def test_a_guarded_computation_keeps_the_old_word_where_the_guard_is_false() -> None:
    kernel = kernel_of("mov.u32 %r1, 5; @%p neg.s32 %r1, %r0; abs.s32 %r2, %r1; ret;")
    (block,) = [b for b in kernel.blocks if b.instrs]
    names = [instr.text for instr in block.instrs if isinstance(instr, PtxInstr)]
    assert names[-3:] == ["neg.s32", "selp", "abs.s32"]


def test_a_guarded_access_has_a_mask() -> None:
    kernel = kernel_of("@%p st.shared.u32 [s], %r0; ret;")
    (store,) = [i for i in kernel.instructions if i.access is not None]
    assert store.access is not None and store.access.mask is not None


@pytest.mark.parametrize("together", ["bar.sync 0", "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1"])
def test_what_needs_all_lanes_gets_a_block_under_its_guard(together: str) -> None:
    kernel = kernel_of(f"mov.u32 %r1, 0; @%p {together}; neg.s32 %r2, %r1; ret;")
    inside, rest = after(kernel, kernel.blocks[0])
    assert written(inside) == [together.split()[0]] and written(rest) == ["neg.s32"]


def test_a_phi_has_a_word_for_each_way() -> None:
    kernel = kernel_of(
        "mov.u32 %r1, 1; @%p bra L; mov.u32 %r1, 2; @%q bra L; mov.u32 %r1, 3;"
        "L: st.shared.u32 [s], %r1; ret;"
    )
    (phi,) = [phi for block in kernel.blocks for phi in block.phis]
    assert len(phi.sources) == len(home(kernel, "st.shared.u32").predecessors) == 3


def test_a_branch_tells_both_sides_what_it_compared() -> None:
    kernel = kernel_of("@%p bra L; neg.s32 %r1, %r0; ret; L: abs.s32 %r1, %r0; ret;")
    (above,) = home(kernel, "neg.s32").assumes
    (below,) = home(kernel, "abs.s32").assumes
    assert (above.relation, above.swapped) == ("le_u", True)  # 7 <= tid
    assert (below.relation, below.swapped) == ("lt_u", False)  # tid < 7


def barriers_met(body: str) -> list[bool]:
    """Whether all threads are shown to wait at each barrier of the body."""
    kernel = kernel_of(body)
    facts = Facts(kernel, resolved([Contract(block=64)], kernel), "sm_80")
    return [
        met(facts, instr, block.index)
        for block in kernel.blocks
        for instr in facts.instructions(block)
        if instr.text.startswith("bar.sync")
    ]


def test_a_branch_to_a_trap_splits_no_threads() -> None:
    """It ends the launch: all threads come to the barrier behind it, or none does."""
    assert barriers_met("@%p bra L; trap; L: bar.sync 0; ret;") == [True]
    assert barriers_met("@%p bra L; @%q neg.s32 %r1, %r0; trap; L: bar.sync 0; ret;") == [True]
    looped = "M: add.s32 %r1, %r1, %r0; setp.gt.u32 %p, %r1, 99; @%p bra L; bra N;"
    assert barriers_met(f"mov.u32 %r1, 0; {looped} L: trap; N: bar.sync 0; ret;") == [True]


def test_the_way_to_a_trap_is_divergent() -> None:
    """Threads that wait there meet others behind it. Where every way ends in a trap, each is one
    as any other."""
    assert barriers_met("@%p bra L; bar.sync 0; trap; L: bar.sync 0; ret;") == [False, False]
    assert barriers_met("@%p bra L; neg.s32 %r1, %r0; bar.sync 0; L: trap;") == [False]
