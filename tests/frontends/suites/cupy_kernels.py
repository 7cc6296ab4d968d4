"""Kernels of CuPy: CUDA C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import ptxlint.cupy
from ptxlint.contracts.captured import triple
from ptxlint.results.report import Report
from tests.frontends.suites.case import Arrays, Case

N, GRID, BLOCK = 1000, 4, 256
HEAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
F = np.float32


def floats(count: int = N, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(-64, 64, count).astype(F) / F(8)


def integers(count: int = N, low: int = 0, high: int = 1000, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(low, high, count, np.int32)


def zeros(count: int = N, kind: Any = F) -> Any:
    return np.zeros(count, kind)


def written(name: str, parameters: str, body: str) -> str:
    return f'extern "C" __global__ void {name}({parameters}) {{\n    {HEAD}\n{body}\n}}\n'


@cache
def kernel(name: str, parameters: str, body: str) -> ptxlint.cupy.RawKernel:
    return ptxlint.cupy.RawKernel(written(name, parameters, body), name)


def case(
    name: str,
    parameters: str,
    body: str,
    arguments: Callable[[], Arrays],
    expected: Callable[..., Arrays],
    grid: Any = GRID,
    block: Any = BLOCK,
    shared: int = 0,
) -> Case:
    def run(arrays: Arrays) -> None:
        kernel(name, parameters, body)(grid, block, arrays, shared_mem=shared)

    def check(arrays: Arrays) -> Report:
        return kernel(name, parameters, body).check(grid, block, arrays, shared_mem=shared)

    def launch(arrays: Arrays) -> None:
        import cupy

        typed = [np.int32(one) if isinstance(one, int) else one for one in arrays]
        on_device = cupy.RawKernel(written(name, parameters, body), name)
        on_device(triple(grid), triple(block), typed, shared_mem=shared)

    return Case(name, arguments, expected, run, check, launch)


UNARY = "const float* x, float* out, int n"
BINARY = "const float* x, const float* y, float* out, int n"


def one() -> Arrays:
    return [floats(), zeros(), N]


def two() -> Arrays:
    return [floats(), floats(seed=1), zeros(), N]


def elementwise() -> Iterator[Case]:
    unary = {
        "scale": ("2.0f * x[i]", lambda x: F(2) * x),
        "square": ("x[i] * x[i]", lambda x: x * x),
        "relu": ("fmaxf(x[i], 0.0f)", lambda x: np.maximum(x, F(0))),
        "clip": ("fminf(fmaxf(x[i], -1.0f), 1.0f)", lambda x: np.clip(x, F(-1), F(1))),
        "root": ("sqrtf(fabsf(x[i]))", lambda x: np.sqrt(np.abs(x))),
        "leaky": ("x[i] > 0 ? x[i] : 0.5f * x[i]", lambda x: np.where(x > 0, x, F(0.5) * x)),
        "inverse": ("1.0f / (x[i] * x[i] + 1.0f)", lambda x: F(1) / (x * x + F(1))),
        "reversed": ("x[n - 1 - i]", lambda x: x[::-1]),
        "rotated": ("x[(i + 7) % n]", lambda x: np.roll(x, -7)),
        "every_other": ("x[2 * (i / 2)]", lambda x: np.repeat(x[::2], 2)),
    }
    for name, (text, numpy) in unary.items():
        body = f"    if (i < n) out[i] = {text};"
        yield case(name, UNARY, body, one, lambda x, out, n, numpy=numpy: [numpy(x)])
    binary = {
        "add": ("x[i] + y[i]", lambda x, y: x + y),
        "distance": ("fabsf(x[i] - y[i])", lambda x, y: np.abs(x - y)),
        "greater": ("x[i] > y[i]", lambda x, y: (x > y).astype(F)),
    }
    for name, (text, numpy) in binary.items():
        body = f"    if (i < n) out[i] = {text};"
        yield case(name, BINARY, body, two, lambda x, y, out, n, numpy=numpy: [numpy(x, y)])


def indexed() -> Iterator[Case]:
    yield case(
        "saxpy", "int n, float a, const float* x, float* y",
        "    if (i < n) y[i] = a * x[i] + y[i];",
        lambda: [N, F(2), floats(), floats(seed=1)], lambda n, a, x, y: [a * x + y],
    )  # fmt: skip
    yield case(
        "grid_stride", UNARY,
        "    for (; i < n; i += gridDim.x * blockDim.x) out[i] = x[i] + 1.0f;",
        one, lambda x, out, n: [x + F(1)], grid=2, block=128,
    )  # fmt: skip
    yield case(
        "gather", "const int* at, const float* x, float* out, int n",
        "    if (i < n) out[i] = x[at[i]];",
        lambda: [integers(high=50), floats(50), zeros(), N], lambda at, x, out, n: [x[at]],
    )  # fmt: skip
    yield case(
        "stencil", UNARY,
        "    if (i > 0 && i < n - 1) out[i] = x[i - 1] - 2.0f * x[i] + x[i + 1];",
        one,
        lambda x, out, n: [np.concatenate([[0], x[:-2] - F(2) * x[1:-1] + x[2:], [0]]).astype(F)],
    )  # fmt: skip
    yield case(
        "histogram", "const int* x, int* out, int n", "    if (i < n) atomicAdd(out + x[i], 1);",
        lambda: [integers(high=16), zeros(16, np.int32), N],
        lambda x, out, n: [np.bincount(x, minlength=16)],
    )  # fmt: skip
    yield case(
        "bits", "const int* x, int* out, int n", "    if (i < n) out[i] = __popc(x[i]);",
        lambda: [integers(), zeros(kind=np.int32), N],
        lambda x, out, n: [np.array([bin(v).count("1") for v in x.tolist()])],
    )  # fmt: skip
    yield case(
        "horner", UNARY,
        """    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 1; k <= 4; k++) sum = __fadd_rn(__fmul_rn(sum, x[i]), k);
    out[i] = sum;""",
        one, lambda x, out, n: [((F(1) * x + F(2)) * x + F(3)) * x + F(4)],
    )  # fmt: skip
    yield case(
        "wide", "const float4* x, float4* out, int n", "    if (i < n) out[i] = x[i];",
        lambda: [floats(), zeros(), N // 4], lambda x, out, n: [x], grid=1,
    )  # fmt: skip


def matrices() -> Iterator[Case]:
    rows, columns = 20, 48
    plane = "int j = blockIdx.y * blockDim.y + threadIdx.y;"
    sizes = "int rows, int columns"
    yield case(
        "transpose", f"const float* x, float* out, {sizes}",
        f"""    __shared__ float tile[16][17];
    {plane}
    if (j < rows && i < columns) tile[threadIdx.y][threadIdx.x] = x[j * columns + i];
    __syncthreads();
    i = blockIdx.y * 16 + threadIdx.x;
    j = blockIdx.x * 16 + threadIdx.y;
    if (j < columns && i < rows) out[j * rows + i] = tile[threadIdx.x][threadIdx.y];""",
        lambda: [floats(rows * columns), zeros(rows * columns), rows, columns],
        lambda x, out, r, c: [x.reshape(r, c).T.reshape(-1)], (3, 2), (16, 16),
    )  # fmt: skip
    yield case(
        "row_sums", f"const int* x, int* out, {sizes}",
        """    if (i >= rows) return;
    int sum = 0;
    for (int k = 0; k < columns; k++) sum += x[i * columns + k];
    out[i] = sum;""",
        lambda: [integers(rows * columns), zeros(rows, np.int32), rows, columns],
        lambda x, out, r, c: [x.reshape(r, c).sum(axis=1)], 1, 32,
    )  # fmt: skip
    yield case(
        "column_sums", f"const int* x, int* out, {sizes}",
        """    if (i >= columns) return;
    int sum = 0;
    for (int k = 0; k < rows; k++) sum += x[k * columns + i];
    out[i] = sum;""",
        lambda: [integers(rows * columns), zeros(columns, np.int32), rows, columns],
        lambda x, out, r, c: [x.reshape(r, c).sum(axis=0)], 2, 32,
    )  # fmt: skip
    yield case(
        "product", f"const int* x, const int* y, int* out, {sizes}, int inner",
        f"""    {plane}
    if (j >= rows || i >= columns) return;
    int sum = 0;
    for (int k = 0; k < inner; k++) sum += x[j * inner + k] * y[k * columns + i];
    out[j * columns + i] = sum;""",
        lambda: [integers(20 * 8), integers(8 * 24, seed=1), zeros(20 * 24, np.int32), 20, 24, 8],
        lambda x, y, out, r, c, k: [(x.reshape(r, k) @ y.reshape(k, c)).reshape(-1)],
        (2, 2), (16, 16),
    )  # fmt: skip
    yield case(
        "tiled_product", "const int* x, const int* y, int* out, int n",
        f"""    __shared__ int a[8][8], b[8][8];
    {plane}
    int sum = 0;
    for (int t = 0; t < n / 8; t++) {{
        a[threadIdx.y][threadIdx.x] = x[j * n + t * 8 + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = y[(t * 8 + threadIdx.y) * n + i];
        __syncthreads();
        for (int k = 0; k < 8; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }}
    out[j * n + i] = sum;""",
        lambda: [integers(16 * 16), integers(16 * 16, seed=1), zeros(16 * 16, np.int32), 16],
        lambda x, y, out, n: [(x.reshape(n, n) @ y.reshape(n, n)).reshape(-1)], (2, 2), (8, 8),
    )  # fmt: skip


def cooperative() -> Iterator[Case]:
    sums = lambda x, out, n: [x.reshape(-1, 128).sum(axis=1)]  # noqa: E731
    blocks = lambda: [integers(512), zeros(4, np.int32), 512]  # noqa: E731
    yield case(
        "block_sums", "const int* x, int* out, int n",
        """    __shared__ int part[128];
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];""",
        blocks, sums, 4, 128,
    )  # fmt: skip
    yield case(
        "shuffled_sums", "const int* x, int* out, int n",
        """    int sum = i < n ? x[i] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);""",
        blocks, sums, 4, 128,
    )  # fmt: skip
    yield case(
        "scan", "const int* x, int* out",
        """    __shared__ int part[2][128];
    int from = 0;
    part[0][threadIdx.x] = x[i];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        int sum = part[from][threadIdx.x];
        if (threadIdx.x >= step) sum += part[from][threadIdx.x - step];
        part[1 - from][threadIdx.x] = sum;
        from = 1 - from;
        __syncthreads();
    }
    out[i] = part[from][threadIdx.x];""",
        lambda: [integers(128), zeros(128, np.int32)], lambda x, out: [np.cumsum(x)], 1, 128,
    )  # fmt: skip
    yield case(
        "block_reversed", "const int* x, int* out",
        """    extern __shared__ int part[];
    part[threadIdx.x] = x[i];
    __syncthreads();
    out[i] = part[blockDim.x - 1 - threadIdx.x];""",
        lambda: [integers(128), zeros(128, np.int32)],
        lambda x, out: [x.reshape(2, 64)[:, ::-1].reshape(-1)], 2, 64, 256,
    )  # fmt: skip


CASES = [*elementwise(), *indexed(), *matrices(), *cooperative()]

DEFECTS = {
    "beyond": (UNARY, "    if (i <= n)\n        out[i] = 1.0f;", one),
    "before": (UNARY, "    if (i < n)\n        out[i - 1] = 1.0f;", one),
    "ahead": (UNARY, "    if (i < n)\n        x += 1, out[i] = x[i];", one),
    "doubled": (UNARY, "    if (i < n)\n        out[i] = x[2 * i];", one),
    "unguarded": (UNARY, "\n        out[i] = 1.0f;", one),
    "wide_odd": (
        UNARY,
        "    if (i < n / 4)\n        ((float4*)(out + 1))[i] = make_float4(0, 0, 0, 0);",
        one,
    ),
    "raced": (UNARY, "    if (i < n)\n        out[i / 2] = x[i];", one),
    "tile": (
        UNARY,
        "    __shared__ float part[255];\n        part[threadIdx.x] = i;\n"
        "    __syncthreads();\n    if (i < n) out[i] = part[n % 255];",
        one,
    ),
    "misaligned": (UNARY, "    if (i < n / 8)\n        *(double*)(out + 2 * i + 1) = 0.0;", one),
    "negative": (UNARY, "    if (i < n)\n        out[-i] = 1.0f;", one),
}
"""Kernels with a defect in their fourth line."""


def defects() -> Iterator[tuple[str, int, Report]]:
    for name, (parameters, body, arguments) in DEFECTS.items():
        yield name, 4, kernel(name, parameters, body).check(GRID, BLOCK, arguments())
