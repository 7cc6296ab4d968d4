"""What one source declares about the launches of kernels, by the names of parameters.

    Contract(block=256, args={"n": (1, 4096)}, buffers={"x": "4*n"}, requires=["n % 4 == 0"])

Everything is optional: undeclared values are unconstrained, and the answer says so. Sizes are in
bytes, ranges include both ends. The command line, files in TOML, comments and records of launches
all make this one object; ``resolution`` turns the contracts of all sources into the ``Launch`` of
one kernel, by position.

A parameter goes by its name in the PTX, by its position counted from 0, or by a name that
``params`` gives it, because compilers drop the names of the source. A member of a structure by
value goes by that and its offset in bytes: ``param_0.8`` is the word at ``[k_param_0+8]``. Sizes
and conditions may use integer parameters and the launch's shape: ``ntid.x`` (threads of a block
along x), ``nctaid.x`` (blocks of the grid). An integer in a size that is not declared is any number
from 0 to the greatest of its type, which is signed unless ``params`` has another (``n: u32``).

Two things alone take it that buffers do not overlap: ``data-race``, which looks for races in
buffers of their own, and the declared range of the values in a buffer.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from analyses.hardware import MAX_THREADS
from ptxlint.contracts.declaration import (
    Buffer,
    ContractError,
    Distinct,
    PointerInto,
    Range,
    Requirement,
    Triple,
    argument,
    extreme,
    listed,
    named,
    parameter_names,
    shape,
    shown,
    structures,
    value_range,
)
from ptxlint.contracts.expression import ExpressionError, names, parse, value
from ptxlint.contracts.launch import MAX_BLOCK, MAX_GRID, SHAPE
from ptxlint.contracts.option_names import COMMAND_LINE, OLD, SEVERAL, SINGLE
from ptxlint.mangling import matches

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter

Number = int | float | str | Range | PointerInto | Sequence[int]
KEYS = {"assume": "requires", "arg": "args", "buffer": "buffers", "layout": "layouts"}
"""The arguments of ``Contract``, and the keys of a table, that are not called as the option."""

LAUNCH_KEYS = {
    "kernel": "Pattern of the names of kernels, mangled or demangled; '*' if none is given.",
    "params": "Names for the parameters, in order, each with a type if wanted: 'n: s32'.",
    "block": "Threads of a block: 256, '32x8' or [32, 8].",
    "grid": "Blocks of the grid: 64, '(n+255)/256' or [64, 2].",
    "shared": "Bytes of dynamic shared memory: 4096 or '4*ntid.x'.",
    "args": "Values of parameters: 1000, '1..4096', 2.5, or a pointer into a buffer, 'x+4*n'.",
    "buffers": "Bytes of what pointers point to: '4*n'; '4*n@16': the alignment; '4*n or null'.",
    "values": "Value ranges of index buffers: '0..n-1' or '0..n-1:u64'.",
    "layouts": "Layouts of buffers: 'aos:4,4,8', an array of structures with such fields.",
    "requires": "Conditions that every launch meets: 'n % 4 == 0'.",
    "writes": "The only buffers that may be written.",
    "distinct": "Buffers that must not overlap: 'in, out' or 'in, out or same'. Without it none are"
    " taken to overlap; with it, all that it does not name may.",
}
"""The keys of a ``[[launch]]`` table, with their meaning."""


class Named(Protocol):
    """A kernel, of which the name alone matters."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, init=False)
