"""The kernels that this package emits, each with the contract of an example launch."""

from __future__ import annotations

from dataclasses import dataclass

from pricing_kernels import european
from pricing_kernels.build import compile_ptx
from pricing_kernels.contract import KernelContract
from pricing_kernels.models.gbm import Market


@dataclass(frozen=True)
class Kernel:
    """CUDA C text that holds one kernel, and what the kernel may rely on."""

    cuda: str
    contract: KernelContract

    @property
    def name(self) -> str:
        """The kernel's entry name, also the base name of its files."""
        return self.contract.kernel

    def ptx(self) -> str:
        """The kernel as PTX."""
        return compile_ptx(self.cuda, f"{self.name}.cu")


def kernels() -> dict[str, Kernel]:
    """Every kernel of the package by name."""
    put = european.European(Market(100.0, 0.03, 0.3), 100.0, 1.0, call=False, paths=2000, steps=4)
    catalogue = (Kernel(european.CUDA, european.contract(put, block=128, grid=2)),)
    return {kernel.name: kernel for kernel in catalogue}
