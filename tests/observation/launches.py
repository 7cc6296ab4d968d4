"""Kernels and launches to observe: PTX read, its comments taken as a contract, buffers filled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analyses.concrete.bitvectors import Array
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Launch, numbers
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.simt import ConcreteLaunch
from ptxlint.source import Source
from ptxlint.syntax import parse

CORPUS = Path(__file__).parents[2] / "corpus"
MAX_STEPS = 4000  # facts about what has not happened yet are held against nothing
FOLDERS = ("clean", "flawed", "regressions")


def kernels_of(text: str, path: str = "test.ptx") -> tuple[Kernel, ...]:
    """The kernels of a PTX text; an error of the text is an error of the test."""
    source = Source(path, text)
    parsed = parse(source)
    assert parsed.module is not None, parsed.diagnostics
    program = lower_module(parsed.module, source)
    problems = [str(d) for d in (*parsed.diagnostics, *program.diagnostics)]
    assert program.kernels and len(program.kernels) == program.present, problems
    return program.kernels


def files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (CORPUS / folder).glob("*.ptx"))


def contract_of(path: Path) -> Contract:
    """The contract in the comments of the file that a person wrote."""
    source = path.with_suffix(".cu")
    return Contract.from_comments((source if source.exists() else path).read_text("utf-8"))


def concrete_launches(
    kernel: Kernel, launch: Launch, seed: int = 0, bound: int = 64
) -> Iterator[ConcreteLaunch]:
    """The launch with buffers of zeros, and with integers below a bound, or as declared."""
    contents = dict(noise(launch, seed, bound)) | dict(held(kernel, launch, seed))
    for filled in ({}, contents) if contents else ({},):
        yield launch.concrete(kernel, filled)


def noise(launch: Launch, seed: int, bound: int) -> Iterator[tuple[int, Array]]:
    random = np.random.default_rng(seed)
    for index, extent in launch.buffers.items():
        words = min(extent.bytes.low // 4, 1 << 16)
        yield index, random.integers(0, bound, words, np.uint32)


def held(kernel: Kernel, launch: Launch, seed: int) -> Iterator[tuple[int, Array]]:
    """Integers that buffers are declared to hold."""
    random = np.random.default_rng(seed)
    shape = launch.grid or (1, 1, 1), launch.block or (1, 1, 1)
    named = numbers(kernel, launch.greatest, *shape)
    for index, extent in launch.buffers.items():
        if extent.value_range is not None:
            low, high = extent.value_range.of(named)
            size = extent.value_range.bits // 8
            words = min(extent.of(named) // size, 1 << 16)
            yield index, random.integers(low, high + 1, words).astype(f"i{size}")
