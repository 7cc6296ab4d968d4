"""A kernel as a front end has it: its PTX, the text that it was written in, the user's names."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ptxlint.checker import check as checked
from ptxlint.contracts.captured import ArrayBytes, array_bytes, launch_of
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.files import exact
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch, WordRange, member
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.errors import Error
from ptxlint.execution.arrays import Array
from ptxlint.execution.runner import chosen
from ptxlint.ir import Kernel, KernelParameter
from ptxlint.lowering.module import LoweredModule
from ptxlint.options import Options
from ptxlint.results.report import Report
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles
from ptxlint.syntax import modules

Word = int | float | ArrayBytes | Array
"""A number, an array on a GPU, or one of numpy."""

Value = Word | tuple[Word, ...]
"""What a parameter is given: a word, or a structure by its words of 64 bits."""

NOWHERE = ArrayBytes(0, 0, (0,), (1,), 1)
"""What a number that is given for a pointer points to."""

SLOT = 1 << 40
"""The distance of two arrays of numpy that share nothing."""


class LoadedKernel(Struct, frozen=True, eq=False):
    """A kernel of a module; ``names`` are the user's for its parameters, ``texts`` are sources that
    reports quote and that are in no file."""

    program: LoweredModule
    kernel: Kernel
    names: tuple[str, ...] = ()
    texts: tuple[Source, ...] = ()

    @property
    def source(self) -> Source:
        return self.program.source

    @property
    def digest(self) -> str:
        """What tells kernels of one name apart."""
        return hashlib.sha256(self.source.text.encode()).hexdigest()

    @property
    def called(self) -> tuple[str, ...]:
        """A name for each parameter: the user's, or its position."""
        parameters = self.kernel.parameters
        if len(self.names) == len(parameters):
            return self.names
        return tuple(f"param_{formal.index}" for formal in parameters)

    def words(self, values: Sequence[Value]) -> dict[str, Word]:
        """The arguments by name: one for each parameter, then one for each member of structures. A
        structure that is given as words has for its parameter the integer of its members that are
        numbers.
        Raises Error unless there is a value for each parameter."""
        parameters = self.kernel.parameters
        if len(values) != len(parameters):
            many = f"{len(parameters)} arguments, not {len(values)}"
            raise Error(f"{self.kernel.demangled} takes {many}: {', '.join(self.called)}")
        found: dict[str, Word] = {}
        for name, value, formal in zip(self.called, values, parameters, strict=True):
            whole = packed(value) if isinstance(value, tuple) else value
            number = formal.declared_pointer and isinstance(whole, int) and whole != 0
            found[name] = NOWHERE if number else whole
        given = {
            formal.region: (name, value)
            for formal, name, value in zip(parameters, self.called, values, strict=True)
        }
        for formal in self.kernel.members:
            name, value = given[formal.region]
            whole = found[name]
            pointed = value[formal.offset // 8] if isinstance(value, tuple) else 0
            if not isinstance(pointed, int | float):
                found[f"{name}.{formal.offset}"] = pointed
            elif isinstance(whole, int):
                found[f"{name}.{formal.offset}"] = member(whole, formal)
        return found

    def launch(
        self, grid: Triple, block: Triple, shared: int, values: Sequence[Value]
    ) -> ConcreteLaunch:
        """The launch with these arguments, by position. A structure is given by its words, or as
        one integer, and becomes its members too. Arrays of numpy lie where a GPU would put them.
        Raises Error."""
        words = self.words(values)
        lying = placed(words)
        named = {
            name: word if isinstance(word, int | float | ArrayBytes) else lying[name]
            for name, word in words.items()
        }
        launch = launch_of(grid, block, shared, named)
        pairs = zip(launch.arguments, words.values(), strict=True)
        return replace(launch, arguments=tuple(ranged(*pair) for pair in pairs))

    def contract(self, launch: ConcreteLaunch, site: str = "") -> Contract:
        """The contract that allows this launch alone. What is wider than a number, and whose
        members the kernel does not read, is left open."""
        found = exact(self.kernel.name, launch)
        formals = zip(self.called, self.kernel.parameters, strict=True)
        split = {member.region for member in self.kernel.members}
        whole = {name for name, formal in formals if formal.region in split or formal.size > 8}
        args = {name: value for name, value in found.args.items() if name not in whole}
        return dataclasses.replace(found, args=args, origin=site or "launch")

    def check(self, launches: Sequence[RecordedLaunch], options: Options | None = None) -> Report:
        """Checks the kernel for each of its launches."""
        record = tuple(self.contract(each.launch, each.site) for each in launches)
        asked = replace(options or Options(), launches=record, kernel=self.kernel.name)
        return checked([self.source], asked, files=SourceFiles([self.source, *self.texts]))


@lru_cache(maxsize=256)
def loaded(
    source: Source, name: str | None, names: tuple[str, ...] = (), texts: tuple[Source, ...] = ()
) -> LoadedKernel:
    """The kernel of that name, or the only one, of a module. Raises Error."""
    program, kernel = chosen(modules(source), name)
    return LoadedKernel(program, kernel, names, texts)


def packed(words: tuple[Word, ...]) -> int:
    """The integer of a structure of 64-bit words; those that are memory are 0 in it."""
    numbers = (word if isinstance(word, int) else 0 for word in words)
    return sum(number % (1 << 64) << 64 * at for at, number in enumerate(numbers))


def placed(words: Mapping[str, Word]) -> dict[str, ArrayBytes]:
    """Where a GPU would put the arrays of numpy, by name: what is no view begins at a multiple of
    256. Raises Error for one that is read backwards."""
    owners: dict[int, int] = {}
    found = {}
    for name, array in words.items():
        if not isinstance(array, np.ndarray):
            continue
        owner: Any = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        bytes_ = array_bytes(array)
        assert bytes_ is not None
        if bytes_.size is None:
            raise Error(f"argument {name}: an array with negative strides; give a copy")
        first = SLOT * (1 + owners.setdefault(id(owner), len(owners)))
        offset = bytes_.address - owner.__array_interface__["data"][0]
        found[name] = replace(bytes_, address=first + offset)
    return found


def ranged(argument: Argument, value: Word) -> Argument:
    """Memory that is one array of integers of numpy, with their least and their greatest."""
    if not isinstance(argument, Allocation) or not isinstance(value, np.ndarray):
        return argument
    if value.dtype.kind not in "iu" or value.itemsize < 4 or argument.size != value.nbytes:
        return argument
    if not value.size:
        return argument
    return replace(
        argument, range=WordRange(8 * value.itemsize, int(value.min()), int(value.max()))
    )


def number(value: Any, formal: KernelParameter, name: str) -> int | float:
    """A number as the parameter takes it: integers by their bits, structures as one integer. Raises
    Error where it has other bytes than the parameter."""
    if hasattr(value, "dtype") or hasattr(value, "tobytes"):
        data = value.tobytes()
        if len(data) != formal.size:
            said = f"{len(data)} bytes ({getattr(value, 'dtype', type(value).__name__)})"
            raise Error(f"argument {name}: {said}, the kernel takes {formal.size} (.{formal.type})")
        if formal.type.startswith("f") and getattr(value, "dtype", None) is not None:
            if value.dtype.kind != "f":
                raise Error(f"argument {name}: {value.dtype}, the kernel takes .{formal.type}")
            return float(value)
        if getattr(value, "dtype", None) is not None and value.dtype.kind in "iub":
            return int(value)
        return int.from_bytes(data, "little")
    if isinstance(value, bool | int):
        if formal.type.startswith("f"):
            raise Error(f"argument {name}: an integer, the kernel takes .{formal.type}")
        return int(value)
    if isinstance(value, float):
        if formal.type not in ("f64", "b64"):
            hint = "numpy.float32" if formal.size == 4 else "a number of its type"
            raise Error(f"argument {name}: a float of 8 bytes, the kernel takes .{formal.type}:"
                        f" give {hint}")  # fmt: skip
        return value
    raise Error(f"argument {name}: expected a number or an array, not {type(value).__name__}")
