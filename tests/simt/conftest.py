"""Running PTX in a test: a text, a launch, numpy arrays in and out; and the cases of the corpus."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ptxlint.assemble import assemble
from ptxlint.contract import Triple
from ptxlint.ir import Kernel, Parameter
from ptxlint.simt import Argument, Buffer, Fault, Setup
from ptxlint.source import Source
from ptxlint.syntax import parse

CORPUS = Path(__file__).parents[2] / "corpus"


def kernel_of(text: str, path: str = "test.ptx") -> Kernel:
    """The one kernel of a PTX text; an error of the text is an error of the test."""
    source = Source(path, text)
    parsed = parse(source)
    assert parsed.module is not None, parsed.diagnostics
    program = assemble(parsed.module, source)
    problems = [str(d) for d in (*parsed.diagnostics, *program.diagnostics)]
    assert len(program.kernels) == 1, problems
    return program.kernels[0]


def triple(text: str) -> Triple:
    x, y, z = [*map(int, text.split("x")), 1, 1][:3]
    return x, y, z


@dataclass(frozen=True)
class Case:
    """A kernel of the corpus with its launch, and the rules expected at lines of its source."""

    name: str
    ptx: str
    source: str

    def option(self, word: str) -> list[str]:
        launch = re.search(r"^// launch: (.*)$", self.source, re.MULTILINE)
        assert launch is not None, self.name
        words = shlex.split(launch[1])
        return [words[i + 1] for i, found in enumerate(words) if found == f"--{word}"]

    @property
    def kernel(self) -> Kernel:
        return kernel_of(self.ptx, self.name)

    def setup(self, kernel: Kernel) -> Setup:
        params = re.search(r"^// params: (.*)$", self.source, re.MULTILINE)
        names = params[1].split(",") if params else []
        values = {
            name: float(value) if "." in value else int(value)
            for name, _, value in (word.partition("=") for word in self.option("arg"))
        }
        extents = dict(word.split("=", 1) for word in self.option("buffer"))

        def argument(name: str, formal: Parameter) -> Argument:
            if name in extents:
                extent = eval(extents[name], {}, dict(values))  # our own corpus
                return Buffer(np.zeros(extent, np.uint8), extent)
            return values.get(name, 0)

        arguments = tuple(map(argument, (name.strip() for name in names), kernel.parameters))
        shared = int(next(iter(self.option("shared")), "0"))
        grid, block = triple(self.option("grid")[0]), triple(self.option("block")[0])
        return Setup(grid, block, shared, arguments)

    def expected(self) -> set[tuple[int, str]]:
        """Line and rule of each ``// expect: rule``."""
        return {
            (number, rule)
            for number, line in enumerate(self.source.splitlines(), 1)
            for rule in re.findall(r"// expect: ([\w-]+)", line)
        }

    def line(self, fault: Fault) -> int:
        """The line of the source from which the kernel was made."""
        if self.source is not self.ptx and fault.loc is not None:
            return fault.loc.line
        return self.ptx.count("\n", 0, fault.offset) + 1


def corpus(folder: str) -> list[Case]:
    cases = []
    for ptx in sorted((CORPUS / folder).glob("*.ptx")):
        text = ptx.read_text("utf-8")
        written = ptx.with_suffix(".cu")
        source = written.read_text("utf-8") if written.exists() else text
        cases.append(Case(f"{folder}/{ptx.name}", text, source))
    return cases
