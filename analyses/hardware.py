"""Sizes that all CUDA devices since compute capability 2.0 share."""

from __future__ import annotations

from typing import Final

WARP: Final = 32  # lanes
MAX_THREADS: Final = 1024  # of a block
BARRIERS: Final = 16  # numbered barriers of a block
PARAMETERS: Final = 4352  # bytes that the parameters of a kernel may have
LARGE_PARAMETERS: Final = 32764  # since PTX ISA 8.1, on sm_70 and above
DECLARED_SHARED: Final = 48 * 1024  # bytes of shared memory that arrays of a kernel may declare
SECTOR: Final = 32  # bytes of global memory that are moved together
BANKS: Final = 32  # of shared memory
BANK: Final = 4  # bytes of a bank's word
LINE: Final = 128  # bytes of a cache line, and of one word of every bank


def capability(target: str) -> tuple[int, int]:
    """The compute capability of a target: (9, 0) of ``sm_90a``."""
    digits = "".join(c for c in target if c.isdigit())
    return int(digits[:-1]), int(digits[-1])