class Contract:
    """What a source declares about the launches of the kernels whose names fit the pattern
    ``kernel``. ``params`` are names of parameters in order, each with its type or an empty text;
    ``writes`` are the only buffers that may be written, ``distinct`` those that must not overlap,
    and no others; None where nothing is declared. ``places`` are lines of a file, by option."""

    kernel: str
    block: Triple | None
    grid: Triple | None
    shared: Buffer | None
    args: Mapping[str, Range | float | PointerInto]
    buffers: Mapping[str, Buffer]
    params: Mapping[str, str]
    requires: tuple[Requirement, ...]
    writes: tuple[str, ...] | None
    distinct: tuple[Distinct, ...] | None
    origin: str
    places: Mapping[str, str]

    def __init__(
        self,
        kernel: str = "*",
        *,
        block: int | str | Sequence[int] | None = None,
        grid: int | str | Sequence[int] | None = None,
        shared: int | str | Buffer | None = None,
        args: Mapping[str, Number] | None = None,
        buffers: Mapping[str, int | str | Buffer] | None = None,
        values: Mapping[str, str] | None = None,
        layouts: Mapping[str, str] | None = None,
        params: str | Sequence[str] | Mapping[str, str] = (),
        requires: Sequence[str | Requirement] = (),
        writes: str | Sequence[str] | None = None,
        distinct: Sequence[str | Sequence[str] | Distinct] | None = None,
        origin: str = "contract",
        places: Mapping[str, str] | None = None,
    ) -> None:
        """Numbers and expressions as Python has them or as text: ``args={"n": 1000}``,
        ``{"m": (1, 4096)}``, ``{"m": "1..4096"}``; ``buffers={"x": "4*n", "at": Buffer("4*n",
        align=16, values="0..m-1")}``, or ``values`` and ``layouts`` apart. Raises ContractError."""
        put = object.__setattr__
        put(self, "origin", origin)
        put(self, "places", places or {})
        with self.located():
            put(self, "kernel", pattern(kernel))
            threads = None if block is None else shape("--block", block, MAX_BLOCK, MAX_THREADS)
            put(self, "block", threads)
            put(self, "args", {n: argument(n, each) for n, each in table("args", args).items()})
            blocks, sizes = grid_of(grid, self.args)
            put(self, "grid", blocks)
            put(self, "shared", None if shared is None else Buffer.of("--shared ", shared))
            laid = table("values", values), table("layouts", layouts)
            put(self, "buffers", dict(buffers_of(table("buffers", buffers), *laid)))
            for name in self.args.keys() & self.buffers.keys():
                raise ContractError(f"--buffer {name}: {name} is declared by --arg too")
            if isinstance(params, Mapping):
                params = [f"{name}:{kind}" if kind != "" else name for name, kind in params.items()]
            put(self, "params", dict(parameter_names(params)) if params else {})
            said = map(Requirement.of, several("assume", requires))
            put(self, "requires", (*said, *sizes))
            put(self, "writes", None if writes is None else listed("writes", writes))
            pairs = None if distinct is None else several("distinct", distinct)
            put(self, "distinct", None if pairs is None else tuple(map(Distinct.of, pairs)))

    @classmethod
    def of(cls, *, origin: str = COMMAND_LINE, **options: Any) -> Contract:
        """The contract of options, each as it stands on the command line. Raises ContractError."""
        for old, new in OLD.items():
            options[new] = (*options.get(new, ()), *options.pop(old, ()))
        pairs = {name: dict(named(f"--{name}", options.pop(name, ())))
                 for name in ("arg", "buffer", "values", "layout")}  # fmt: skip
        renamed = {KEYS.get(name, name): value for name, value in (options | pairs).items()}
        return cls(origin=origin, **{k: v for k, v in renamed.items() if v is not None})

    @classmethod
    def from_options(cls, words: Sequence[str], origin: str = COMMAND_LINE) -> Contract:
        """The contract in a list of words: ``--block 256 --arg n=1000``."""
        single: dict[str, str] = {}
        several: dict[str, list[str]] = {}
        rest = iter(words)
        for option in rest:
            name = option.removeprefix("--")
            value = next(rest, None)
            if value is None:
                raise ContractError(f"{option}: expected a value after it")
            if name in SEVERAL or name in OLD:
                several.setdefault(name, []).append(value)
            elif name in SINGLE and name not in single:
                single[name] = value
            else:
                raise ContractError(f"{option}: given twice, or no launch option")
        return cls.of(origin=origin, **single, **several)

    @classmethod
    def from_comments(cls, text: str, origin: str = "comments") -> Contract:
        """The contract in the comments ``// launch: --block 256`` and ``// params: n,in``."""
        words: list[str] = []
        for kind, rest in re.findall(r"^\s*//\s*(launch|params):(.*)$", text, re.MULTILINE):
            words += shlex.split(rest) if kind == "launch" else ["--params", rest.strip()]
        return cls.from_options(words, origin)

    def options(self) -> Iterator[tuple[str, str]]:
        """The options, with their values, that declare this on a command line."""
        if self.params:
            yield "--params", ",".join(self.typed_params)
        for option, size in (("--grid", self.grid), ("--block", self.block)):
            if size is not None:
                yield option, shown(size)
        if self.shared is not None:
            yield "--shared", self.shared.text
        yield from (("--arg", f"{name}={value}") for name, value in self.args.items())
        yield from (("--buffer", f"{name}={each.text}") for name, each in self.buffers.items())
        for name, buffer in self.buffers.items():
            if buffer.value_range is not None:
                yield "--values", f"{name}={buffer.value_range.text}"
            if buffer.structures is not None:
                yield "--layout", f"{name}={buffer.structures}"
        yield from (("--assume", each.text) for each in self.requires)
        if self.writes is not None:
            yield "--writes", ",".join(self.writes)
        yield from (("--distinct", each.text) for each in self.distinct or ())

    def comments(self) -> str:
        """The lines of a source from which ``from_comments`` makes this."""
        words = [word for pair in self.options() if pair[0] != "--params" for word in pair]
        params = ",".join(self.params)
        return f"// launch: {shlex.join(words)}\n" + f"// params: {params}\n" * bool(params)

    # --- messages

    def place(self, message: str) -> str:
        """The file and the line of the option that a message begins with, if it has any."""
        known = [option for option in self.places if message.startswith(option)]
        return self.places[max(known, key=len)] if known else ""

    @contextmanager
    def located(self) -> Iterator[None]:
        """Errors begin with the place of what they are about, and name it as the source does."""
        try:
            yield
        except ContractError as error:
            if self.origin == COMMAND_LINE:
                raise
            message, place = str(error), self.place(str(error))
            said = re.sub(r"^--assume", "requires", message).removeprefix("--")
            raise ContractError(f"{place}: {said}" if place else said) from None

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
        """The parameter of the name. Raises ContractError for a struct; its members have names."""
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
        lists = [f"{kernel.demangled}({', '.join(self.names(kernel))})" for kernel in kernels[:5]]
        more = f" and {len(kernels) - 5} more" if len(kernels) > 5 else ""
        return f"{option}: no kernel has a parameter {name}: {', '.join(lists)}{more}"

    def names(self, kernel: Kernel) -> tuple[str, ...]:
        """The names of parameters: as declared, else short names of the PTX; and of their members,
        by offset."""
        declared = self.positional[: len(kernel.parameters)]
        found = declared + tuple(short(p, kernel) for p in kernel.parameters[len(declared) :])
        whole = {p.region: name for p, name in zip(kernel.parameters, found, strict=True)}
        return found + tuple(f"{whole[m.region]}.{m.offset}" for m in kernel.members)

    @property
    def typed_params(self) -> list[str]:
        """``n: s32``, or ``n`` where no type is given."""
        return [f"{name}: {kind}" if kind else name for name, kind in self.params.items()]

    @property
    def positional(self) -> tuple[str, ...]:
        """The names of ``params`` that go by their order: not those of members."""
        return tuple(name for name in self.params if "." not in name)

    @property
    def named(self) -> bool:
        """True if it names parameters."""
        return bool(self.args or self.buffers or self.params or self.writes or self.distinct)

    def fits(self, kernel: Named) -> bool:
        return matches(kernel.name, self.kernel)

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
        """The name in the PTX of a name in an expression."""
        if word in SHAPE:
            return word
        held = extreme(word)
        if held is not None:
            owner, end = held
            buffer = self.word(option, owner, kernel)
            if buffer is None:
                raise ContractError(self.missing(option, owner, [kernel]))
            if buffer.size != kernel.address_size or buffer.type.startswith("f"):
                raise ContractError(f"{option}: {owner} is no pointer, it is .{buffer.type}")
            return f"{buffer.name}.{end}"
        parameter = self.word(option, word, kernel)
        if parameter is None:
            raise ContractError(self.missing(option, word, [kernel]))
        if parameter.size > 8 or parameter.type.startswith("f"):
            raise ContractError(f"{option}: {word} is .{parameter.type}, no integer")
        return parameter.name


