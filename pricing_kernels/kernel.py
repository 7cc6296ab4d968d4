"""A kernel: a fragment of CUDA C and its contract; linked text and PTX when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pricing_kernels.build import cached_ptx
from pricing_kernels.contract import KernelContract
from pricing_kernels.link import Fragment, link, ordered
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

SHIPPED = Path(__file__).with_name("emitted")


@dataclass(frozen=True)
class EmittedKernel:
    """The body of a kernel, and what the kernel may rely on. ``shows`` says what it computes,
    ``options`` are more options of the compiler."""

    body: Fragment
    contract: KernelContract
    shows: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The kernel's entry name, also the base name of its files."""
        return self.contract.kernel

    @property
    def files(self) -> frozenset[str]:
        """The Python files that hold the texts of its fragments."""
        return frozenset(f.file for f in ordered(self.body) if f.file is not None)

    def cuda(self, lines: bool = True) -> str:
        """CUDA C that holds this kernel and all that it imports; ``lines`` as ``link`` has it."""
        return link(self.body, self.contract, lines, self.shows)

    def shared_bytes(self) -> int:
        """The bytes of shared memory that a block takes. Raises BuildError."""
        source = Source(f"{self.name}.ptx", self.ptx())
        module = parse(source).module
        assert module is not None, "the compiler's PTX"
        return next(
            k.shared_bytes for k in lower_module(module, source).kernels if k.name == self.name
        )

    def ptx(self) -> str:
        """The kernel as PTX: the shipped one where it was made from this very text, else compiled.

        Raises BuildError."""
        text, shipped = self.cuda(), SHIPPED / f"{self.name}.cu"
        if shipped.is_file() and shipped.read_text("utf-8") == text:
            return shipped.with_suffix(".ptx").read_text("utf-8")
        return cached_ptx(text, f"{self.name}.cu", self.options)
