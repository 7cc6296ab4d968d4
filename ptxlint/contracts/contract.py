"""What is known about the launches of a kernel: declared by the user or by the PTX itself.

Everything is optional. What nobody declares may be anything that is legal on a GPU, and the answer
says so. Extents are in bytes, ranges include both ends.

A ``Contract`` is what one source said, by name; ``resolved`` turns the contracts of all sources
into the ``Launch`` of one kernel, by position. A parameter goes by its name in the PTX, by its
position counted from 0, or by a name that ``params`` gives it, because compilers drop the names of
the source. A member of a structure by value goes by that and its offset in bytes: ``param_0.8`` is
the word at ``[k_param_0+8]``. Sizes and needs may speak of integer parameters and of the launch's
shape: ``ntid.x`` (threads of a block along x), ``nctaid.x`` (blocks of the grid). An integer that a
size speaks of and nobody declares is any number from 0 to the greatest of its type, which is signed
unless ``params`` says that it is not (``n: u32``).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from ptxlint.contracts.agreement import contradictory, directives, fitted
from ptxlint.contracts.declaration import ContractError as ContractError
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
    shape,
)
from ptxlint.contracts.expression import (
    Condition,
    Expression,
    ExpressionError,
    interval,
    names,
    renamed,
)
from ptxlint.contracts.launch import MAX_BLOCK as MAX_BLOCK
from ptxlint.contracts.launch import MAX_BUFFER as MAX_BUFFER
from ptxlint.contracts.launch import MAX_GRID as MAX_GRID
from ptxlint.contracts.launch import MAX_THREADS as MAX_THREADS
from ptxlint.contracts.launch import SHAPE as SHAPE
from ptxlint.contracts.launch import Broken as Broken
from ptxlint.contracts.launch import Extent as Extent
from ptxlint.contracts.launch import Launch as Launch
from ptxlint.contracts.launch import Range as Range
from ptxlint.mangling import demangled

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, Parameter


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer as declared: its extent is an expression over arguments, and so are the ends of the
    range of the integers that it holds."""

    text: str
    extent: Expression
    align: int = 256
    holds: Held | None = None

    @classmethod
    def of(cls, option: str, text: str) -> Buffer:
        """``4*n``, ``4*n@16`` or ``4*n holds 0..7``. Raises ContractError."""
        size, said, inside = text.partition(" holds ")
        return cls(size, *extent(option, size), held(option + size, inside) if said else None)


@dataclass(frozen=True, slots=True)
class Need:
    """Conditions as declared."""

    text: str
    conditions: tuple[Condition, ...]
    place: str = ""  # file and line, where there is one


