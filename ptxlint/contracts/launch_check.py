"""The check of one launch against a contract: no PTX, no analysis, microseconds.

What the contract says of the integers in a buffer (``at.min >= 0``) is checked if these are given
with the launch, as they are for a run. Those on a GPU are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Buffer, PointerInto, Range, Requirement, shown
from ptxlint.contracts.expression import ExpressionError, value
from ptxlint.contracts.expression import names as expression_names
from ptxlint.contracts.launch import (
    NULL,
    Allocation,
    Argument,
    ConcreteLaunch,
    PointerArgument,
    extremes,
    read_as,
    shape_names,
)


def check_launch(contract: Contract, launch: ConcreteLaunch) -> list[str]:
    """What of the contract the launch does not meet, each in a line; empty if all is well. An
    integer is read as the contract types it."""
    return list(_violations(contract, launch))


def _violations(contract: Contract, launch: ConcreteLaunch) -> Iterator[str]:
    for name, declared, actual in (
        ("block", contract.block, launch.block),
        ("grid", contract.grid, launch.grid),
    ):
        if declared is not None and declared != actual:
            yield f"{name} {shown(actual)}: the contract is for {shown(declared)}"
    given = arguments(contract, launch)
    memory = {name: each for name, each in given.items() if isinstance(each, Allocation)}
    names = names_in(contract, launch, given)

    def of(name: str) -> int:
        if name not in names:
            raise ExpressionError(f"{name} has no value")
        return names[name]

    for name, allowed in contract.args.items():
        number = names.get(name, given.get(name))
        if isinstance(allowed, PointerInto):
            if not points(allowed, given.get(name), launch, memory, of):
                yield f"{name}={given.get(name)}: the contract is for {allowed}"
            continue
        if not isinstance(number, int | float):
            number = None
        if isinstance(allowed, Range):
            within = number is not None and allowed.low <= number <= allowed.high
        else:
            within = number == allowed
        if not within:
            yield f"{name}={number}: the contract is for {allowed}"
    unread = integers(contract) - names.keys()
    for need in contract.requires:
        if all(unread.isdisjoint(condition.names) for condition in need.conditions):
            yield from unmet(need, of)
    yield from overlaps(contract, memory, of)
    for name, buffer in contract.buffers.items():
        found = memory.get(name, NOTHING)
        absent = buffer.optional and found.address == 0
        if not absent and unread.isdisjoint(expression_names(buffer.extent)):
            yield from short(name, buffer, found, of)
    shared = contract.shared
    if shared is not None and unread.isdisjoint(expression_names(shared.extent)):
        yield from short("dynamic shared memory", shared, Allocation(launch.shared), of)


def arguments(contract: Contract, launch: ConcreteLaunch) -> dict[str, Argument]:
    """The arguments by name; the number 0 is a null pointer where the contract has a buffer."""
    given = dict(zip(launch.names, launch.arguments, strict=False))
    apart = [name for said in contract.distinct or () for name in said.names]
    nulls = [name for name in (*contract.buffers, *apart) if given.get(name) == 0]
    return given | dict.fromkeys(nulls, NULL)


def integers(contract: Contract) -> set[str]:
    """The names of the least and the greatest integers in buffers."""
    held = [name for name, buffer in contract.buffers.items() if buffer.value_range is not None]
    return {f"{name}.{end}" for name in held for end in ("min", "max")}


def unmet(need: Requirement, of: Callable[[str], int]) -> Iterator[str]:
    try:
        if not all(condition.holds(of) for condition in need.conditions):
            yield f"requires {need.text}"
    except ExpressionError as error:
        yield f"requires {need.text}: {error}"


def points(
    allowed: PointerInto,
    actual: Argument | None,
    launch: ConcreteLaunch,
    memory: Mapping[str, Allocation],
    of: Callable[[str], int],
) -> bool:
    """True if the argument is the declared address, as far behind the start of the buffer."""
    try:
        offset = value(allowed.offset.extent, of)
    except ExpressionError:
        return False
    if isinstance(actual, PointerArgument):
        return launch.names[actual.base] == allowed.base and actual.offset == offset
    base = memory.get(allowed.base, NOTHING).address
    return base is not None and actual == base + offset


NOTHING = Allocation(0)


def short(name: str, buffer: Buffer, actual: Allocation, of: Callable[[str], int]) -> Iterator[str]:
    """What a buffer lacks of its declared size and alignment; a size that is not known will do."""
    try:
        needed = value(buffer.extent, of)
    except ExpressionError as error:
        yield f"{name} requires {buffer.text} bytes: {error}"
        return
    if actual.size is not None and actual.size < needed:
        yield f"{name} has {actual.size} bytes, requires {needed}"
    if actual.address is not None and actual.address % buffer.align:
        yield f"{name} begins at {actual.address:#x}, requires a multiple of {buffer.align}"
    elif actual.address is None and actual.align % buffer.align:
        yield f"{name} is aligned to {actual.align} bytes, requires {buffer.align}"


def overlaps(
    contract: Contract, memory: Mapping[str, Allocation], of: Callable[[str], int]
) -> Iterator[str]:
    """Buffers that share bytes and must not; what a buffer holds is only known of one that nothing
    writes."""
    for said in contract.distinct or ():
        for name in said.names:
            if name not in memory:
                yield f"distinct {said.text}: {name} is no buffer of this launch"
        for one, other in combinations(said.names, 2):
            if not overlap(memory, one, other):
                continue
            same = memory[one].address == memory[other].address
            try:
                if said.same and same and all(condition.holds(of) for condition in said.when):
                    continue
            except ExpressionError as error:
                yield f"distinct {said.text}: {error}"
                continue
            yield f"{one} and {other} {'are the same' if same else 'overlap'}: distinct {said.text}"
    for name, buffer in contract.buffers.items():
        for other in contract.writes if contract.writes is not None else memory:
            if buffer.value_range is not None and name != other and overlap(memory, name, other):
                reason = f"{name} has a value range: it must not be written"
                yield f"{name} and {other} overlap, but {reason}"


def overlap(memory: Mapping[str, Allocation], one: str, other: str) -> bool:
    """True if two buffers are known to have a byte in common."""
    a, b = memory.get(one), memory.get(other)
    if a is None or b is None or a.address is None or b.address is None:
        return False
    size, length = a.size or 0, b.size or 0
    meet = a.address < b.address + length and b.address < a.address + size
    return size > 0 and length > 0 and meet


def names_in(
    contract: Contract, launch: ConcreteLaunch, given: Mapping[str, Argument]
) -> dict[str, int]:
    """The values of the names in sizes and conditions."""
    names = shape_names(launch.block, launch.grid)
    types = contract.params
    for name, number in given.items():
        if isinstance(number, int):
            names[name] = read_as(types.get(name) or "s64", number)
    for name, buffer in contract.buffers.items():
        memory, held = given.get(name), buffer.value_range
        if held is not None and isinstance(memory, Allocation) and memory.address == 0:
            names |= {f"{name}.min": 0, f"{name}.max": 0}
        elif held is not None and isinstance(memory, Allocation) and memory.data is not None:
            try:
                used = value(buffer.extent, names.__getitem__)
            except (ExpressionError, KeyError):
                used = None  # it depends on what other buffers hold: all of it counts
            least, greatest = extremes(memory, held, used)
            names |= {f"{name}.min": least, f"{name}.max": greatest}
    return names
