"""Kernels of Numba: Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import cuda, float32, int32

import ptxlint.numba
from ptxlint.results.report import Report
from tests.frontends.suites.case import Arrays, Case
from tests.frontends.suites.cupy_kernels import BLOCK, GRID, F, N, floats, integers, one, two, zeros


def case(
    kernel: Any,
    arguments: Callable[[], Arrays],
    expected: Callable[..., Arrays],
    grid: Any = GRID,
    block: Any = BLOCK,
    shared: int = 0,
) -> Case:
    configured = (grid, block, 0, shared)

    def launch(arrays: Arrays) -> None:
        kernel[configured](*arrays)

    def run(arrays: Arrays) -> None:
        with ptxlint.numba.interpret():
            launch(arrays)

    def check(arrays: Arrays) -> Report:
        return ptxlint.numba.check(kernel[configured], *arrays)

    return Case(kernel.py_func.__name__, arguments, expected, run, check, launch)


@cuda.jit
def scale(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = float32(2) * x[i]


@cuda.jit
def square(x, out, n):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * x[i]


@cuda.jit
def relu(x, out, n):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = max(x[i], float32(0))


@cuda.jit
def clip(x, out, n):
    i = cuda.grid(1)
    if i < len(x):
        out[i] = min(max(x[i], float32(-1)), float32(1))


@cuda.jit
def leaky(x, out, n):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i < n:
        if x[i] > 0:
            out[i] = x[i]
        else:
            out[i] = float32(0.5) * x[i]


@cuda.jit
def inverse(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = float32(1) / (x[i] * x[i] + float32(1))


@cuda.jit
def backwards(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[n - 1 - i]


@cuda.jit
def rotated(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[(i + 7) % n]


@cuda.jit
def grid_stride(x, out, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        out[i] = x[i] + float32(1)


@cuda.jit
def stencil(x, out, n):
    i = cuda.grid(1)
    if i > 0 and i < n - 1:
        out[i] = x[i - 1] - float32(2) * x[i] + x[i + 1]


@cuda.jit
def even(x, out, n):
    i = cuda.grid(1)
    if 2 * i < n:
        out[2 * i] = x[2 * i]


@cuda.jit
def add(x, y, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[i] + y[i]


@cuda.jit
def distance(x, y, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = abs(x[i] - y[i])


@cuda.jit
def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] += a * x[i]


@cuda.jit
def gather(at, x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[at[i]]


@cuda.jit
def histogram(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, x[i], 1)


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = cuda.popc(x[i])


@cuda.jit
def transpose(x, out):
    tile = cuda.shared.array((16, 17), float32)
    column, row = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    row = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def row_sums(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = int32(0)
        for k in range(x.shape[1]):
            total += x[i, k]
        out[i] = total


@cuda.jit
def column_sums(x, out):
    i = cuda.grid(1)
    if i < x.shape[1]:
        total = int32(0)
        for k in range(x.shape[0]):
            total += x[k, i]
        out[i] = total


@cuda.jit
def product(x, y, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = int32(0)
        for k in range(x.shape[1]):
            total += x[i, k] * y[k, j]
        out[i, j] = total


@cuda.jit
def tiled_product(x, y, out):
    a = cuda.shared.array((8, 8), int32)
    b = cuda.shared.array((8, 8), int32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = int32(0)
    for t in range(x.shape[0] // 8):
        a[ty, tx] = x[i, t * 8 + tx]
        b[ty, tx] = y[t * 8 + ty, j]
        cuda.syncthreads()
        for k in range(8):
            total += a[ty, k] * b[k, tx]
        cuda.syncthreads()
    out[i, j] = total


@cuda.jit
def block_sums(x, out, n):
    part = cuda.shared.array(128, int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < n else 0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def shuffled_sums(x, out, n):
    i = cuda.grid(1)
    total = x[i] if i < n else int32(0)
    step = 16
    while step > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, cuda.blockIdx.x, total)


@cuda.jit
def block_reversed(x, out):
    part = cuda.shared.array(0, int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i]
    cuda.syncthreads()
    out[i] = part[cuda.blockDim.x - 1 - t]


@cuda.jit
def outer(x, y, out):
    i, j = cuda.grid(2)
    if i < x.size and j < y.size:
        out[i, j] = x[i] * y[j]


@cuda.jit
def diagonal(x, out):
    i = cuda.grid(1)
    if i < min(x.shape[0], x.shape[1]):
        out[i] = x[i, i]


@cuda.jit
def strided(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def cube(x, out):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        out[i, j, k] = -x[i, j, k]


@cuda.jit
def complex_scale(x, factor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * factor.real + factor.imag


def blocks() -> Arrays:
    return [integers(512), zeros(4, np.int32), 512]


def sums(x: Any, out: Any, n: int) -> Arrays:
    return [x.reshape(-1, 128).sum(axis=1)]


def plane(rows: int, columns: int, seed: int = 0) -> Any:
    return integers(rows * columns, seed=seed).reshape(rows, columns)


def cases() -> Iterator[Case]:
    yield case(scale, one, lambda x, out, n: [F(2) * x])
    yield case(square, one, lambda x, out, n: [x * x])
    yield case(relu, one, lambda x, out, n: [np.maximum(x, F(0))])
    yield case(clip, one, lambda x, out, n: [np.clip(x, F(-1), F(1))])
    yield case(leaky, one, lambda x, out, n: [np.where(x > 0, x, F(0.5) * x)])
    yield case(inverse, one, lambda x, out, n: [F(1) / (x * x + F(1))])
    yield case(backwards, one, lambda x, out, n: [x[::-1]])
    yield case(rotated, one, lambda x, out, n: [np.roll(x, -7)])
    yield case(grid_stride, one, lambda x, out, n: [x + F(1)], 2, 128)
    middle = lambda x: x[:-2] - F(2) * x[1:-1] + x[2:]  # noqa: E731
    yield case(stencil, one, lambda x, out, n: [np.concatenate([[0], middle(x), [0]]).astype(F)])
    yield case(even, one, lambda x, out, n: [np.where(np.arange(n) % 2, F(0), x)])
    yield case(add, two, lambda x, y, out, n: [x + y])
    yield case(distance, two, lambda x, y, out, n: [np.abs(x - y)])
    yield case(saxpy, lambda: [N, F(2), floats(), floats(seed=1)], lambda n, a, x, y: [a * x + y])
    yield case(
        gather,
        lambda: [integers(high=50), floats(50), zeros(), N],
        lambda at, x, out, n: [x[at]],
    )
    yield case(
        histogram,
        lambda: [integers(high=16), zeros(16, np.int32)],
        lambda x, out: [np.bincount(x, minlength=16)],
    )
    yield case(
        bits,
        lambda: [integers(), zeros(kind=np.int32)],
        lambda x, out: [np.array([bin(v).count("1") for v in x.tolist()])],
    )
    yield case(
        transpose,
        lambda: [floats(20 * 48).reshape(20, 48), zeros((48, 20))],
        lambda x, out: [x.T],
        (3, 2),
        (16, 16),
    )
    yield case(row_sums, lambda: [plane(20, 48), zeros(20, np.int32)],
               lambda x, out: [x.sum(axis=1)], 1, 32)  # fmt: skip
    yield case(column_sums, lambda: [plane(20, 48), zeros(48, np.int32)],
               lambda x, out: [x.sum(axis=0)], 2, 32)  # fmt: skip
    yield case(product, lambda: [plane(20, 8), plane(8, 24, 1), zeros((20, 24), np.int32)],
               lambda x, y, out: [x @ y], (2, 2), (16, 16))  # fmt: skip
    yield case(tiled_product, lambda: [plane(16, 16), plane(16, 16, 1), zeros((16, 16), np.int32)],
               lambda x, y, out: [x @ y], (2, 2), (8, 8))  # fmt: skip
    yield case(block_sums, blocks, sums, 4, 128)
    yield case(shuffled_sums, blocks, sums, 4, 128)
    yield case(block_reversed, lambda: [integers(128), zeros(128, np.int32)],
               lambda x, out: [x.reshape(2, 64)[:, ::-1].reshape(-1)], 2, 64, 256)  # fmt: skip
    yield case(outer, lambda: [floats(30), floats(20, 1), zeros((30, 20))],
               lambda x, y, out: [np.outer(x, y)], (2, 2), (16, 16))  # fmt: skip
    yield case(diagonal, lambda: [floats(300).reshape(20, 15), zeros(15)],
               lambda x, out: [x.diagonal()], 1, 32)  # fmt: skip
    yield case(strided, lambda: [floats(2000)[::2], zeros()], lambda x, out: [x])
    yield case(cube, lambda: [floats(360).reshape(5, 8, 9), zeros((5, 8, 9))],
               lambda x, out: [-x], (2, 2, 3), (4, 4, 4))  # fmt: skip
    yield case(
        complex_scale,
        lambda: [floats(), np.complex64(2 + 3j), zeros()],
        lambda x, factor, out: [x * F(2) + F(3)],
    )


CASES = list(cases())


@cuda.jit
def beyond(x, out, n):
    i = cuda.grid(1)
    if i <= n:
        out[i] = float32(1)


@cuda.jit
def before(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[n - i] = float32(1)


@cuda.jit
def doubled(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[2 * i] = float32(1)


@cuda.jit
def unguarded(x, out, n):
    i = cuda.grid(1)
    if n > 0:
        out[i] = float32(1)


@cuda.jit
def raced(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i // 2] = float32(i)


@cuda.jit
def moved(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i + 1] = float32(1)


DEFECTS = (beyond, before, doubled, unguarded, raced, moved)
"""Kernels with a defect in their fourth line."""


def defects() -> Iterator[tuple[str, int, Report]]:
    for kernel in DEFECTS:
        function = kernel.py_func
        report = ptxlint.numba.check(kernel[GRID, BLOCK], *one())
        yield function.__name__, function.__code__.co_firstlineno + 4, report