@dataclass(frozen=True)
class Contract:
    """What a source declares about launches, by the names of parameters. ``kernel`` is a pattern
    for the kernels that it is about; ``types`` are those of ``params``, empty where not said;
    ``writes`` are the only buffers that the kernel may write."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: Buffer | None = None
    values: Mapping[str, Range | float] = field(default_factory=dict)
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    params: tuple[str, ...] = ()
    origin: str = "command line"
    needs: tuple[Need, ...] = ()
    kernel: str = "*"
    types: tuple[str, ...] = ()
    place: str = ""  # file and line, where there is one
    writes: tuple[str, ...] | None = None

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
            None if shared is None else Buffer(shared, *extent("--shared", shared)),
            {name: ranged(argument(name, text)) for name, text in values.items()},
            {name: Buffer.of(f"--buffer {name}=", text) for name, text in buffers.items()},
            tuple(name for name, _ in called),
            origin,
            tuple(Need(text, needed(text)) for text in need),
            types=tuple(kind for _, kind in called),
            writes=None if writes is None else buffer_names(writes),
        )

    @classmethod
    def from_options(cls, words: Sequence[str], origin: str = "command line") -> Contract:
        """The contract in a list of words: ``--block 256 --arg n=1000``."""
        single: dict[str, str] = {}
        several: dict[str, list[str]] = {"arg": [], "buffer": [], "need": []}
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
        return cls.of(**single, **several, origin=origin)  # type: ignore[arg-type]

    @classmethod
    def from_comments(cls, text: str, origin: str = "comments") -> Contract:
        """The contract in the comments ``// launch: --block 256`` and ``// params: n,in``."""
        words: list[str] = []
        for kind, rest in re.findall(r"^\s*//\s*(launch|params):(.*)$", text, re.MULTILINE):
            words += shlex.split(rest) if kind == "launch" else ["--params", rest.strip()]
        return cls.from_options(words, origin)

    # --- meeting kernels

    def find(self, name: str, kernel: Kernel) -> Parameter | None:
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

    def word(self, option: str, name: str, kernel: Kernel) -> Parameter | None:
        """What goes by the name. Raises ContractError for a structure, whose members do."""
        parameter = self.find(name, kernel)
        members = [
            m for m in kernel.members if parameter is not None and m.region == parameter.region
        ]
        if parameter is None or parameter in members or not members:
            return parameter
        known = ", ".join(f"{name}.{member.offset}" for member in members)
        raise ContractError(f"{option}: {name} is a structure, its members are {known}")

    def require(self, kernels: Sequence[Kernel]) -> None:
        """Raises ContractError for a name that no kernel has a parameter for."""
        required([self], kernels)

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

    def for_kernel(self, kernel: Kernel) -> Launch:
        """The launches of this kernel that the contract alone allows."""
        return resolved([self], kernel)

    def fits(self, kernel: Kernel) -> bool:
        return any(fnmatchcase(n, self.kernel) for n in (kernel.name, demangled(kernel.name)))

    def found(
        self, option: str, names: Iterable[str], kernel: Kernel
    ) -> Iterator[tuple[str, Parameter]]:
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


def short(parameter: Parameter, kernel: Kernel) -> str:
    """Its name in the PTX without the kernel's: compilers call them ``k_param_0``."""
    return parameter.name.removeprefix(f"{kernel.name}_")


# --- what all sources say of a kernel


def resolved(contracts: Sequence[Contract], kernel: Kernel) -> Launch:
    """The launches of a kernel that all its contracts allow. Where two declare the same thing, the
    first one counts; needs add up. Raises ContractError. Names of parameters that this kernel does
    not have are passed over (see ``require``)."""
    own = about(contracts, kernel)
    resolution = _Resolution(kernel, next((c.block for c in own if c.block), None),
                             next((c.grid for c in own if c.grid), None))  # fmt: skip
    for contract in own:
        with blamed(contract):
            resolution.add(contract)
    return resolution.launch(own)


def about(contracts: Iterable[Contract], kernel: Kernel) -> list[Contract]:
    """Those that a kernel fits. One without names for the parameters takes those of the first that
    has any."""
    own = [contract for contract in contracts if contract.fits(kernel)]
    params = next((contract.params for contract in own if contract.params), ())
    return [replace(contract, params=contract.params or params) for contract in own]


def required(contracts: Sequence[Contract], kernels: Sequence[Kernel]) -> None:
    """Raises ContractError for a name that none of the kernels has a parameter for."""
    for number, contract in enumerate(contracts):
        own = [
            (kernel, about([contract, *contracts[:number], *contracts[number + 1 :]], kernel)[0])
            for kernel in kernels
            if contract.fits(kernel)
        ]
        with blamed(contract):
            for option, declared in (
                ("--arg", contract.values),
                ("--buffer", contract.buffers),
                ("--writes", contract.writes or ()),
                ("--params", [name for name in contract.params if "." in name]),
            ):
                for name in declared:
                    if own and not any(named.find(name, kernel) for kernel, named in own):
                        named = own[0][1]
                        kernels = [kernel for kernel, _ in own]
                        raise ContractError(named.missing(f"{option} {name}", name, kernels))
            most = max((len(kernel.parameters) for kernel, _ in own), default=None)
            if most is not None and len(contract.positional) > most:
                count = len(contract.positional)
                raise ContractError(
                    f"--params: {count} names, but no kernel has more than {most} parameters"
                )