def pattern(kernel: object) -> str:
    if isinstance(kernel, str):
        return kernel
    raise ContractError("--kernel: expected a pattern in quotes, like 'reduce_*'")


def grid_of(
    grid: int | str | Sequence[int] | None, arguments: Mapping[str, Range | float | PointerInto]
) -> tuple[Triple | None, list[Requirement]]:
    """A grid of numbers, and the requirements that stand for one of expressions: ``(n+255)/256`` is
    ``nctaid.x == (n+255)//256`` unless n is a number, and there is one block along axes not
    said."""
    if grid is None:
        return None, []
    if not isinstance(grid, str) or re.fullmatch(r"[\dx,()\s]*", grid):
        return shape("--grid", grid, MAX_GRID), []
    axes = [axis.strip() for axis in grid.split(",")]
    if len(axes) > 3 or not all(axes):
        raise ContractError(f"--grid {grid}: expected one to three sizes, like (n+255)/256,4")
    axes += ["1"] * (3 - len(axes))
    sizes = [re.sub(r"(?<!/)/(?!/)", "//", axis) for axis in axes]
    exact = {n: r.low for n, r in arguments.items() if isinstance(r, Range) and r.low == r.high}
    try:
        trees = [parse(size) for size in sizes]
        if all(names(tree) <= exact.keys() for tree in trees):
            numbers = [value(tree, exact.__getitem__) for tree in trees]
            return shape("--grid", numbers, MAX_GRID), []
    except (ExpressionError, ZeroDivisionError) as error:
        raise ContractError(f"--grid {grid}: {error}") from None
    said = [f"nctaid.{axis} == {size}" for axis, size in zip("xyz", sizes, strict=True)]
    return None, [Requirement.of(each, f"--grid {grid}") for each in said]


