"""Matrix products by fragments (PTX ISA 9.4, "Warp Level Matrix Instructions Using wmma").

``wmma.load`` gives each lane a fragment of a matrix, ``wmma.mma`` multiplies fragments, and
``wmma.store`` puts one back. The manual does not say which elements a lane holds: a program only
passes fragments on, or treats all elements alike. So any distribution has its results. Here a lane
holds as many neighbours as each other one does, in the order in which A and B lie in memory, and in
the order of rows for C and D, which may be loaded and stored in either layout. A and B of halves
take eight registers: what one lane holds, again and again.

In memory a matrix is lines (rows, or columns), each ``stride`` elements behind the one before.
"""

from __future__ import annotations

from msgspec import Struct

from analyses.algebra import Algebra, MatrixProduct, V, element_bits
from analyses.hardware import WARP as LANES
from analyses.program import Effect
from ptxlint.isa.matrix import UNKNOWN, WARP, extents
from ptxlint.isa.row import Form, Row, op

AT = "warp-level-matrix-instructions-wmma-"
HALF_WORDS = 8  # of a fragment of A or B with elements of type f16

SQUARE = "m16n16k16 m8n32k16 m32n8k16"
SHAPES = {
    "f16 bf16 s8 u8": SQUARE,
    "tf32": "m16n16k8",
    "f64": "m8n8k4",
    "s4 u4": "m8n8k32",
    "b1": "m8n8k128",
}
SUMS = {
    "f16": SQUARE,
    "f32": f"{SQUARE} m16n16k8",
    "s32": f"{SQUARE} m8n8k32 m8n8k128",
    "f64": "m8n8k4",
}


class MatrixFragment(Struct, frozen=True):
    """What a lane holds of a matrix whose elements have so many ``bits``."""

    rows: int
    columns: int
    bits: int
    by_rows: bool  # in memory
    sums: bool  # a matrix C or D
    registers: int

    @classmethod
    def of(cls, form: Form) -> MatrixFragment:
        """The fragment that an instruction loads or stores."""
        m, n, k = extents(form)
        part = form.one_of("a", "b", "c", "d")
        rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
        sums = part in "cd"
        bits = element_bits(form.type.name)
        filled = rows * columns // LANES * bits // (64 if bits == 64 else 32)
        registers = HALF_WORDS if form.type.name == "f16" and not sums else filled
        return cls(rows, columns, bits, form.has("row"), sums, registers)

    @property
    def elements(self) -> int:
        """How many different elements a lane holds."""
        return self.rows * self.columns // LANES

    @property
    def line(self) -> int:
        """The elements of a line in memory."""
        return self.columns if self.by_rows else self.rows

    @property
    def in_order(self) -> bool:
        """True if what a lane holds are neighbours in memory."""
        return self.by_rows or not self.sums

    @property
    def run(self) -> int:
        """The bytes that a lane accesses at once."""
        return (self.elements if self.in_order else 1) * self.bits // 8

    @property
    def word(self) -> int:
        """The bits of a register."""
        return 64 if self.bits == 64 else 32

    @property
    def part(self) -> int:
        """The bits of an element of the vector that a lane accesses at once."""
        return min(self.word, 8 * self.run)


def held(o: Algebra[V], f: Form, *parts: V) -> V | tuple[V, ...]:
    """``wmma.load``: the registers of a fragment whose elements were loaded."""
    fragment, words = MatrixFragment.of(f), parts
    if fragment.part < fragment.word:
        words = tuple(o.concat(*parts[i : i + 2]) for i in range(0, len(parts), 2))
    words *= fragment.registers // len(words)
    return words[0] if len(words) == 1 else words


def given(o: Algebra[V], f: Form, *words: V) -> V | tuple[V, ...]:
    """``wmma.store``: the elements of a fragment as they are stored."""
    size = MatrixFragment.of(f).part
    parts = tuple(
        o.extract(size, at, word) for word in words for at in range(0, o.width(word), size)
    )
    return parts[0] if len(parts) == 1 else parts


