"""Matrix products of a warp: fragments distributed over its lanes.

A lane is ``4 * g + t``. A register of A or B holds e neighbours along k (e = 32 / bits): those from
``t * e`` on, and each further register along k those 4 * e later; the row of A (column of B) is g,
or g + 8 in every other register if A has 16 rows. D has columns ``2 * t`` and the next of row g,
then of row g + 8. Source: PTX ISA 9.4, "Matrix Fragments for mma.m16n8k16" and its neighbours.
Fragments of ``wmma`` are runs of neighbours (``ptxlint/isa/wmma.py``).

The manual does not specify the order of sums. Here products are exact, they are added in the order
of k to C in binary64, and the sum is rounded once to D, to nearest even; for f64 each step is one
fused multiply-add. Integers wrap, or saturate at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyses.algebra import FloatMode, MatrixProduct, element_bits
from analyses.concrete import floats
from analyses.concrete.bitvectors import Array, BitVector
from analyses.hardware import WARP

GROUP, MEMBER = np.divmod(np.arange(WARP)[:, None, None], 4)


def multiply(p: MatrixProduct, words: Sequence[BitVector], warps: int) -> tuple[BitVector, ...]:
    """The words of D. Every word has all lanes of these warps, or one element for all lanes."""
    first, second = p.registers_a, p.registers_a + p.registers_b
    a, b, c = words[:first], words[first:second], words[second:]
    left, right, total = _bits(p.a, a, warps), _bits(p.b, b, warps), _bits(p.d, c, warps)
    if p.layouts:
        sizes = ((p.m, p.k), (p.k, p.n), (p.m, p.n))
        each = zip(sizes, (*p.layouts, "row"), (left, right, total), strict=True)
        of_a, of_b, places = (_runs(*size, layout, bits.shape[2:]) for size, layout, bits in each)
    else:
        of_a, of_b = _of_a(p, left.shape[2:]), _of_b(right.shape[2:])
        places = _of_d(total.shape[2:])
    rows, columns = _placed(left, (p.m, p.k), of_a), _placed(right, (p.k, p.n), of_b)
    result = _sums(p, rows, columns, _placed(total, (p.m, p.n), places))
    bits = result[(slice(None), *places)]
    return _words(p.d, bits, [word.width for word in c])


def _bits(name: str, words: Sequence[BitVector], warps: int) -> Array:
    """Elements as unsigned bits, by warp, lane, register and position in the register. Raises
    NotImplementedError for registers of different widths, which no shape has."""
    if len({word.width for word in words}) != 1:
        raise NotImplementedError("a matrix product of registers of unlike widths")
    size = element_bits(name)
    columns = []
    for word in words:
        bits = np.broadcast_to(word.bits, warps * WARP).reshape(warps, WARP).astype(np.uint64)
        shifts = np.arange(0, word.width, size, dtype=np.uint64)
        mask = np.uint64((1 << size) - 1) if size < 64 else np.uint64(0xFFFFFFFFFFFFFFFF)
        columns.append((bits[..., None] >> shifts) & mask)
    return np.stack(columns, axis=2)


def _of_a(p: MatrixProduct, shape: tuple[int, ...]) -> tuple[Array, Array]:
    register, i = np.arange(shape[0])[None, :, None], np.arange(shape[1])[None, None, :]
    halves = p.m // 8
    rows = GROUP + 8 * (register % halves) + 0 * i
    return rows, MEMBER * shape[1] + i + 4 * shape[1] * (register // halves)


def _of_b(shape: tuple[int, ...]) -> tuple[Array, Array]:
    register, i = np.arange(shape[0])[None, :, None], np.arange(shape[1])[None, None, :]
    rows = MEMBER * shape[1] + i + 4 * shape[1] * register
    return rows, GROUP + 0 * rows


def _of_d(shape: tuple[int, ...]) -> tuple[Array, Array]:
    element = np.arange(shape[0] * shape[1]).reshape(1, *shape)
    return GROUP + 8 * (element // 2), 2 * MEMBER + element % 2


def _runs(rows: int, columns: int, layout: str, shape: tuple[int, ...]) -> tuple[Array, Array]:
    element = np.arange(WARP * shape[0] * shape[1]).reshape(WARP, *shape)
    if layout == "row":
        return np.divmod(element, columns)
    column, row = np.divmod(element, rows)
    return row, column


def _placed(bits: Array, size: tuple[int, int], places: tuple[Array, Array]) -> Array:
    matrix = np.zeros((bits.shape[0], *size), np.uint64)
    matrix[(slice(None), *places)] = bits
    return matrix


def _numbers(name: str, bits: Array) -> Array:
    if name == "f64":
        return bits.view(np.float64)
    if name == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float64)
    if name in ("f32", "tf32", "bf16"):
        bits = bits << np.uint64(16) if name == "bf16" else bits
        bits = bits & np.uint64(0xFFFFE000) if name == "tf32" else bits
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    signed = bits.astype(np.int64)
    if name[0] == "s":
        size = element_bits(name)
        signed = (signed ^ (1 << (size - 1))) - (1 << (size - 1))
    return signed


def _sums(p: MatrixProduct, a: Array, b: Array, c: Array) -> Array:
    """The bits of D."""
    if p.d == "f64":
        for k in range(p.k):
            column, row = np.broadcast_arrays(a[:, :, k, None], b[:, None, k, :])
            words = [word.ravel() for word in (column, row, c)]
            c = floats.computed(floats.FUSE, 64, FloatMode(), *words).reshape(c.shape)
        return c
    with np.errstate(all="ignore"):
        left, right, total = _numbers(p.a, a), _numbers(p.b, b), _numbers(p.d, c)
        for k in range(p.k):
            total = total + left[:, :, k, None] * right[:, None, k, :]
        if p.d == "s32":
            total = total.clip(-(1 << 31), (1 << 31) - 1) if p.saturates else total
            return total.astype(np.uint64) & np.uint64(0xFFFFFFFF)
        number, bits = (np.float16, np.uint16) if p.d == "f16" else (np.float32, np.uint32)
        rounded = total.astype(number)
    canonical = (1 << (8 * rounded.itemsize - 1)) - 1
    return np.where(np.isnan(total), canonical, rounded.view(bits)).astype(np.uint64)


def _words(name: str, bits: Array, widths: Sequence[int]) -> tuple[BitVector, ...]:
    size = element_bits(name)
    words = []
    for register, width in enumerate(widths):
        shifts = np.arange(0, width, size, dtype=np.uint64)
        packed = (bits[:, :, register] << shifts).sum(axis=-1, dtype=np.uint64)
        words.append(BitVector(width, packed.reshape(-1).astype(f"u{width // 8}")))
    return tuple(words)