def table(key: str, said: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if said is not None and not isinstance(said, Mapping):
        raise ContractError(f"--{key}: expected a value for each name, like {{'n': 1000}}")
    return said or {}


def several(key: str, said: Sequence[Any]) -> Sequence[Any]:
    if isinstance(said, str) or not isinstance(said, Sequence):
        raise ContractError(f"--{key}: expected a list of texts in quotes")
    return said


def buffers_of(
    sizes: Mapping[str, int | str | Buffer], values: Mapping[str, str], layouts: Mapping[str, str]
) -> Iterator[tuple[str, Buffer]]:
    """The buffers by name, with the range of their values and their layout where that is said
    apart."""
    for option, said in (("--values", values), ("--layout", layouts)):
        for name in said.keys() - sizes.keys():
            raise ContractError(f"{option} {name}: its size is missing, --buffer {name}=BYTES")
        for name, text in said.items():
            if not isinstance(text, str):
                raise ContractError(f"{option} {name}={text!r}: expected a text in quotes")
    for name, size in sizes.items():
        buffer = Buffer.of(f"--buffer {name}=", size)
        if name in values:
            held = value_range(f"--values {name}={values[name]}", values[name])
            buffer = replace(buffer, values=held)
        if name in layouts:
            laid = structures(f"--layout {name}={layouts[name]}", layouts[name])
            buffer = replace(buffer, layout=laid)
        yield name, buffer


def short(parameter: KernelParameter, kernel: Kernel) -> str:
    """Its name in the PTX without the kernel's: compilers call them ``k_param_0``."""
    return parameter.name.removeprefix(f"{kernel.name}_")