@contextmanager
def blamed(contract: Contract) -> Iterator[None]:
    """Errors begin with the place that the contract stands at."""
    try:
        yield
    except ContractError as error:
        if not contract.place or str(error).startswith(contract.place):
            raise
        raise ContractError(f"{contract.place}: {str(error).removeprefix('--')}") from None


@dataclass
class _Resolution:
    kernel: Kernel
    block: Triple | None
    grid: Triple | None
    values: dict[int, Range | float] = field(default_factory=dict)
    sized: dict[int, tuple[Contract, str]] = field(default_factory=dict)
    counts: set[int] = field(default_factory=set)
    unsigned: set[int] = field(default_factory=set)

    def add(self, contract: Contract) -> None:
        kernel = self.kernel
        for name, kind in zip(contract.params, contract.types, strict=False):
            parameter = contract.find(name, kernel)
            if parameter is None or not kind or (parameter.structure and kind == parameter.type):
                continue
            if int(kind[1:]) != 8 * parameter.size:
                raise ContractError(f"--params {name}: {kind}, but the PTX has .{parameter.type}")
            if kind.startswith("u") and parameter.size <= 8:
                self.unsigned.add(parameter.index)
        taken = self.values.keys() | self.sized.keys()
        numbers = {p.index: name for name, p in contract.found("--arg", contract.values, kernel)}
        values = {
            p.index: fitted(name, contract.values[name], p)
            for name, p in contract.found("--arg", contract.values, kernel)
        }
        for name, parameter in contract.found("--buffer", contract.buffers, kernel):
            option = f"--buffer {name}={contract.buffers[name].text}"
            if parameter.index in numbers:
                raise ContractError(f"--buffer {name}: an --arg declares this parameter too")
            if parameter.size != 8 or parameter.type.startswith("f"):
                raise ContractError(f"{option}: {name} is no pointer, it is .{parameter.type}")
            if parameter.index not in taken:
                self.sized[parameter.index] = contract, name
        self.values |= {i: value for i, value in values.items() if i not in taken}

    def launch(self, own: Sequence[Contract]) -> Launch:
        named = next((c for c in own if c.params), Contract())
        buffers, shared = {}, None
        for index, (contract, name) in self.sized.items():
            buffer = contract.buffers[name]
            with blamed(contract):
                buffers[index] = self.extent(contract, f"--buffer {name}={buffer.text}", buffer)
        for contract in own:
            if shared is None and contract.shared is not None:
                with blamed(contract):
                    option = f"--shared {contract.shared.text}"
                    shared = self.extent(contract, option, contract.shared)
        block, bound, declared = directives(self.kernel, self.block)
        said = [
            c
            for c in own
            if c.block
            or c.grid
            or c.shared
            or c.values
            or c.buffers
            or c.needs
            or c.writes is not None
        ]
        origins = [c.origin for c in said] + ["PTX directives"] * declared
        launch = Launch(
            block,
            self.grid,
            shared,
            self.values,
            buffers,
            named.names(self.kernel),
            " and ".join(dict.fromkeys(origins)) or "any legal launch",
            bound,
            counts=frozenset(self.counts),
            unsigned=frozenset(self.unsigned),
            written=next((self.writable(c) for c in own if c.writes is not None), None),
        )
        for contract in own:
            with blamed(contract):
                launch = self.needing(launch, contract, alone=len(own) == 1)
        return launch

    def writable(self, contract: Contract) -> frozenset[int]:
        """The positions of the buffers that may be written."""
        found = contract.found("--writes", contract.writes or (), self.kernel)
        return frozenset(parameter.index for _, parameter in found)

    def needing(self, launch: Launch, contract: Contract, alone: bool) -> Launch:
        """The launch with the needs of a contract, but for those that what others declare breaks.
        Raises ContractError where the contract contradicts itself."""
        for need in contract.needs:
            option = f"--need {need.text}"
            meaning = partial(contract.meaning, option, self.kernel)
            added = tuple(
                Condition(renamed(c.left, meaning), c.relation, renamed(c.right, meaning))
                for c in need.conditions
            )
            if not contradictory(launch.needs + added, self.bounds):
                needed = (*launch.needed, need.text)
                launch = replace(launch, needs=launch.needs + added, needed=needed)
            elif alone:
                raise ContractError(f"{option}: no launch meets this and all else that is declared")
            else:
                resolved([contract], self.kernel)
                broken = Broken(need.text, need.place or contract.origin)
                launch = replace(launch, broken=(*launch.broken, broken))
        return launch

    def extent(self, contract: Contract, option: str, buffer: Buffer) -> Extent:
        text = buffer.text.partition("@")[0].strip()
        size = renamed(buffer.extent, partial(contract.meaning, option, self.kernel))
        open_ = bool([word for word in sorted(names(size)) if self.open(option, word)])
        try:
            low, high = interval(size, self.bounds, inf if open_ else MAX_BUFFER)
        except ExpressionError as error:
            raise ContractError(f"{option}: {error}") from None
        if high < 0 or (low < 0 and not open_):
            raise ContractError(f"{option}: the extent may be negative, {low} bytes")
        holds = self.holding(contract, option, buffer.holds) if buffer.holds is not None else None
        bytes_ = Range(0, MAX_BUFFER) if open_ and low < high else Range(low, high)
        return Extent(bytes_, buffer.align, None if bytes_.single else size, text, holds)

    def holding(self, contract: Contract, option: str, held: Held) -> Held:
        """The range by names of the PTX. Raises ContractError where it is empty in every launch, or
        leaves the type."""
        option = f"{option} holds {held.text}"
        meaning = partial(contract.meaning, option, self.kernel)
        found = replace(held, low=renamed(held.low, meaning), high=renamed(held.high, meaning))
        for word in sorted(names(found.low) | names(found.high)):
            self.open(option, word)
        try:
            (low, _), (_, high) = (interval(e, self.bounds, inf) for e in (found.low, found.high))
        except ExpressionError as error:
            raise ContractError(f"{option}: {error}") from None
        if high < low:
            raise ContractError(f"{option}: the range is empty")
        return found

    def open(self, option: str, word: str) -> bool:
        """Whether nobody declares what a name of the PTX stands for; a parameter is then taken not
        to be negative."""
        if word in SHAPE:
            return (self.block if word.startswith("ntid") else self.grid) is None
        parameter = next(p for p in self.kernel.arguments if p.name == word)
        value = self.values.get(parameter.index)
        if isinstance(value, float):
            raise ContractError(f"{option}: {word} is {value}, no integer")
        if value is None:
            self.counts.add(parameter.index)
        return value is None

    def bounds(self, word: str) -> tuple[int, int]:
        """The least and the greatest value of a name of the PTX."""
        if word in SHAPE:
            shape = self.block if word.startswith("ntid") else self.grid
            at = "xyz".index(word[-1])
            return SHAPE[word] if shape is None else (shape[at], shape[at])
        parameter = next(p for p in self.kernel.arguments if p.name == word)
        value = self.values.get(parameter.index)
        if isinstance(value, Range):
            return value.low, value.high
        half = 2 ** (8 * parameter.size - 1)
        if parameter.index in self.unsigned:
            return 0, 2 * half - 1
        return (0 if parameter.index in self.counts else -half), half - 1


def ranged(value: tuple[int, int] | float) -> Range | float:
    return value if isinstance(value, float) else Range(*value)
