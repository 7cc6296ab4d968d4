"""What launches of front ends cost: ``python -m bench.frontends``

Processor time, the best of some runs. On the interpreter with all checks: a launch of 256 threads,
its kernel being compiled, and saxpy on a million threads. A guarded launch: what ``ptxlint.guard``
takes for two arrays of numpy and two numbers.
"""

from __future__ import annotations

from time import process_time

import numpy as np

import ptxlint
import ptxlint.cupy

CODE = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
SMALL, LARGE, TURNS, GUARDED = 256, 2**20, 5, 2_000


def seconds(kernel: ptxlint.cupy.RawKernel, threads: int) -> float:
    x, y = np.ones(threads, np.float32), np.ones(threads, np.float32)
    spent = []
    for _ in range(TURNS):
        start = process_time()
        kernel(threads // 256, 256, (threads, np.float32(2), x, y))
        spent.append(process_time() - start)
    return min(spent)


class Nothing:
    """A kernel whose launch takes no time."""

    name = "saxpy"

    def __init__(self, kernel: ptxlint.cupy.RawKernel) -> None:
        self.loaded = kernel.loaded

    def __call__(self, *_: object) -> None:
        return


def guarded(kernel: ptxlint.cupy.RawKernel) -> float:
    """Seconds of one guarded launch."""
    guard, spent = ptxlint.guard(Nothing(kernel)), []
    x, y = np.ones(SMALL, np.float32), np.ones(SMALL, np.float32)
    args = np.int32(SMALL), np.float32(2), x, y
    for _ in range(TURNS):
        start = process_time()
        for _ in range(GUARDED):
            guard((1,), (256,), args)
        spent.append((process_time() - start) / GUARDED)
    return min(spent)


def main() -> None:
    kernel = ptxlint.cupy.RawKernel(CODE, "saxpy")
    kernel.compile()
    print(f"{SMALL} threads: {1e3 * seconds(kernel, SMALL):.1f} ms")
    print(f"{LARGE} threads: {seconds(kernel, LARGE):.2f} s")
    print(f"guard: {1e6 * guarded(kernel):.1f} us")


if __name__ == "__main__":
    main()
