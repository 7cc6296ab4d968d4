"""The block of a kernel that keeps most of a device's warps resident (the paper's calculator).

``calibrate`` takes registers and shared memory of a kernel as the assembler and the PTX have them,
and gives the occupancy of each size of block that the kernel's contract allows. Of the sizes with
most resident warps the smallest is best, as in the paper: more blocks wait less for each other.

Sources: the paper's section III.B; for devices NVIDIA's data sheets and the table of CUDA GPUs
(developer.nvidia.com/cuda-gpus). A full occupancy is no promise of speed.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from analyses.hardware import MAX_THREADS, WARP
from analyses.traffic.occupancy import Occupancy, occupancy
from pricing_kernels.build import BuildError
from pricing_kernels.kernel import EmittedKernel


@dataclass(frozen=True)
class GpuModel:
    """A model of GPU: its compute capability and its multiprocessors."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int


GPU_MODELS: Final = {
    device.name: device
    for device in (
        GpuModel("GeForce 8800 GTX", (1, 0), 16),
        GpuModel("Tesla M2050", (2, 0), 14),
        GpuModel("GeForce GTX 480", (2, 0), 15),
        GpuModel("GeForce GTX 560M", (2, 1), 4),
        GpuModel("Quadro 600", (2, 1), 2),
        GpuModel("Tesla K40m", (3, 5), 15),
        GpuModel("Tesla P100", (6, 0), 56),
        GpuModel("Tesla V100", (7, 0), 80),
        GpuModel("Tesla T4", (7, 5), 40),
        GpuModel("A100", (8, 0), 108),
        GpuModel("GeForce RTX 4090", (8, 9), 128),
        GpuModel("H100 SXM", (9, 0), 132),
        GpuModel("H200", (9, 0), 132),
    )
}


@dataclass(frozen=True)
class BlockSize:
    """Threads of a block, and what a multiprocessor holds of such blocks."""

    threads: int
    held: Occupancy

    @property
    def share(self) -> float:
        """Resident warps, of the most that there may be."""
        return self.held.warps / self.held.most

    def __str__(self) -> str:
        return f"{self.threads} threads: {self.held}"


def block_sizes(
    capability: tuple[int, int], registers: int, shared: int = 0, most: int = MAX_THREADS
) -> list[BlockSize]:
    """Each size up to the most, in whole warps, of blocks that take so many registers a thread and
    bytes of shared memory. Raises ValueError for what no launch may request."""
    sizes = range(WARP, most + 1, WARP)
    return [BlockSize(n, occupancy(capability, n, registers, shared)) for n in sizes]


def best(sizes: list[BlockSize]) -> BlockSize:
    """The smallest size of those with most resident warps."""
    return max(sizes, key=lambda size: (size.held.warps, -size.threads))


def calibrate(kernel: EmittedKernel, device: GpuModel, registers: int = 0) -> list[BlockSize]:
    """Each size of block that the kernel's contract allows. Without a number of registers ptxas
    says it. Raises BuildError, and ValueError for what no launch may request."""
    used = registers or registers_of(kernel.ptx(), device.capability)
    most = math.prod(kernel.contract.block)
    return block_sizes(device.capability, used, kernel.shared_bytes(), most)


def registers_of(ptx: str, capability: tuple[int, int]) -> int:
    """The registers of a thread, as ptxas allocates them. Raises BuildError."""
    if shutil.which("ptxas") is None:
        raise BuildError("ptxas, which allocates registers, is not found: give their number")
    arch = "sm_{}{}".format(*capability)
    with TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ptx")
        path.write_text(ptx, "utf-8")
        command = ["ptxas", "-v", "-arch", arch, "-o", f"{folder}/kernel.cubin", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    used = re.search(r"Used (\d+) registers", done.stderr)
    if done.returncode or used is None:
        said = done.stderr.replace(folder, "").strip().partition("\n")[0]
        raise BuildError(f"ptxas for {arch}: {said}; give the number of registers")
    return int(used[1])
