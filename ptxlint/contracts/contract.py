"""What is known about the launches of a kernel: declared by the user or by the PTX itself.

Everything is optional. What nobody declares may be anything that is legal on a GPU, and the answer
says so. Extents are in bytes, ranges include both ends.

A ``Contract`` is what one source said, by name; ``resolution`` turns the contracts of all sources
into the ``Launch`` of one kernel, by position. A parameter goes by its name in the PTX, by its
position counted from 0, or by a name that ``params`` gives it, because compilers drop the names of
the source. A member of a structure by value goes by that and its offset in bytes: ``param_0.8`` is
the word at ``[k_param_0+8]``. Sizes and needs may speak of integer parameters and of the launch's
shape: ``ntid.x`` (threads of a block along x), ``nctaid.x`` (blocks of the grid). An integer that a
size speaks of and nobody declares is any number from 0 to the greatest of its type, which is signed
unless ``params`` says that it is not (``n: u32``).

That buffers do not overlap is taken for granted by two things only: ``data-race``, which asks for
races in buffers of their own, and what is declared of the integers that a buffer ``holds``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from analyses.hardware import MAX_THREADS
from ptxlint.contracts.declaration import ContractError as ContractError
from ptxlint.contracts.declaration import Distinct as Distinct
from ptxlint.contracts.declaration import Held as Held
from ptxlint.contracts.declaration import Triple as Triple
from ptxlint.contracts.declaration import (
    argument,
    buffer_names,
    extent,
    held,
    named,
    needed,
    parameter_names,
    separated,
    shape,
)
from ptxlint.contracts.expression import Condition, Expression
from ptxlint.contracts.launch import MAX_BLOCK as MAX_BLOCK
from ptxlint.contracts.launch import MAX_BUFFER as MAX_BUFFER
from ptxlint.contracts.launch import MAX_GRID as MAX_GRID
from ptxlint.contracts.launch import SHAPE as SHAPE
from ptxlint.contracts.launch import Broken as Broken
from ptxlint.contracts.launch import Extent as Extent
from ptxlint.contracts.launch import Launch as Launch
from ptxlint.contracts.launch import Range as Range
from ptxlint.mangling import demangled

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter


@dataclass(frozen=True, slots=True)
class DeclaredBuffer:
    """A buffer as declared: its extent is an expression over arguments, and so are the ends of the
    range of the integers that it holds."""

    text: str
    extent: Expression
    align: int = 256
    holds: Held | None = None

    @classmethod
    def of(cls, option: str, text: str) -> DeclaredBuffer:
        """``4*n``, ``4*n@16`` or ``4*n holds 0..7``. Raises ContractError."""
        size, said, inside = text.partition(" holds ")
        return cls(size, *extent(option, size), held(option + size, inside) if said else None)


@dataclass(frozen=True, slots=True)
class Requirement:
    """Conditions as declared."""

    text: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Contract:
    """What a source declares about launches, by the names of parameters. ``kernel`` is a pattern
    for the kernels that it is about; ``types`` are those of ``params``, empty where not said;
    ``writes`` are the only buffers that the kernel may write, ``distinct`` those that must not
    overlap, and no others; None where nothing is said."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: DeclaredBuffer | None = None
    values: Mapping[str, Range | float] = field(default_factory=dict)
    buffers: Mapping[str, DeclaredBuffer] = field(default_factory=dict)
    params: tuple[str, ...] = ()
    origin: str = "command line"
    needs: tuple[Requirement, ...] = ()
    kernel: str = "*"
    types: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)  # in a file, by option: "--arg n"
    writes: tuple[str, ...] | None = None
    distinct: tuple[Distinct, ...] | None = None

    @classmethod
    def of(
        cls,
        *,
        block: str | None = None,
        grid: str | None = None,
        shared: str | None = None,
        arg: Iterable[str] = (),
        buffer: Iterable[str] = (),
        need: Iterable[str] = (),
        params: str | None = None,
        writes: str | None = None,
        distinct: Iterable[str] | None = None,
        origin: str = "command line",
    ) -> Contract:
        """The contract that options declare, each as it stands on the command line. Raises
        ContractError."""
        values = dict(named("--arg", arg))
        buffers = dict(named("--buffer", buffer))
        for name in values.keys() & buffers.keys():
            raise ContractError(f"--buffer {name}: {name} is declared by --arg too")
        called = () if params is None else parameter_names(params)
        return cls(
            None if block is None else shape("--block", block, MAX_BLOCK, MAX_THREADS),
            None if grid is None else shape("--grid", grid, MAX_GRID),
            None if shared is None else DeclaredBuffer(shared, *extent("--shared", shared)),
            {name: ranged(argument(name, text)) for name, text in values.items()},
            {name: DeclaredBuffer.of(f"--buffer {name}=", text) for name, text in buffers.items()},
            tuple(name for name, _ in called),
            origin,
            tuple(Requirement(text, needed(text)) for text in need),
            types=tuple(kind for _, kind in called),
            writes=None if writes is None else buffer_names(writes),
            distinct=None if distinct is None else tuple(map(separated, distinct)),
        )

    @classmethod
    def from_options(cls, words: Sequence[str], origin: str = "command line") -> Contract:
        """The contract in a list of words: ``--block 256 --arg n=1000``."""
        single: dict[str, str] = {}
        several: dict[str, list[str]] = {"arg": [], "buffer": [], "need": [], "distinct": []}
        rest = iter(words)
        for option in rest:
            name = option.removeprefix("--")
            value = next(rest, None)
            if value is None:
                raise ContractError(f"{option}: expected a value after it")
            if name in several:
                several[name].append(value)
            elif name in ("block", "grid", "shared", "params", "writes") and name not in single:
                single[name] = value
            else:
                raise ContractError(f"{option}: given twice, or no launch option")
        distinct = several.pop("distinct") or None
        return cls.of(**single, **several, distinct=distinct, origin=origin)  # type: ignore[arg-type]

    @classmethod
    def from_comments(cls, text: str, origin: str = "comments") -> Contract:
        """The contract in the comments ``// launch: --block 256`` and ``// params: n,in``."""
        words: list[str] = []
        for kind, rest in re.findall(r"^\s*//\s*(launch|params):(.*)$", text, re.MULTILINE):
            words += shlex.split(rest) if kind == "launch" else ["--params", rest.strip()]
        return cls.from_options(words, origin)

    def place(self, message: str) -> str:
        """The file and the line of the option that a message begins with, if it has any."""
        known = [option for option in self.places if message.startswith(option)]
        return self.places[max(known, key=len)] if known else ""

    # --- meeting kernels

    def find(self, name: str, kernel: Kernel) -> KernelParameter | None:
        """The parameter of a kernel that goes by this name or position."""
        owner, _, offset = name.rpartition(".")
        if owner and offset.isdecimal():
            whole = self.find(owner, kernel)
            members = (m for m in kernel.members if whole is not None and m.region == whole.region)
            return next((m for m in members if m.offset == int(offset)), None)
        if name in self.positional:
            name = str(self.positional.index(name))
        for parameter in kernel.parameters:
            if name in (parameter.name, short(parameter, kernel), str(parameter.index)):
                return parameter
        return None

    def word(self, option: str, name: str, kernel: Kernel) -> KernelParameter | None:
        """What goes by the name. Raises ContractError for a structure, whose members do."""
        parameter = self.find(name, kernel)
        members = [
            m for m in kernel.members if parameter is not None and m.region == parameter.region
        ]
        if parameter is None or parameter in members or not members:
            return parameter
        known = ", ".join(f"{name}.{member.offset}" for member in members)
        raise ContractError(f"{option}: {name} is a structure, its members are {known}")

    def missing(self, option: str, name: str, kernels: Sequence[Kernel]) -> str:
        if len(kernels) == 1:
            known = ", ".join(self.names(kernels[0])) or "none"
            return f"{option}: no kernel has a parameter {name}, this kernel's are {known}"
        lists = [f"{kernel.name}({', '.join(self.names(kernel))})" for kernel in kernels[:5]]
        more = f" and {len(kernels) - 5} more" if len(kernels) > 5 else ""
        return f"{option}: no kernel has a parameter {name}: {', '.join(lists)}{more}"

    def names(self, kernel: Kernel) -> tuple[str, ...]:
        """What the parameters are called: as declared, else as in the PTX, in short; and their
        members, by the offset."""
        declared = self.positional[: len(kernel.parameters)]
        found = declared + tuple(short(p, kernel) for p in kernel.parameters[len(declared) :])
        whole = {p.region: name for p, name in zip(kernel.parameters, found, strict=True)}
        return found + tuple(f"{whole[m.region]}.{m.offset}" for m in kernel.members)

    @property
    def positional(self) -> tuple[str, ...]:
        """The names of ``params`` that go by their order: not those of members."""
        return tuple(name for name in self.params if "." not in name)

    def fits(self, kernel: Kernel) -> bool:
        return any(fnmatchcase(n, self.kernel) for n in (kernel.name, demangled(kernel.name)))

    def found(
        self, option: str, names: Iterable[str], kernel: Kernel
    ) -> Iterator[tuple[str, KernelParameter]]:
        """The parameters that the names stand for, each at most once."""
        seen: dict[int, str] = {}
        for name in names:
            parameter = self.word(f"{option} {name}", name, kernel)
            if parameter is None:
                continue
            if parameter.index in seen:
                other = seen[parameter.index]
                raise ContractError(f"{option} {name}: the same parameter as {other}")
            seen[parameter.index] = name
            yield name, parameter

    def meaning(self, option: str, kernel: Kernel, word: str) -> str:
        """The name in the PTX of what an expression calls ``word``."""
        if word in SHAPE:
            return word
        parameter = self.word(option, word, kernel)
        if parameter is None:
            raise ContractError(self.missing(option, word, [kernel]))
        if parameter.size > 8 or parameter.type.startswith("f"):
            raise ContractError(f"{option}: {word} is .{parameter.type}, no integer")
        return parameter.name


def ranged(value: tuple[int, int] | float) -> Range | float:
    return value if isinstance(value, float) else Range(*value)


def short(parameter: KernelParameter, kernel: Kernel) -> str:
    """Its name in the PTX without the kernel's: compilers call them ``k_param_0``."""
    return parameter.name.removeprefix(f"{kernel.name}_")
