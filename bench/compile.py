"""How long the compiler takes for our kernels, and for those that include cuRAND's device header.

    python -m bench.compile

Times are the best of five in milliseconds, warm; the ratio is what to read. The header comes with
the package nvidia-curand (extra ``curand``), what it includes with CuPy; where it is not installed,
that is said and its column is empty.
"""

from __future__ import annotations

from importlib import metadata
from statistics import median

from pricing_kernels.build import compiler, seconds_to_compile
from pricing_kernels.catalogue import kernels
from pricing_kernels.rng import mrg32k3a, philox, xorwow

HEADER, INCLUDED = "curand_kernel.h", "nv/target"
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


def folder(package: str, header: str) -> str | None:
    """The folder of a package below which a header is found under this name."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return None
    found = next((file for file in files if file.as_posix().endswith(f"/{header}")), None)
    return None if found is None else str(found.locate()).removesuffix(f"/{header}")


def versions() -> str:
    """Of the compiler and the packages, as far as they are installed."""
    there = [compiler().name]
    for package in ("nvidia-cuda-nvrtc", "cupy-cuda13x", "nvidia-curand"):
        try:
            there.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            there.append(f"no {package}")
    return ", ".join(there)


def main() -> None:
    folders = [folder("nvidia-curand", HEADER), folder("cupy-cuda13x", INCLUDED)]
    include = tuple(f"--include-path={found}" for found in folders if found)
    print(versions())
    if None in folders:
        print("without cuRAND's header: pip install 'ptxlint[kernels,curand]'")
    print(f"\n{'generator':12}{'ours':>8}{'header':>8}  ratio")
    for module in (mrg32k3a, philox, xorwow):
        generator = module.GENERATOR
        ours = 1e3 * seconds_to_compile(generator.kernels[1].cuda(), "ours.cu")
        if None in folders:
            print(f"{generator.name:12}{ours:8.0f}")
            continue
        text = WITH_HEADER.replace("STATE", STATES[generator.name])
        header = 1e3 * seconds_to_compile(text, "header.cu", include)
        print(f"{generator.name:12}{ours:8.0f}{header:8.0f}{header / ours:7.1f}")
    named = kernels()
    times = {n: 1e3 * seconds_to_compile(k.cuda(), f"{n}.cu") for n, k in named.items()}
    slowest = max(times, key=lambda name: times[name])
    print(
        f"\n{len(times)} kernels of ours: median {median(times.values()):.0f} ms,"
        f" the slowest {times[slowest]:.0f} ms ({slowest})"
    )


if __name__ == "__main__":
    main()
