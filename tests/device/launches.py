"""Launches for a device: a kernel, its launch, and both as ``driver`` wants them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import Launch, PointerArgument
from ptxlint.contracts.resolution import resolved
from ptxlint.ir import Kernel
from ptxlint.simt import Allocation, ConcreteLaunch, Outcome, RunOptions, run
from ptxlint.simt.memory import argument_bytes
from tests.observation.launches import CORPUS, contract_of, held, kernels_of
from tests.simt.test_corpus import contents

from .ours import SMALL, OwnKernel, Sizes, own_kernels

FOLDERS = ("clean", "flawed", "compilers", "regressions")
MAX_STEPS = 50_000
MAX_OWN_STEPS = 10_000_000
MOST_BYTES = 1 << 28  # of a buffer
TARGET = re.compile(r"^\.target\s+(\w+).*$", re.MULTILINE)
LINE_TABLE = re.compile(r"^\s*\.(?:file|loc)\b.*$|^\s*\.section\b[^{]*\{[^}]*\}", re.MULTILINE)
ACCESS = re.compile(r"(?:^|[\s;{}])(?:ld|st|atom|red|cp|ldmatrix|stmatrix|mbarrier)\.")


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel, the text that it comes from, the launches that are declared, and one of them."""

    name: str
    text: str
    kernel: Kernel
    declared: Launch
    launch: ConcreteLaunch
    max_steps: int = MAX_STEPS

    @staticmethod
    def of(name: str, text: str, contract: Contract, filled: dict[int, Any] | None = None) -> Case:
        (kernel,) = kernels_of(text, f"{name}.ptx")
        declared = resolved([contract], kernel)
        return Case(name, text, kernel, declared, declared.concrete(kernel, filled))

    @property
    def options(self) -> RunOptions:
        return RunOptions(max_steps=self.max_steps)

    def interpreted(self) -> Outcome:
        return run(self.kernel, self.launch, self.options)

    def left(self, outcome: Outcome) -> list[bytes]:
        """The bytes of the buffers that a device gets."""
        given = [a for a in self.launch.arguments if isinstance(a, Allocation)]
        both = zip(given, outcome.buffers, strict=True)
        return [np.asarray(words).tobytes() for memory, words in both if memory.size is not None]


def of_file(path: Path) -> Case | None:
    """The kernel of a file under the greatest launch that its comments declare, if they do."""
    text, written = path.read_text("utf-8"), path.with_suffix(".cu")
    source = written.read_text("utf-8") if written.exists() else text
    if "// launch:" not in source:
        return None
    case = Case.of(f"{path.parent.name}/{path.stem}", text, contract_of(path))
    spaces = {case.kernel.arguments[index].pointer_space for index in case.declared.buffers}
    if not spaces <= {None, "global"}:
        return None  # a host has no address in the memory of a block
    return replace(case, launch=case.declared.concrete(case.kernel, filled(source, case)))


def corpus(*folders: str) -> Iterator[Case]:
    for folder in folders or FOLDERS:
        yield from filter(None, map(of_file, sorted((CORPUS / folder).glob("*.ptx"))))


def filled(source: str, case: Case) -> dict[int, Any]:
    """What the buffers hold; nothing where they are larger than anybody fills."""
    if any(extent.bytes.low > MOST_BYTES for extent in case.declared.buffers.values()):
        return {}
    found = dict(contents(source, case.declared))
    return found if "// input" in source else found | dict(held(case.kernel, case.declared, 0))


def ours(sizes: Sizes = SMALL) -> Iterator[Case]:
    """The kernels of the package, in launches of these sizes."""
    return (of_own(own, sizes) for own in own_kernels())


def of_own(own: OwnKernel, sizes: Sizes = SMALL) -> Case:
    launch = own.launch(sizes)
    arrays, params = own.arrays(launch), own.kernel.contract.params
    given = {i: arrays[name] for i, name in enumerate(params) if name in arrays}
    case = Case.of(f"kernels/{own.name}", own.kernel.ptx(), launch.declared(), given)
    return replace(case, max_steps=MAX_OWN_STEPS)


# --- for the device


def lined(text: str) -> str:
    """The text with a line table of its own lines, for sm_90 at least."""
    bare = LINE_TABLE.sub(lambda found: re.sub(r"[^\n]", "", found[0]), text)
    target = TARGET.search(bare)
    newer = target is not None and target[1].startswith("sm_9")
    bare = TARGET.sub(f".target {target[1] if newer and target else 'sm_90'}", bare)
    lines, inside = [], False
    for number, line in enumerate(bare.split("\n"), 1):
        inside = inside or line.lstrip().startswith("{") or line.rstrip().endswith("{")
        code = line.partition("//")[0]
        if inside and ACCESS.search(code) and not code.lstrip().startswith("."):
            lines.append(f".loc 1 {number} 1")
        lines.append(line)
        if line.startswith(".address_size"):
            lines.append('.file 1 "lines"')
    return "\n".join(lines)


def assembled(text: str) -> bytes:
    """The machine code. Raises ValueError with what ptxas says."""
    target = TARGET.search(text)
    assert target is not None
    with TemporaryDirectory() as folder:
        source, image = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(text)
        command = ["ptxas", "-arch", target[1], "-lineinfo", str(source), "-o", str(image)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.replace(folder, "").strip().partition("\n")[0])
        return image.read_bytes()


def packed(case: Case) -> dict[str, Any]:
    """The launch as ``driver`` wants it. Raises ContractError where a buffer is too large."""
    launch, kernel = case.launch, case.kernel
    words = {p.region: bytearray(p.region.size or p.size) for p in kernel.parameters}
    order, buffers, inside = list(words), [], []
    numbers: dict[int, int] = {}  # of the buffers, by argument
    for formal, argument in zip(kernel.arguments, launch.arguments, strict=False):
        if isinstance(argument, PointerArgument):
            place = order.index(formal.region), formal.offset
            inside.append((argument.base, argument.offset, place))
        elif not isinstance(argument, Allocation):
            end = formal.offset + formal.size
            words[formal.region][formal.offset : end] = argument_bytes(formal, argument)
        elif argument.size is not None:  # another one is never touched
            if argument.size > MOST_BYTES:
                raise ContractError(f"{formal.name} has {argument.size} bytes")
            data = b"" if argument.data is None else argument.data[: argument.size].tobytes()
            place = order.index(formal.region), formal.offset
            numbers[formal.index] = len(buffers)
            buffers.append((argument.size, argument.align, data, place))
    return {
        "kernel": kernel.name, "grid": launch.grid, "block": launch.block, "shared": launch.shared,
        "params": [bytes(word) for word in words.values()], "buffers": buffers,
        "inside": [(numbers[base], offset, place) for base, offset, place in inside],
    }  # fmt: skip
