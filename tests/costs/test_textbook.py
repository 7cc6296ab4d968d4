"""The textbook's cases, each with the answer that it is known for.

Sources: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and "Shared Memory and
Memory Banks"; M. Harris, "Optimizing Parallel Reduction in CUDA"; G. Ruetsch & P. Micikevicius,
"Optimizing Matrix Transpose in CUDA".
"""

from __future__ import annotations

from math import gcd

import pytest

from tests.observation.memory import sectors, wavefronts

from .kernels import accesses, cost_of, exact, text

STRIDES = range(1, 65)


@pytest.mark.parametrize(
    ("size", "phases", "lanes"), [(4, 1, 32), (8, 2, 16), (16, 4, 8)], ids=lambda x: str(x)
)
def test_a_stride_in_shared_memory_conflicts_by_its_common_divisor(
    size: int, phases: int, lanes: int
) -> None:
    """Words of 4, 8, 16 bytes go in 1, 2, 4 phases, in each of which the banks are as many as the
    lanes, and stride k falls into every gcd(k, banks)-th."""
    for k in STRIDES:
        found = cost_of(f"mul.lo.u32 %i, %t, {k * size};", size=size)
        assert (found.best, found.ideal) == (phases * gcd(k, lanes), phases), k


@pytest.mark.parametrize("size", [1, 2])
def test_a_stride_of_parts_of_words_in_shared_memory(size: int) -> None:
    """Lanes that share a word do not conflict; even strides of halves are those of words."""
    for k in STRIDES:
        found = cost_of(f"mul.lo.u32 %i, %t, {k * size};", size=size).best
        assert found == wavefronts(tuple(k * size * lane for lane in range(32)), size), k
        if k * size % 4 == 0:
            assert found == gcd(k * size // 4, 32), k


@pytest.mark.parametrize(("pitch", "column", "row"), [(32, 32, 1), (33, 1, 1), (34, 2, 1)])
def test_a_tile_of_32_rows(pitch: int, column: int, row: int) -> None:
    """The transpose: a column of a tile 32 wide is one bank, of a tile 33 wide all of them."""
    index = f"mad.lo.u32 %i, %{{}}, {pitch}, %{{}};\nshl.b32 %i, %i, 2;"
    assert cost_of(index.format("t", "u"), "32x32").best == column
    assert cost_of(index.format("u", "t"), "32x32").best == row


@pytest.mark.parametrize(("pitch", "wanted"), [(16, 32), (17, 2)])
def test_a_column_of_a_tile_of_16_doubles(pitch: int, wanted: int) -> None:
    """Each of the two phases has 16 threads: their doubles lie in one pair of banks, or in all."""
    index = f"mad.lo.u32 %i, %t, {pitch}, %u;\nshl.b32 %i, %i, 3;"
    assert cost_of(index, "16x16", size=8).best == wanted


def test_a_swizzled_column_is_free_of_conflicts() -> None:
    index = "xor.b32 %i, %t, %u;\nmad.lo.u32 %i, %t, 32, %i;\nshl.b32 %i, %i, 2;"
    assert cost_of(index, "32x32").best == 1


@pytest.mark.parametrize("words", [3, 4, 5])
def test_an_array_of_structures(words: int) -> None:
    """A field of structures of so many words: the warp spans all of them."""
    found = cost_of(f"mul.lo.u32 %i, %t, {4 * words};", "128", "global")
    assert (found.best, found.ideal) == (4 * words, 4)


@pytest.mark.parametrize("words", range(32))
def test_a_shifted_row(words: int) -> None:
    """A row of 32 words that begins off a sector's edge takes one more."""
    found = cost_of(f"shl.b32 %i, %t, 2;\nadd.u32 %i, %i, {4 * words};", "128", "global")
    assert (found.best, found.ideal) == (4 if words % 8 == 0 else 5, 4)


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16])
def test_a_stride_in_global_memory(stride: int) -> None:
    found = cost_of(f"mul.lo.u32 %i, %t, {4 * stride};", "128", "global")
    assert (found.best, found.ideal) == (min(4 * stride, 32), 4)


