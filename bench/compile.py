"""How long the compiler takes for our kernels, and for those that include cuRAND's device header.

    python bench/compile.py INCLUDE ...

The folders INCLUDE must hold curand_kernel.h and the headers that it includes (those of a CUDA
toolkit: include and include/cccl; NVRTC has none of them built in). Times are the best of five in
milliseconds, warm; the ratio is what to read.
"""

from __future__ import annotations

import sys

from pricing_kernels.build import seconds_to_compile
from pricing_kernels.rng import mrg32k3a, philox, xorwow

WITH_HEADER = """
#include <curand_kernel.h>
extern "C" __global__ void generate(STATE* state, unsigned* numbers, unsigned count,
                                    unsigned streams)
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    STATE local = state[stream];
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = curand(&local);
    state[stream] = local;
}
"""
STATES = {
    "mrg32k3a": "curandStateMRG32k3a",
    "philox": "curandStatePhilox4_32_10",
    "xorwow": "curandStateXORWOW",
}


def main(folders: list[str]) -> None:
    include = tuple(f"--include-path={folder}" for folder in folders)
    print(f"{'generator':12}{'ours':>8}{'header':>8}  ratio")
    for module in (mrg32k3a, philox, xorwow):
        generator = module.GENERATOR
        ours = 1e3 * seconds_to_compile(generator.kernels[1].cuda(), "ours.cu")
        text = WITH_HEADER.replace("STATE", STATES[generator.name])
        header = 1e3 * seconds_to_compile(text, "header.cu", include)
        print(f"{generator.name:12}{ours:8.0f}{header:8.0f}{header / ours:7.1f}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("expected the folders of curand_kernel.h and the headers that it includes")
    main(sys.argv[1:])
