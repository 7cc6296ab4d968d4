"""Real code to measure on: ``python -m bench.real_code FOLDER [NAME ...]``

Writes the PTX of algorithms of CUB and Thrust, each for several types, compiled by ``nvcc`` from
the headers that come with it. ``python -m bench.check FOLDER`` then checks them. What is there
already is kept. Where ``nvcc`` or a header is not installed, that is said, and its files are left
out. A name selects files: ``radix_int``, or ``radix`` for all types.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

NVCC = ("nvcc", "-ptx", "-std=c++17", "-arch=sm_80", "-lineinfo", "-w")
TYPES = ("int", "float", "double")


@dataclass(frozen=True)
class Algorithm:
    """A call in CUDA C++, over a type ``T``. ``before`` declares what it uses."""

    call: str
    parameters: str
    headers: tuple[str, ...] = ("cub/cub.cuh",)
    types: tuple[str, ...] = TYPES
    before: str = ""

    def text(self, kind: str) -> str:
        """The file that instantiates it for a type."""
        includes = [f"#include <{header}>" for header in self.headers]
        function = f"void run({self.parameters}) {{ {self.call}; }}"
        lines = [*includes, f"using T = {kind};", self.before, function]
        return "\n".join(line for line in lines if line) + "\n"


def cub(call: str, parameters: str, types: tuple[str, ...] = TYPES, before: str = "") -> Algorithm:
    """An algorithm of CUB: its arguments come after temporary storage."""
    name, _, arguments = call.partition("(")
    stored = f"cub::Device{name}(storage, bytes, {arguments}"
    return Algorithm(
        stored, f"void* storage, size_t bytes, {parameters}", types=types, before=before
    )


LESS = "struct Less { __device__ bool operator()(T a, T b) const { return a < b; } };"
POSITIVE = "struct Positive { __device__ bool operator()(T a) const { return a > 0; } };"
AXPY = "struct Axpy { __device__ T operator()(T a, T b) const { return a * b + a; } };"

ALGORITHMS = {
    "reduce": cub("Reduce::Sum(a, b, n)", "T* a, T* b, int n"),
    "scan": cub("Scan::ExclusiveSum(a, b, n)", "T* a, T* b, int n"),
    "radix": cub("RadixSort::SortKeys(a, b, n)", "T* a, T* b, int n"),
    "radix_pairs": cub(
        "RadixSort::SortPairs(a, b, c, d, n)", "T* a, T* b, T* c, T* d, int n", types=("int",)
    ),
    "merge": cub("MergeSort::SortKeys(a, n, Less())", "T* a, int n", before=LESS),
    "segsort": cub(
        "SegmentedSort::SortKeys(a, b, n, m, at, at + 1)", "T* a, T* b, int n, int m, int* at"
    ),
    "segreduce": cub("SegmentedReduce::Sum(a, b, m, at, at + 1)", "T* a, T* b, int m, int* at"),
    "select": cub(
        "Select::If(a, b, count, n, Positive())", "T* a, T* b, int* count, int n", before=POSITIVE
    ),
    "unique": cub("Select::Unique(a, b, count, n)", "T* a, T* b, int* count, int n"),
    "rle": cub(
        "RunLengthEncode::Encode(a, b, lengths, count, n)",
        "T* a, T* b, int* lengths, int* count, int n",
    ),
    "histogram": cub(
        "Histogram::HistogramEven(a, bins, 257, T(0), T(256), n)", "T* a, int* bins, int n"
    ),
    "thrust_transform": Algorithm(
        "thrust::transform(thrust::device, a, a + n, b, c, Axpy())",
        "T* a, T* b, T* c, int n",
        headers=("thrust/transform.h", "thrust/execution_policy.h"),
        before=AXPY,
    ),
}


def sources(names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """The selected files, each with its name and text."""
    for name, algorithm in ALGORITHMS.items():
        for kind in algorithm.types:
            full = name if algorithm.types == ("int",) else f"{name}_{kind}"
            if not names or name in names or full in names:
                yield full, algorithm.text(kind)


def compiled(text: str, path: Path) -> str:
    """Compiles a file to PTX; the first line of what the compiler says against it."""
    source = path.with_suffix(".cu")
    source.write_text(text, "utf-8")
    done = subprocess.run([*NVCC, source, "-o", path], capture_output=True, text=True, check=False)
    if not done.returncode:
        return ""
    lines = (done.stderr + done.stdout).strip().splitlines()
    return lines[0] if lines else f"nvcc ended with {done.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description="builds the real code that checks are measured on")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if shutil.which(NVCC[0]) is None:
        sys.exit("CUB and Thrust left out: no nvcc found; it comes with the CUDA toolkit")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources(options.names):
        path = options.folder / f"{name}.ptx"
        problem = "" if path.exists() else compiled(text, path)
        print(f"{name} left out: {problem}" if problem else path, flush=True)


if __name__ == "__main__":
    main()
