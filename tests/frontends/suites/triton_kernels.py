"""Kernels of Triton."""
# ruff: noqa: N803

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import triton
import triton.language as tl

import ptxlint.triton
from ptxlint.results.report import Report
from tests.frontends.suites.case import Arrays, Case
from tests.frontends.suites.cupy_kernels import F, floats, integers, zeros

GRID = (4,)
N = 1000


def case(
    kernel: Any,
    arguments: Callable[[], Arrays],
    expected: Callable[..., Arrays],
    grid: Any = GRID,
    **options: Any,
) -> Case:
    def launch(arrays: Arrays) -> None:
        kernel[grid](*arrays, **options)

    def run(arrays: Arrays) -> None:
        with ptxlint.triton.interpret():
            launch(arrays)

    def check(arrays: Arrays) -> Report:
        return ptxlint.triton.check(kernel, grid, *arrays, **options)

    return Case(kernel.fn.__name__, arguments, expected, run, check, launch)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)


@triton.jit
def relu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.maximum(tl.load(x + i, i < n), 0.0), i < n)


@triton.jit
def leaky(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.store(out + i, tl.where(value > 0, value, 0.5 * value), i < n)


@triton.jit
def reverse(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + n - 1 - i, i < n), i < n)


@triton.jit
def stencil(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (i > 0) & (i < n - 1)
    total = tl.load(x + i - 1, inside) + tl.load(x + i + 1, inside)
    tl.store(out + i, total, inside)


@triton.jit
def clip(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.store(out + i, tl.minimum(tl.maximum(value, -1.0), 1.0), i < n)


@triton.jit
def absolute(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.abs(tl.load(x + i, i < n)), i < n)


@triton.jit
def saxpy(a, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, a * tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def gather(at, x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.load(at + i, i < n)
    tl.store(out + i, tl.load(x + place, i < n), i < n)


@triton.jit
def even(x, out, n, BLOCK: tl.constexpr):
    i = 2 * (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + i, tl.load(x + i, i < n), i < n)


@triton.jit
def fill(out, value, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, value, i < n)


@triton.jit
def iota(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, i, i < n)


@triton.jit
def convert(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n).to(tl.float32), i < n)


@triton.jit
def row_sums(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, i < columns, other=0)
    tl.store(out + row, tl.sum(values, axis=0))


@triton.jit
def row_maxima(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, i < columns, other=-1000000)
    tl.store(out + row, tl.max(values, axis=0))


@triton.jit
def row_loop(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, columns, BLOCK):
        total += tl.load(x + row * columns + start + i, start + i < columns, other=0)
    tl.store(out + row, tl.sum(total, axis=0))


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (i < rows) & (j < columns)
    tl.store(out + j * rows + i, tl.load(x + i * columns + j, inside), inside)


@triton.jit
def outer(x, y, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, i < rows), tl.load(y + j, j < columns)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    tl.store(out + i[:, None] * columns + j[None, :], a[:, None] * b[None, :], inside)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i, i < n, other=0), 1, i < n)


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, i < n, other=0), axis=0))


@triton.jit
def grid_stride(x, out, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) + 1.0, i < n)


@triton.jit
def every_other(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + 2 * i + 1, 2 * i + 1 < n), 2 * i + 1 < n)


@triton.jit
def rotated(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (i + 7) % n, i < n), i < n)


@triton.jit
def mixed(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, i < n), tl.load(y + i, i < n)
    tl.store(out + i, ((a ^ b) << 3) & 255, i < n)