def product(f: Form) -> MatrixProduct:
    sums, *factors = [kind.name for kind in f.types]
    a, b = factors[:2] if len(factors) > 1 else ("f16", "f16")
    layouts = tuple(word for word in f.written if word in ("row", "col"))
    return MatrixProduct(*extents(f), a, b, sums, f.has("satfinite"), layouts)


def multiplied(o: Algebra[V], f: Form, *words: V) -> V | tuple[V, ...]:
    """``wmma.mma``: of A and B the registers that are not there again."""
    p = product(f)
    if p.a == "f16":
        a, b = words[:HALF_WORDS], words[HALF_WORDS : 2 * HALF_WORDS]
        words = (*a[: p.registers_a], *b[: p.registers_b], *words[2 * HALF_WORDS :])
    results = o.matrix_product(p, *words)
    return results[0] if f.parts == 1 else results


def load(part: str, types: str, shape: str) -> Row:
    return op(f"wmma.load.part.sync.aligned.layout.{one(shape, 'shape')}{{.space}}{{.sub}}"
              f".{one(types, 'type')} d:words, [a]{{, b:u32}}", at=AT + "load", part=part,
              layout="row col", shape=shape, types=types, effects=WARP | Effect.LOAD,
              sem=held)  # fmt: skip


def store(types: str, shape: str) -> Row:
    return op(f"wmma.store.d.sync.aligned.layout.{one(shape, 'shape')}{{.space}}{{.sub}}"
              f".{one(types, 'type')} [a], b:words{{, c:u32}}", at=AT + "store",
              layout="row col", shape=shape, types=types, effects=WARP | Effect.STORE,
              sem=given)  # fmt: skip


def mma(shape: str, sums: str, factors: str, more: str = "") -> Row:
    return op(f"wmma.mma.sync.aligned.alayout.blayout.{one(shape, 'shape')}{more}"
              f".{sums}.{factors}.{factors}.{sums} d:words, a:words, b:words, c:words",
              at=AT + "mma", alayout="row col", blayout="row col", shape=shape, effects=WARP,
              sem=multiplied)  # fmt: skip


def one(choices: str, word: str) -> str:
    """The only choice, or the word that stands for them in a pattern."""
    return word if " " in choices else choices


def halves(dtype: str, ctype: str, modelled: bool = True, more: str = "") -> Row:
    kinds = f"{one(dtype, 'dtype')}.{one(ctype, 'ctype')}"
    return op(f"wmma.mma.sync.aligned.alayout.blayout.shape{more}.{kinds} "
              "d:words, a:words, b:words, c:words", at=AT + "mma", alayout="row col",
              blayout="row col", shape=SQUARE, dtype=dtype, ctype=ctype,
              effects=WARP if modelled else UNKNOWN,
              sem=multiplied if modelled else None)  # fmt: skip


ROWS = (
    *(load("a b", types, shape) for types, shape in SHAPES.items()),
    *(load("c", types, shape) for types, shape in SUMS.items()),
    *(store(types, shape) for types, shape in SUMS.items()),
    halves("f16", "f16"),
    halves("f32", "f32"),
    halves("f16 f32", "f16 f32", modelled=False, more="{.satfinite}"),
    mma(SQUARE, "f32", "bf16"),
    mma(SQUARE, "s32", "u8", "{.satfinite}"),
    mma(SQUARE, "s32", "s8", "{.satfinite}"),
    mma("m16n16k8", "f32", "tf32"),
    mma("m8n8k4", "f64", "f64", "{.rnd}"),
    mma("m8n8k32", "s32", "u4", "{.satfinite}"),
    mma("m8n8k32", "s32", "s4", "{.satfinite}"),
    op("wmma.mma.bits.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 "
       "d:words, a:words, b:words, c:words", at=AT + "mma", bits="xor and", effects=UNKNOWN),
)  # fmt: skip
