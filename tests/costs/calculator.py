"""NVIDIA's occupancy calculator, the header cuda_occupancy.h of a CUDA toolkit: blocks to hold ours
against. ``python -m tests.costs.calculator INCLUDE`` compiles it with the C++ compiler of the
machine and records what it says of random blocks; the tests replay the record. It knows nothing of
devices before 3.0.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from analyses.traffic.occupancy import MULTIPROCESSORS, Multiprocessor

RECORD = Path(__file__).parents[2] / "corpus" / "vectors" / "occupancy.json"
OLDEST = (3, 0)
CASES = 60  # of each row

PROGRAM = """
#include <cuda_occupancy.h>
#include <cstdio>
int main()
{
    int major, minor, warps, regs, ofblock, smem, most, kept, threads, used, bytes;
    while (scanf("%d %d %d %d %d %d %d %d %d %d %d", &major, &minor, &warps, &regs, &ofblock, &smem,
                 &most, &kept, &threads, &used, &bytes) == 11) {
        cudaOccDeviceProp device;
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = 32 * warps;
        device.regsPerBlock = ofblock;
        device.regsPerMultiprocessor = regs;
        device.warpSize = 32;
        device.sharedMemPerBlock = most;
        device.sharedMemPerMultiprocessor = smem;
        device.numSms = 1;
        device.sharedMemPerBlockOptin = most;
        device.reservedSharedMemPerBlock = kept;
        cudaOccFuncAttributes kernel;
        kernel.maxThreadsPerBlock = 1024;
        kernel.numRegs = used;
        kernel.sharedSizeBytes = 0;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = most;
        kernel.numBlockBarriers = 1;
        cudaOccDeviceState state;
        state.cacheConfig = CACHE_PREFER_SHARED;
        cudaOccResult result;
        int error = cudaOccMaxActiveBlocksPerMultiprocessor(
            &result, &device, &kernel, &state, threads, bytes);
        printf("%d\\n", error ? -error : result.activeBlocksPerMultiprocessor);
    }
}
"""


def cases(row: Multiprocessor) -> list[tuple[int, int, int]]:
    """Threads, registers and bytes of shared memory of random blocks."""
    random = Random(f"{row.since}")
    shared = [random.choice((0, random.randrange(row.shared_of_block))) for _ in range(CASES)]
    return [(random.randint(1, 1024), random.randint(16, 160), bytes_) for bytes_ in shared]


def record(include: str) -> None:
    """Writes the record: of each row the blocks of each case."""
    rows = [row for row in MULTIPROCESSORS if row.since >= OLDEST]
    asked = [
        (*row.since, row.warps, row.registers, row.registers_of_block, row.shared,
         row.shared_of_block, row.kept, *case)
        for row in rows for case in cases(row)
    ]  # fmt: skip
    with TemporaryDirectory() as folder:
        source, program = Path(folder, "calculator.cpp"), Path(folder, "calculator")
        source.write_text(PROGRAM)
        subprocess.run(["c++", "-I", include, str(source), "-o", str(program)], check=True)
        lines = "\n".join(" ".join(map(str, case)) for case in asked)
        said = subprocess.run([program], input=lines, text=True, capture_output=True, check=True)
    blocks = list(map(int, said.stdout.split()))
    told = {
        "{}.{}".format(*row.since): blocks[i * CASES : (i + 1) * CASES]
        for i, row in enumerate(rows)
    }
    text = Path(include, "cuda.h").read_text()
    found = re.search(r"#define CUDA_VERSION (\d+)", text)
    release = int(found[1]) if found else 0
    RECORD.write_text(json.dumps({"cuda": release, "blocks": told}) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("expected the folder of cuda_occupancy.h")
    record(sys.argv[1])