@pytest.mark.parametrize("block", ["8x4", "16x2", "16x16", "32x8", "24x3", "8x4x2", "5x5"])
def test_rows_of_a_block_in_two_dimensions(block: str) -> None:
    """Row y of the block begins 1024 bytes after row y - 1."""
    x, y, z = (*map(int, block.split("x")), 1)[:3]
    threads = [(i % x, i // x % y) for i in range(x * y * z)]
    warps = [[4 * a + 1024 * b for a, b in threads[i : i + 32]] for i in range(0, len(threads), 32)]
    wanted = max(sectors((*w,), 4) - max(1, -(-len(set(w)) * 4 // 32)) for w in warps)
    found = cost_of("mad.lo.u32 %i, %u, 256, %t;\nshl.b32 %i, %i, 2;", block, "global")
    assert found.best - found.ideal == wanted


@pytest.mark.parametrize("d", range(1, 33))
def test_the_first_lanes_alone(d: int) -> None:
    """``if (tid < d)``, by a branch and by a predicate: lanes that are off touch nothing."""
    index = "mul.lo.u32 %i, %t, 8;"
    branch = text(f"setp.ge.u32 %c1, %t, {d};\n@%c1 bra END;\n{index}\nSTORE\nEND:")
    predicate = text(f"setp.lt.u32 %c1, %t, {d};\n{index}").replace("st.", "@%c1 st.")
    for kernel in (branch, predicate):
        (access,) = accesses(kernel, "64")
        found = exact(access)
        assert (found.best, found.ideal) == (2 if d > 16 else 1, 1)


@pytest.mark.parametrize("first", ["even", "odd"])
def test_a_conflict_in_one_arm_only(first: str) -> None:
    """Lanes below 8 store a column, the others a row; both orders of the arms, in mid-block."""
    column = "shl.b32 %i, %t, 7;\nSTORE"
    row = "shl.b32 %i, %t, 2;\nSTORE"
    relation = "lt" if first == "even" else "ge"
    then, other = (column, row) if first == "odd" else (row, column)
    lines = f"""
setp.{relation}.u32 %c1, %t, 8;
@%c1 bra THEN;
{then}
bra JOIN;
THEN:
{other}
JOIN:
shl.b32 %i, %t, 2;
STORE
"""
    costs = [exact(access) for access in accesses(text(lines), "32")]
    by_arm = (1, 8) if first == "even" else (8, 1)
    assert [c.best for c in costs] == [*by_arm, 1]


SEQUENTIAL = """
mov.u32 %n, 64;
HEAD:
setp.ge.u32 %c1, %t, %n;
@%c1 bra NEXT;
shl.b32 %i, %t, 2;
STORE
NEXT:
shr.u32 %n, %n, 1;
setp.ne.u32 %c2, %n, 0;
bar.sync 0;
@%c2 bra HEAD;
bar.sync 0;
"""

INTERLEAVED = """
mov.u32 %n, 1;
HEAD:
shl.b32 %r1, %n, 1;
mul.lo.u32 %i, %r1, %t;
setp.ge.u32 %c1, %i, 128;
@%c1 bra NEXT;
shl.b32 %i, %i, 2;
STORE
NEXT:
shl.b32 %n, %n, 1;
setp.lt.u32 %c2, %n, 128;
bar.sync 0;
@%c2 bra HEAD;
bar.sync 0;
"""


def test_a_reduction_with_sequential_addresses_has_no_conflicts() -> None:
    (access,) = accesses(text(SEQUENTIAL), "128")
    assert [iteration.best for iteration in exact(access).iterations] == [1] * 7


def test_a_reduction_with_interleaved_addresses_doubles_its_conflict() -> None:
    """128 threads: strides 2, 4, ... 128, in lanes whose index stays below 128."""
    (access,) = accesses(text(INTERLEAVED), "128")
    assert [iteration.best for iteration in exact(access).iterations] == [2, 4, 4, 4, 4, 2, 1]


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        ("and.b32 %i, %t, 15;\nshl.b32 %i, %i, 2;", 1),  # each word asked by two lanes
        ("shr.u32 %i, %t, 1;\nshl.b32 %i, %i, 7;", 16),  # pairs share a word of one bank
        ("mov.u32 %i, 0;", 1),  # a broadcast
        ("rem.u32 %i, %t, 3;\nshl.b32 %i, %i, 7;", 3),
        ("div.u32 %i, %t, 3;\nshl.b32 %i, %i, 7;", 11),
        ("bfe.u32 %i, %t, 2, 3;\nshl.b32 %i, %i, 7;", 8),
        ("prmt.b32 %i, %t, 0, 0x4404;\nshr.u32 %i, %i, 1;", 32),  # lane * 2**7
        ("brev.b32 %i, %t;\nshr.u32 %i, %i, 25;", 1),  # a permutation of the words
        ("shfl.sync.bfly.b32 %i|%c1, %t, 5, 31, -1;\nshl.b32 %i, %i, 2;", 1),
        ("shfl.sync.up.b32 %i|%c1, %t, 1, 0, -1;\nshl.b32 %i, %i, 7;", 31),
    ],
)  # fmt: skip
def test_an_index_that_is_no_polynomial(index: str, wanted: int) -> None:
    assert cost_of(index).best == wanted


def test_an_index_may_have_any_number_of_operations() -> None:
    assert cost_of("shl.b32 %i, %t, 7;\n" + "xor.b32 %i, %i, 4;\n" * 2001).best == 32
