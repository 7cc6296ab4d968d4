"""Resolution: the contracts of all sources, by name, become the ``Launch`` of one kernel, by
position.

If two sources declare the same thing, the first one counts; conditions add up.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from analyses.hardware import MAX_THREADS
from analyses.polynomials.symbols import type_range
from ptxlint.contracts.consistency import directives, fits, fitted
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.contradiction import contradictory
from ptxlint.contracts.declaration import (
    NULL_POINTER,
    Buffer,
    ContractError,
    Distinct,
    PointerInto,
    Range,
    Requirement,
    Triple,
    ValueRange,
    extreme,
)
from ptxlint.contracts.expression import (
    LARGEST,
    Condition,
    DivisorError,
    Expression,
    ExpressionError,
    Identifier,
    Number,
    Operation,
    interval,
    names,
    renamed,
    value,
)
from ptxlint.contracts.launch import (
    MAX_BUFFER,
    MAX_GRID,
    MAX_SHARED,
    SHAPE,
    Extent,
    Interior,
    Launch,
    ViolatedRequirement,
)

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter
    from ptxlint.source import Source

IMPOSSIBLE = "no launch meets this and all else that is declared"


def resolved(contracts: Sequence[Contract], kernel: Kernel, arch: str = "") -> Launch:
    """The launches of a kernel that all its contracts allow, on a device of ``arch`` if one is
    given. Where two declare the same thing, the first one counts; requirements add up. Raises
    ContractError. Names of parameters that this kernel does not have are passed over (see
    ``required``)."""
    own = about(contracts, kernel)
    resolution = _Resolution(kernel, next((c.block for c in own if c.block), None),
                             next((c.grid for c in own if c.grid), None), arch)  # fmt: skip
    for contract in own:
        with contract.located():
            resolution.add(contract)
    return resolution.launch(own)


def about(contracts: Iterable[Contract], kernel: Kernel) -> list[Contract]:
    """Those that a kernel fits. One without names for the parameters takes those of the first that
    has any."""
    own = [contract for contract in contracts if contract.fits(kernel)]
    params = next((contract.params for contract in own if contract.params), {})
    names = dict.fromkeys(params, "")
    return [dataclasses.replace(contract, params=contract.params or names) for contract in own]


def beside(source: Source | None) -> list[Contract]:
    """What the metadata beside a source declare, if there are any."""
    declared = source.launch if source is not None else ()
    return [Contract.from_options(declared, "metadata")] if declared else []


def required(
    contracts: Sequence[Contract], kernels: Iterable[tuple[Kernel, Source | None]]
) -> None:
    """Raises ContractError for a name that none of the kernels has a parameter for."""
    known = [(kernel, beside(source)) for kernel, source in kernels]
    for number, contract in enumerate(contracts):
        others = [*contracts[:number], *contracts[number + 1 :]]
        own = [
            (kernel, about([contract, *others, *metadata], kernel)[0])
            for kernel, metadata in known
            if contract.fits(kernel)
        ]
        with contract.located():
            for option, declared in (
                ("--arg", contract.args),
                ("--buffer", contract.buffers),
                ("--writes", contract.writes or ()),
                *((f"--distinct {d.text}:", d.names) for d in contract.distinct or ()),
                ("--params", [name for name in contract.params if "." in name]),
            ):
                for name in declared:
                    if own and not any(named.find(name, kernel) for kernel, named in own):
                        named = own[0][1]
                        there = [kernel for kernel, _ in own]
                        raise ContractError(named.missing(f"{option} {name}", name, there))
            most = max((len(kernel.parameters) for kernel, _ in own), default=None)
            if most is not None and len(contract.positional) > most:
                count = len(contract.positional)
                raise ContractError(
                    f"--params: {count} names, but no kernel has more than {most} parameters"
                )


class _Resolution(Struct):
    kernel: Kernel
    block: Triple | None
    grid: Triple | None
    arch: str
    values: dict[int, Range | float] = {}
    sized: dict[int, tuple[Contract, str]] = {}
    into: dict[int, tuple[Contract, str, PointerInto]] = {}
    heard: list[Contract] = []  # that declare one of these first
    counts: set[int] = set()
    unsigned: set[int] = set()
    most: int = MAX_THREADS
    sizes: list[Condition] = []  # that are not negative

    def add(self, contract: Contract) -> None:
        kernel = self.kernel
        names = contract.names(kernel)
        for name, kind in contract.params.items():
            if names.count(name) > 1:
                where = f"kernel {kernel.demangled} calls another parameter so"
                raise ContractError(f"--params {name}: {where}: name all {len(kernel.parameters)}")
            parameter = contract.find(name, kernel)
            if parameter is None or not kind or (parameter.structure and kind == parameter.type):
                continue
            if int(kind[1:]) != 8 * parameter.size:
                raise ContractError(f"--params {name}: {kind}, but the PTX has .{parameter.type}")
            if kind.startswith("u") and parameter.size <= 8:
                self.unsigned.add(parameter.index)
        taken = self.values.keys() | self.sized.keys()
        numbers = {p.index: name for name, p in contract.found("--arg", contract.args, kernel)}
        values: dict[int, Range | float] = {}
        for name, parameter in contract.found("--arg", contract.args, kernel):
            said = contract.args[name]
            if isinstance(said, PointerInto):
                self.pointer(f"--arg {name}={said}", name, parameter)
                self.into.setdefault(parameter.index, (contract, name, said))
            else:
                values[parameter.index] = fitted(name, said, parameter)
        for name, parameter in contract.found("--buffer", contract.buffers, kernel):
            option = f"--buffer {name}={contract.buffers[name].text}"
            if parameter.index in numbers:
                raise ContractError(f"--buffer {name}: an --arg declares this parameter too")
            self.pointer(option, name, parameter)
            if parameter.index not in taken:
                self.sized[parameter.index] = contract, name
        self.values |= {i: value for i, value in values.items() if i not in taken}
        if taken != self.values.keys() | self.sized.keys():
            self.heard.append(contract)

    def used(self, own: Sequence[Contract]) -> Iterator[Contract]:
        """Those of which something counts."""
        first = [
            next((c for c in own if getattr(c, key) is not None), None)
            for key in ("block", "grid", "shared", "writes")
        ]
        for contract in own:
            heard = any(contract is other for other in (*first, *self.heard))
            if heard or contract.requires or contract.distinct is not None:
                yield contract

    def launch(self, own: Sequence[Contract]) -> Launch:
        named = next((c for c in own if c.params), Contract())
        self.block, self.most, declared = directives(self.kernel, self.block)
        buffers, shared = {}, None
        for index, (contract, name) in self.sized.items():
            buffer = contract.buffers[name]
            with contract.located():
                buffers[index] = self.extent(contract, f"--buffer {name}={buffer.text}", buffer)
        for contract in own:
            if shared is None and contract.shared is not None:
                with contract.located():
                    option = f"--shared {contract.shared.text}"
                    shared = self.extent(contract, option, contract.shared)
                    fits(option, shared.bytes.low, self.kernel, self.arch)
        interior = {}
        for index, (contract, name, said) in self.into.items():
            with contract.located():
                interior[index] = self.interior(contract, f"--arg {name}={said}", said)
        origins = [c.origin for c in self.used(own)] + ["PTX directives"] * declared
        launch = Launch(
            self.block,
            self.grid,
            shared,
            self.values,
            buffers,
            interior,
            named.names(self.kernel),
            " and ".join(dict.fromkeys(origins)) or "unspecified (every grid and block)",
            self.most,
            counts=frozenset(self.counts),
            unsigned=frozenset(self.unsigned),
            written=next((self.writable(c) for c in own if c.writes is not None), None),
        )
        launch = replace(launch, distinct=self.separate(own), violated=tuple(self.meeting(own)))
        for contract in own:
            with contract.located():
                launch = self.requiring(launch, contract, alone=len(own) == 1)
        return replace(launch, grid=launch.grid or self.computed(launch))

    def computed(self, launch: Launch) -> Triple | None:
        """The grid that formulas give, if the numbers in them are declared; None if it is no legal
        one, which no launch has."""
        if not launch.has_grid:
            return None
        ranges = {i: said for i, said in self.values.items() if isinstance(said, Range)}
        single = {i: said.low for i, said in ranges.items() if said.single}
        known = {p.name for p in self.kernel.arguments if p.index in single}
        known |= {extent for extent in SHAPE if extent.startswith("ntid") and launch.block}
        if not all(names(size) <= known for size in launch.formulas.values()):
            return None
        grid = launch.grid_of(self.kernel, launch.block or (1, 1, 1), single)
        legal = grid and all(1 <= n <= most for n, most in zip(grid, MAX_GRID, strict=True))
        return grid if legal else None

    def writable(self, contract: Contract) -> frozenset[int]:
        """The positions of the buffers that may be written."""
        with contract.located():
            option = "--writes"
            found = contract.found(option, contract.writes or (), self.kernel)
            return frozenset(self.pointer(f"{option} {name}", name, p).index for name, p in found)

    def pointer(self, option: str, name: str, parameter: KernelParameter) -> KernelParameter:
        """Raises ContractError for what is none."""
        if parameter.size != self.kernel.address_size or parameter.type.startswith("f"):
            raise ContractError(f"{option}: {name} is no pointer, it is .{parameter.type}")
        return parameter

    def separate(self, own: Sequence[Contract]) -> tuple[Distinct, ...] | None:
        """The declarations of distinct buffers of all contracts."""
        found = []
        for contract in own:
            for said in contract.distinct or ():
                with contract.located():
                    one = self.separated(contract, said)
                found += [one] if len(one.names) > 1 else []
        return None if all(c.distinct is None for c in own) else tuple(found)

    def meeting(self, own: Sequence[Contract]) -> Iterator[ViolatedRequirement]:
        """The declarations of distinct buffers that pointers into one buffer violate, as a launch
        that happened has them."""
        for contract in own:
            for said in contract.distinct or ():
                option = f"--distinct {said.text}"
                with contract.located():
                    indices = [p.index for _, p in contract.found(option, said.names, self.kernel)]
                    meet = any(self.meet(i, j, said.same) for i, j in combinations(indices, 2))
                if meet:
                    origin = contract.place(option) or contract.origin
                    yield ViolatedRequirement(f"distinct {said.text}", origin)

    def meet(self, one: int, other: int, same: bool) -> bool:
        """True if a pointer is known to lie inside of the buffer of the other, and may not. Where
        both may be the same, one address is allowed."""
        places = [self.place(one), self.place(other)]
        if None in places or not {one, other} & self.into.keys():
            return False
        (base, offset), (base_of_other, offset_of_other) = places  # type: ignore[misc]
        return base == base_of_other and not (same and offset == offset_of_other)

    def place(self, index: int) -> tuple[int, int] | None:
        """The position of the buffer that a pointer points into, and the bytes from its start; None
        if it is not known, or behind the end."""
        if index not in self.into:
            return index, 0
        contract, name, said = self.into[index]
        base = contract.word(f"--arg {name}={said}", said.base, self.kernel)
        sized = self.sized.get(base.index) if base is not None else None
        if base is None or sized is None:
            return None
        declared, called = sized
        try:
            offset, size = (
                value(each.extent, unknown) for each in (said.offset, declared.buffers[called])
            )
        except ExpressionError:
            return None
        return (base.index, offset) if offset < size else None

    def separated(self, contract: Contract, said: Distinct) -> Distinct:
        """The declaration by names of the PTX, without null pointers."""
        option = f"--distinct {said.text}"
        parameters = [
            self.pointer(option, name, p)
            for name, p in contract.found(f"{option}:", said.names, self.kernel)
        ]
        for name, p in contract.found(f"{option}:", said.names, self.kernel):
            if self.values.get(p.index, NULL_POINTER) != NULL_POINTER:
                raise ContractError(f"{option}: an --arg declares {name}, it is no pointer")
        meaning = partial(contract.meaning, option, self.kernel)
        when = tuple(condition.renamed(meaning) for condition in said.when)
        if contradictory(when, lambda word: SHAPE.get(word, (-LARGEST, LARGEST))):
            raise ContractError(f"{option}: no launch meets what stands behind 'when'")
        present = tuple(p.name for p in parameters if p.index not in self.values)
        return replace(said, names=present, when=when)

    def requiring(self, launch: Launch, contract: Contract, alone: bool) -> Launch:
        """The launch with the requirements of a contract, but for those that what others declare
        violates. Raises ContractError where the contract contradicts itself."""
        for said in contract.requires:
            option = said.declared
            meaning = partial(contract.meaning, option, self.kernel)
            added = tuple(condition.renamed(meaning) for condition in said.conditions)
            if not self.impossible(launch.conditions + added):
                launch = replace(launch, requires=(*launch.requires, Requirement(said.text, added)))
            elif alone:
                raise ContractError(f"{option}: {IMPOSSIBLE}")
            else:
                resolved([contract], self.kernel, self.arch)
                origin = contract.place(option) or contract.origin
                violated = (*launch.violated, ViolatedRequirement(said.text, origin))
                launch = replace(launch, violated=violated)
        return launch

    def impossible(self, conditions: Sequence[Condition]) -> bool:
        """True if it is shown that no launch meets the conditions, with a block of few enough
        threads and sizes that are not negative."""
        said = (*self.sizes, *conditions)
        axes = {word for one in said for word in one.names if word.startswith("ntid.")}
        threads: Expression = Number(1)
        for axis in sorted(axes):
            threads = Operation("*", (threads, Identifier(axis)))
        limit = Condition(threads, "<=", Number(self.most))
        return contradictory((*said, limit) if axes else said, self.bounds)

    def extent(self, contract: Contract, option: str, buffer: Buffer) -> Extent:
        text = str(buffer.size)
        size = renamed(buffer.extent, partial(contract.meaning, option, self.kernel))
        open_ = bool([word for word in sorted(names(size)) if self.open(option, word)])
        try:
            low, high = interval(size, self.bounds, inf if open_ else MAX_BUFFER)
        except ExpressionError as error:
            if not open_ or not isinstance(error, DivisorError):
                raise ContractError(f"{option}: {error}") from None
            low, high = 0, MAX_BUFFER  # a launch with another divisor does not meet the contract
        if high < 0 or (low < 0 and not open_):
            raise ContractError(f"{option}: the extent may be negative, {low} bytes")
        most = MAX_SHARED if option.startswith("--shared") else MAX_BUFFER
        if low > most:
            raise ContractError(f"{option}: expected at most {most} bytes")
        holds = (
            self.holding(contract, option, buffer.value_range)
            if buffer.value_range is not None
            else None
        )
        bytes_ = Range(0, MAX_BUFFER) if open_ and low < high else Range(low, high)
        exact = None if bytes_.single else size
        if low < 0 and exact is not None:
            self.sizes.append(Condition(exact, ">=", Number(0)))
            if self.impossible(()):
                raise ContractError(f"{option}: {IMPOSSIBLE}")
        return Extent(bytes_, buffer.align, exact, text, holds, buffer.structures, buffer.optional)

    def interior(self, contract: Contract, option: str, said: PointerInto) -> Interior:
        """The pointer, by the position of the buffer."""
        base = contract.word(option, said.base, self.kernel)
        if base is None:
            raise ContractError(contract.missing(option, said.base, [self.kernel]))
        self.pointer(option, said.base, base)
        if base.index in self.values or base.index in self.into:
            raise ContractError(f"{option}: {said.base} is declared by --arg, it is no buffer")
        return Interior(base.index, self.extent(contract, option, said.offset))

    def holding(self, contract: Contract, option: str, held: ValueRange) -> ValueRange:
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
        least, most = type_range(held.bits, held.signed)
        for end, number in ((found.low, low), (found.high, high)):
            if not names(end) and not least <= number <= most:
                kind = f"{'s' if held.signed else 'u'}{held.bits}"
                raise ContractError(f"{option}: {number} is no number of type {kind}")
        signed = held.signed or held.bits < 64
        if not signed and any(map(extreme, names(found.low) | names(found.high))):
            raise ContractError(f"{option}: NAME.min and NAME.max have 64 signed bits, use :s64")
        return found

    def open(self, option: str, word: str) -> bool:
        """True if what a name of the PTX stands for is not declared; a parameter is then taken not
        to be negative."""
        if word in SHAPE:
            return (self.block if word.startswith("ntid") else self.grid) is None
        if extreme(word) is not None:
            return True
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
        if extreme(word) is not None:
            return type_range(64, signed=True)
        parameter = next(p for p in self.kernel.arguments if p.name == word)
        value = self.values.get(parameter.index)
        if isinstance(value, Range):
            return value.low, value.high
        half = 2 ** (8 * parameter.size - 1)
        if parameter.index in self.unsigned:
            return 0, 2 * half - 1
        return (0 if parameter.index in self.counts else -half), half - 1


def unknown(name: str) -> int:
    """Raises ExpressionError: only numbers are wanted."""
    raise ExpressionError(f"{name} is no number")
