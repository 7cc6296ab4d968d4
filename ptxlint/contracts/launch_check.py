"""A contract held against one launch, before the GPU sees it: no PTX, no analysis, microseconds.

What buffers hold is not looked at: it lies on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Triple, shown
from ptxlint.contracts.expression import ExpressionError, value
from ptxlint.contracts.launch import Range


@dataclass(frozen=True, slots=True)
class Actual:
    """One launch. ``values`` and ``buffers`` go by the names that the contract has for parameters;
    a buffer is its size in bytes and the address of its first byte."""

    block: Triple
    grid: Triple = (1, 1, 1)
    shared: int = 0
    values: Mapping[str, int | float] = field(default_factory=dict)
    buffers: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def violations(contract: Contract, launch: Actual) -> list[str]:
    """What of the contract the launch does not meet, each in a line; empty if all is well. An
    integer is read as the contract types it."""
    return list(_violations(contract, launch))


def _violations(contract: Contract, launch: Actual) -> Iterator[str]:
    for name, declared, actual in (
        ("block", contract.block, launch.block),
        ("grid", contract.grid, launch.grid),
    ):
        if declared is not None and declared != actual:
            yield f"{name} {shown(actual)}: the contract is for {shown(declared)}"
    names = names_in(contract, launch)

    def of(name: str) -> int:
        if name not in names:
            raise ExpressionError(f"{name} has no value")
        return names[name]

    for name, allowed in contract.values.items():
        number = names.get(name, launch.values.get(name))
        if isinstance(allowed, Range):
            within = number is not None and allowed.low <= number <= allowed.high
        else:
            within = number == allowed
        if not within:
            yield f"{name}={number}: the contract is for {described(allowed)}"
    for need in contract.needs:
        try:
            if not all(condition.holds(of) for condition in need.conditions):
                yield f"needs {need.text}"
        except ExpressionError as error:
            yield f"needs {need.text}: {error}"
    yield from overlaps(contract, launch, of)
    sizes = [
        (name, buffer, *launch.buffers.get(name, (0, 0)))
        for name, buffer in contract.buffers.items()
    ]
    if contract.shared is not None:
        sizes.append(("dynamic shared memory", contract.shared, launch.shared, 0))
    for name, buffer, size, address in sizes:
        try:
            needed = value(buffer.extent, of)
        except ExpressionError as error:
            yield f"{name} needs {buffer.text} bytes: {error}"
            continue
        if size < needed:
            yield f"{name} has {size} bytes, needs {needed}"
        if address % buffer.align:
            yield f"{name} begins at {address:#x}, needs a multiple of {buffer.align}"


def overlaps(contract: Contract, launch: Actual, of: Callable[[str], int]) -> Iterator[str]:
    """Buffers that share bytes and must not; what a buffer holds is only known of one that nothing
    writes."""
    for said in contract.distinct or ():
        for name in said.names:
            if name not in launch.buffers:
                yield f"distinct {said.text}: {name} is no buffer of this launch"
        for one, other in combinations(said.names, 2):
            if not overlap(launch, one, other):
                continue
            same = launch.buffers[one][1] == launch.buffers[other][1]
            try:
                if said.same and same and all(condition.holds(of) for condition in said.when):
                    continue
            except ExpressionError as error:
                yield f"distinct {said.text}: {error}"
                continue
            yield f"{one} and {other} {'are the same' if same else 'overlap'}: distinct {said.text}"
    for name, buffer in contract.buffers.items():
        for other in contract.writes if contract.writes is not None else launch.buffers:
            if buffer.holds is not None and name != other and overlap(launch, name, other):
                yield f"{name} and {other} overlap, and what {name} holds must not be written"


def overlap(launch: Actual, one: str, other: str) -> bool:
    """Whether two buffers have a byte in common."""
    (size, first), (length, start) = (launch.buffers.get(name, (0, 0)) for name in (one, other))
    return size > 0 and length > 0 and first < start + length and start < first + size


def names_in(contract: Contract, launch: Actual) -> dict[str, int]:
    """What the names in sizes and needs stand for."""
    names = {
        f"n{kind}.{axis}": extent
        for kind, shape in (("tid", launch.block), ("ctaid", launch.grid))
        for axis, extent in zip("xyz", shape, strict=True)
    }
    types = {
        name: kind for name, kind in zip(contract.params, contract.types, strict=False) if kind
    }
    for name, number in launch.values.items():
        if isinstance(number, int):
            kind = types.get(name, "s64")
            size = 1 << int(kind[1:])
            low = 0 if kind[0] == "u" else -size // 2
            names[name] = (number - low) % size + low
    return names


def described(of: Range | float) -> str:
    if isinstance(of, Range):
        return str(of.low) if of.single else f"{of.low}..{of.high}"
    return f"{of:g}"
