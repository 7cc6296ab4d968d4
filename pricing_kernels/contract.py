"""What a kernel may rely on: parameter names, one launch, values of scalars, extents of buffers.

Emitter, launcher and linter read this one object; ptxlint gets it as command line options, in the
words of its own command line. Compilers drop parameter names, so `params` gives them in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class KernelContract:
    """A launch of one kernel; an extent is in bytes, as an expression over `args`."""

    kernel: str
    params: tuple[str, ...]
    block: tuple[int, ...]
    grid: tuple[int, ...]
    args: Mapping[str, int | float] = field(default_factory=dict)
    buffers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named = [*self.args, *self.buffers]
        if sorted(named) != sorted(self.params):
            raise ValueError(
                f"{self.kernel}: params {self.params} are not args + buffers {tuple(named)}"
            )

    def options(self) -> list[str]:
        """The options of `ptxlint check` that declare this contract."""
        pairs = [
            ("--kernel", self.kernel),
            ("--params", ",".join(self.params)),
            ("--block", "x".join(map(str, self.block))),
            ("--grid", "x".join(map(str, self.grid))),
            *(("--arg", f"{name}={value}") for name, value in self.args.items()),
            *(("--buffer", f"{name}={extent}") for name, extent in self.buffers.items()),
        ]
        return [word for pair in pairs for word in pair]