@triton.jit
def column_sums(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    values = tl.load(x + i[:, None] * columns + j[None, :], inside, other=0)
    tl.store(out + j, tl.sum(values, axis=0), j < columns)


@triton.jit
def row_places(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, i < columns, other=-1000000)
    tl.store(out + row, tl.argmax(values, axis=0))


@triton.jit
def ordered(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def product(x, y, out, n: tl.constexpr):
    i = tl.arange(0, n)
    place = i[:, None] * n + i[None, :]
    tl.store(out + place, tl.dot(tl.load(x + place), tl.load(y + place)))


@triton.jit
def tiled_product(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.int32)
    for k in range(n):
        a, b = tl.load(x + i * n + k), tl.load(y + k * n + j)
        total += a[:, None] * b[None, :]
    tl.store(out + i[:, None] * n + j[None, :], total)


def one() -> Arrays:
    return [floats(), zeros(), N]


def two() -> Arrays:
    return [floats(), floats(seed=1), zeros(), N]


def table() -> Arrays:
    return [integers(4 * 100), zeros(4, np.int32), 100]


def rows(of: Callable[..., Any]) -> Callable[..., Arrays]:
    return lambda x, out, columns: [of(x.reshape(4, columns), axis=1)]


def cases() -> Iterator[Case]:
    b = {"BLOCK": 256}
    yield case(add, two, lambda x, y, out, n: [x + y], **b)
    yield case(scale, one, lambda x, out, n: [F(2) * x], **b)
    yield case(relu, one, lambda x, out, n: [np.maximum(x, F(0))], **b)
    yield case(leaky, one, lambda x, out, n: [np.where(x > 0, x, F(0.5) * x)], **b)
    yield case(reverse, one, lambda x, out, n: [x[::-1]], **b)
    middle = lambda x: x[:-2] + x[2:]  # noqa: E731
    yield case(
        stencil, one, lambda x, out, n: [np.concatenate([[0], middle(x), [0]]).astype(F)], **b
    )
    yield case(clip, one, lambda x, out, n: [np.clip(x, F(-1), F(1))], **b)
    yield case(absolute, one, lambda x, out, n: [np.abs(x)], **b)
    yield case(
        saxpy, lambda: [2.0, floats(), floats(seed=1), N], lambda a, x, y, n: [F(a) * x + y], **b
    )
    yield case(
        gather,
        lambda: [integers(high=50), floats(50), zeros(), N],
        lambda at, x, out, n: [x[at]],
        **b,
    )
    yield case(even, one, lambda x, out, n: [np.where(np.arange(n) % 2, F(0), x)], **b)
    yield case(fill, lambda: [zeros(), 2.5, N], lambda out, value, n: [out + F(value)], **b)
    yield case(iota, lambda: [zeros(kind=np.int32), N], lambda out, n: [np.arange(n)], **b)
    yield case(
        convert, lambda: [integers(), zeros(), N], lambda x, out, n: [x.astype(F)], num_warps=2, **b
    )
    yield case(row_sums, table, rows(np.sum), BLOCK=128)
    yield case(row_maxima, table, rows(np.max), BLOCK=128)
    yield case(row_loop, table, rows(np.sum), BLOCK=32, num_warps=1)
    yield case(
        transpose,
        lambda: [floats(20 * 48), zeros(20 * 48), 20, 48],
        lambda x, out, r, c: [x.reshape(r, c).T.reshape(-1)],
        (2, 3),
        BLOCK=16,
    )
    yield case(
        outer,
        lambda: [floats(30), floats(20, 1), zeros(600), 30, 20],
        lambda x, y, out, r, c: [np.outer(x, y).reshape(-1)],
        (2, 2),
        BLOCK=16,
    )
    yield case(
        histogram,
        lambda: [integers(high=16), zeros(16, np.int32), N],
        lambda x, out, n: [np.bincount(x, minlength=16)],
        **b,
    )
    yield case(
        scan,
        lambda: [integers(128), zeros(128, np.int32)],
        lambda x, out: [np.cumsum(x)],
        (1,),
        BLOCK=128,
    )
    yield case(
        total,
        lambda: [integers(), zeros(1, np.int32), N],
        lambda x, out, n: [np.array([x.sum()])],
        **b,
    )
    yield from more_cases()


def more_cases() -> Iterator[Case]:
    b = {"BLOCK": 256}
    yield case(grid_stride, one, lambda x, out, n: [x + F(1)], (2,), BLOCK=128)
    half = lambda x: np.concatenate([x[1::2], np.zeros(N // 2, F)])  # noqa: E731
    yield case(every_other, one, lambda x, out, n: [half(x)], **b)
    yield case(rotated, one, lambda x, out, n: [np.roll(x, -7)], **b)
    yield case(
        mixed,
        lambda: [integers(), integers(seed=1), zeros(kind=np.int32), N],
        lambda x, y, out, n: [((x ^ y) << 3) & 255],
        **b,
    )
    yield case(
        column_sums,
        lambda: [integers(20 * 48), zeros(48, np.int32), 20, 48],
        lambda x, out, r, c: [x.reshape(r, c).sum(axis=0)],
        (2,),
        ROWS=32,
        BLOCK=32,
    )
    yield case(row_places, table, rows(np.argmax), BLOCK=128)
    yield case(
        ordered,
        lambda: [integers(64), zeros(64, np.int32)],
        lambda x, out: [np.sort(x)],
        (1,),
        BLOCK=64,
    )
    square = lambda seed: integers(256, high=9, seed=seed).astype(np.float16)  # noqa: E731
    yield case(
        product,
        lambda: [square(0), square(1), zeros(256), 16],
        lambda x, y, out, n: [(x.reshape(n, n).astype(F) @ y.reshape(n, n).astype(F)).reshape(-1)],
        (1,),
    )
    yield case(
        tiled_product,
        lambda: [integers(1024), integers(1024, seed=1), zeros(1024, np.int32), 32],
        lambda x, y, out, n: [(x.reshape(n, n) @ y.reshape(n, n)).reshape(-1)],
        (2, 2),
        BLOCK=16,
    )


CASES = list(cases())


@triton.jit
def beyond(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0, i <= n)


@triton.jit
def unmasked(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0)


@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + 2 * i, 1.0, i < n)


@triton.jit
def before(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i - 1, 1.0, i < n)


@triton.jit
def raced(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i // 2, i.to(tl.float32), i < n)


DEFECTS = (beyond, unmasked, doubled, before, raced)
"""Kernels with a defect in their third line."""


def defects() -> Iterator[tuple[str, int, Report]]:
    for kernel in DEFECTS:
        function = kernel.fn
        report = ptxlint.triton.check(kernel, GRID, *one(), BLOCK=256)
        yield function.__name__, function.__code__.co_firstlineno + 3, report
