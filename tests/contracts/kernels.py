"""The kernels of the corpus with the contracts that are inferred for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pricing_kernels.kernel import SHIPPED
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from ptxlint.inference.inferred_contract import Inferred
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.places import Locations
from ptxlint.plain import contract_result
from ptxlint.results.contract import InferredContract
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles
from ptxlint.syntax import parse

ROOT = Path(__file__).parents[2] / "corpus"
FOLDERS = (ROOT / "clean", ROOT / "compilers", SHIPPED)
FROM_MEMORY = frozenset({"loaded-index", "atomic-result", "lanes", "extern"})
"""Reasons that make an address nobody's to promise: it comes from memory, or from other lanes."""


@dataclass(frozen=True)
class Subject:
    """A kernel of the corpus and what is inferred of it."""

    path: Path
    kernel: Kernel
    contract: Inferred

    @property
    def result(self) -> InferredContract:
        """The contract as the report has it."""
        source = self.kernel.source
        assert source is not None
        return contract_result(self.contract, Locations(source, None, SourceFiles([source])))

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def from_memory(self) -> bool:
        return any(unknown.reason in FROM_MEMORY for unknown in self.contract.unknown)


def files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in folder.glob("*.ptx"))


def source_of(path: Path) -> str:
    """The text that a kernel of the corpus is written in."""
    written = path.with_suffix(".cu")
    return (written if written.exists() else path).read_text("utf-8")


def stated(text: str) -> tuple[set[str], dict[str, str]]:
    """What the comments ``// contract:`` of a kernel say that is to be inferred, if nothing more
    strict: requirements, and the sizes of buffers."""
    needs, sizes = set[str](), dict[str, str]()
    for said in re.findall(r"^// contract: (.*)$", text, re.MULTILINE):
        name, equals, size = said.partition(" = ")
        if equals:
            sizes[name] = size
        else:
            needs.add(said.removeprefix("requires "))
    return needs, sizes


@cache
def subjects(path: Path) -> tuple[Subject, ...]:
    return tuple(_subjects(path))


def _subjects(path: Path) -> Iterator[Subject]:
    source = Source(path.name, path.read_text("utf-8"))
    module = parse(source).module
    assert module is not None
    said = Contract.from_comments(source_of(path))
    for kernel in lower_module(module, source).kernels:
        launch = resolved([Contract(params=said.params)], kernel)
        yield Subject(path, kernel, contract_of(kernel, launch))
