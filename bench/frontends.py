"""What a launch on the interpreter costs: ``python -m bench.frontends``

Seconds of processor time with all checks, the best of some runs: of a launch of 256 threads, its
kernel being compiled, and of saxpy on a million threads.
"""

from __future__ import annotations

from time import process_time

import numpy as np

import ptxlint.cupy

CODE = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
SMALL, LARGE, TURNS = 256, 2**20, 5


def seconds(kernel: ptxlint.cupy.RawKernel, threads: int) -> float:
    x, y = np.ones(threads, np.float32), np.ones(threads, np.float32)
    spent = []
    for _ in range(TURNS):
        start = process_time()
        kernel(threads // 256, 256, (threads, np.float32(2), x, y))
        spent.append(process_time() - start)
    return min(spent)


def main() -> None:
    kernel = ptxlint.cupy.RawKernel(CODE, "saxpy")
    kernel.compile()
    print(f"{SMALL} threads: {1e3 * seconds(kernel, SMALL):.1f} ms")
    print(f"{LARGE} threads: {seconds(kernel, LARGE):.2f} s")


if __name__ == "__main__":
    main()
