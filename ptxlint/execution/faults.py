"""One run of a kernel: a complete launch, and its faults as findings.

``check`` accepts partial launches; a run needs a block, and a number or an array for every
parameter. Missing values are reported before the run. A fault becomes a finding of the rule of the
same name, with the thread as its witness.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from analyses.program import Access
from ptxlint.claim import Claim, RelatedInstr
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError, Range
from ptxlint.contracts.files import record
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, Extent, Launch, numbers
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.contracts.resolution import beside, required, resolved
from ptxlint.execution.arrays import PLAIN, Array, ArrayError, GivenArray, Input
from ptxlint.execution.elements import other_elements
from ptxlint.ir import Kernel, KernelParameter
from ptxlint.mangling import demangled
from ptxlint.results.finding import VERBS, Certainty, MemoryAccess, Witness
from ptxlint.rule import load_rule
from ptxlint.simt import Fault, Outcome, RunOptions
from ptxlint.simt.layout import estimate
from ptxlint.simt.memory import LARGEST, Bytes
from ptxlint.source import Diagnostic, Source

KINDS: Mapping[str, frozenset[str]] = {
    "memory": frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"}),
    "sync": frozenset(
        {"divergent-barrier", "divergent-uniform-branch", "bad-barrier", "bad-membermask"}
    ),
    "race": frozenset({"data-race", "divergent-barrier"}),  # behind which nothing is ordered
    "init": frozenset({"uninitialized-read"}),
}
"""The faults of each check. Others are always reported: a trap, an undefined register."""

CLAIMS: Mapping[str, str] = {
    "divergent-barrier": "some threads of the block do not reach this barrier",
    "divergent-uniform-branch": "the predicate of bra.uni diverges within a warp",
    "bad-barrier": "no such barrier number or thread count",
    "bad-membermask": "some lanes in the member mask never arrive",
    "undefined-register": "depends on a register that was never written",
    "branch-index": "the index exceeds the list of branch targets",
    "trap": "trap executed",
}


class Prepared(Struct, frozen=True):
    """A launch that can be run, and the input arrays, by the position of the parameter."""

    kernel: Kernel
    contract: Contract
    launch: Launch
    concrete: ConcreteLaunch
    inputs: Mapping[int, Array]

    def buffer(self, name: str, option: str) -> int:
        """The position of a parameter that is a buffer. Raises ContractError."""
        formal = self.contract.find(name, self.kernel)
        if formal is None:
            raise ContractError(self.contract.missing(option, name, [self.kernel]))
        if not isinstance(self.concrete.arguments[formal.index], Allocation):
            raise ContractError(f"{option}: {name} is a number, no buffer")
        return formal.index

    def after(self, index: int, outcome: Outcome) -> tuple[Bytes, np.dtype[Any]]:
        """The contents of a buffer after the run, and the type of its input."""
        arguments = self.concrete.arguments
        place = sum(isinstance(argument, Allocation) for argument in arguments[:index])
        return outcome.buffers[place], self.type(index)

    def type(self, index: int) -> np.dtype[Any]:
        """The type of the elements of a buffer: that of its input."""
        before = self.inputs.get(index)
        return np.dtype(PLAIN) if before is None else before.dtype

    def bytes(self, index: int) -> int:
        """The bytes of a buffer."""
        memory = self.concrete.arguments[index]
        return memory.size or 0 if isinstance(memory, Allocation) else 0

    def misread(self, index: int) -> str:
        """What is to be said of an input whose elements are others than those that the kernel
        accesses; empty for the others."""
        given, name = self.inputs[index].dtype, self.launch.names[index]
        arguments = enumerate(self.concrete.arguments)
        buffers = [at for at, each in arguments if isinstance(each, Allocation)]
        types = other_elements(self.kernel, index, buffers, given)
        said = f"{name} holds {given.name}, the kernel accesses it as {types}"
        return f"{said}: its bytes are taken as they are" if types else ""

    def record(self, lines: bool = False) -> str:
        """The launch as a table of a record, or as one of its ``lines`` of JSON."""
        if lines:
            return f"{RecordedLaunch(self.kernel.name, placed(self.concrete)).line()}\n"
        return record(self.kernel.name, self.concrete)


def placed(launch: ConcreteLaunch) -> ConcreteLaunch:
    """The launch with an address for each buffer, far from the others: in a record that is what
    says which pointer points into which."""
    arguments = (
        replace(one, address=at << 40) if isinstance(one, Allocation) else one
        for at, one in enumerate(launch.arguments, 1)
    )
    return replace(launch, arguments=tuple(arguments))


def prepare(
    kernel: Kernel, contracts: Sequence[Contract], inputs: Sequence[Input | GivenArray]
) -> Prepared:
    """Raises ContractError or ArrayError if the launch is incomplete or impossible."""
    required(contracts, [(kernel, kernel.source)])
    launch = resolved([*contracts, *beside(kernel.source)], kernel)
    for violated in launch.violated:
        raise ContractError(f"{violated.origin}: this launch violates {violated.text}")
    contract = Contract(params=dict.fromkeys(launch.names, ""))
    if launch.block is None:
        raise ContractError("--block is missing: how many threads has a block?")
    arrays: dict[int, Array] = {}
    values: dict[int, Range | float] = dict(launch.values)
    buffers = dict(launch.buffers)
    for given in inputs:
        formal = contract.find(given.name, kernel)
        if formal is None:
            raise ContractError(contract.missing(f"--input {given.name}", given.name, [kernel]))
        i = formal.index
        if i in arrays or i in values:
            raise ContractError(f"{given.text}: this parameter has a value already")
        if formal.structure:
            values[i] = by_value(given, formal)
        elif formal.size < kernel.address_size or formal.type.startswith("f"):
            raise ContractError(f"{given.text}: the parameter is no pointer, it is .{formal.type}")
        else:
            extent = buffers.get(i)
            arrays[i] = given.array(None if extent is None else extent.bytes.high)
            size = arrays[i].nbytes
            buffers[i] = extent or Extent(Range(size, size))
    launch = replace(launch, values=values, buffers=buffers)
    whole = {p.region for p in kernel.parameters if p.structure and p.index in launch.values}
    parts = {member.region for member in kernel.members}
    for formal in kernel.arguments:
        needed = formal.index in kernel.read or launch.is_spoken_of(formal)
        if needed and formal.region not in (parts if formal.structure else whole):
            complain(formal, launch)
    block, grid = launch.block or (1, 1, 1), launch.grid or (1, 1, 1)
    named = numbers(kernel, launch.greatest, grid, block, launch.extremes(kernel, arrays))
    for said in launch.requires:
        if not all(condition.holds(named) for condition in said.conditions):
            raise ContractError(f"the launch violates {said.text}")
    for i, array in arrays.items():
        within(array, launch.buffers[i], launch.names[i], named)
    return Prepared(kernel, contract, launch, launch.concrete(kernel, arrays), arrays)


def within(array: Array, extent: Extent, name: str, named: Callable[[str], int]) -> None:
    """Raises ContractError if a word is outside of the declared value range."""
    if extent.value_range is None:
        return
    low, high = extent.value_range.of(named)
    size = extent.value_range.bits // 8
    data = array.reshape(-1).view(np.uint8)
    words = data[: data.size // size * size].view(
        f"{'i' if extent.value_range.signed else 'u'}{size}"
    )
    wrong = np.flatnonzero((words < low) | (words > high))
    if wrong.size:
        at, text = wrong[0], extent.value_range.text
        raise ContractError(
            f"{name}[{at}] is {words[at]}, declared to hold {text}: {low} to {high}"
        )


def by_value(given: Input | GivenArray, formal: KernelParameter) -> Range:
    """A struct parameter: its bytes, as one integer."""
    data = given.array(formal.size)
    if data.nbytes != formal.size:
        raise ArrayError(f"{given.text}: has {data.nbytes} bytes, the parameter has {formal.size}")
    number = int.from_bytes(data.tobytes(), "little")
    return Range(number, number)


def complain(formal: KernelParameter, launch: Launch) -> None:
    """Raises ContractError if a parameter has no value, or more than one."""
    i, name = formal.index, launch.names[formal.index]
    value = launch.values.get(i)
    if isinstance(value, Range) and not value.single:
        raise ContractError(f"--arg {name}={value.low}..{value.high}: a run needs one value")
    if value is not None or i in launch.buffers or i in launch.interior:
        return
    number = f"--arg {name}=..."
    array = f"--buffer {name}=BYTES or --input {name}=FILE.npy"
    if formal.structure:
        number, array = "", f"--input {name}=FILE.npy with its {formal.size} bytes"
    elif formal.size < 8 or formal.type.startswith("f"):
        array = ""
    wanted = " or, for a pointer, ".join(option for option in (number, array) if option)
    what = f"member ({name}" if formal.name != formal.region.name else f"parameter {i} ({name}"
    raise ContractError(f"{what}, .{formal.type}) has no value: give {wanted}")


def afford(kernel: Kernel, launch: ConcreteLaunch, options: RunOptions) -> None:
    """Raises ContractError if the interpreter has no memory for the run, or this machine."""
    if kernel.address_size < 8:
        raise ContractError(f"{kernel.demangled}: .address_size 32 is analysed, but cannot be run")
    for name, memory in launch.allocations.items():
        if memory.size is not None and memory.size > LARGEST:
            raise ContractError(
                f"--buffer {name}: {memory.size} bytes, a run holds up to {LARGEST}"
            )
    needed = estimate(kernel, launch, options)
    try:
        have = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system that does not say
        return
    if needed > have:
        raise ContractError(
            f"the run would need about {needed / 2**30:.1f} GiB of memory, this machine has"
            f" {have / 2**30:.1f} GiB: launch fewer threads or smaller buffers"
        )


# --- faults


def reported(outcome: Outcome, checks: frozenset[str]) -> list[Fault]:
    """The faults to report: those of the selected checks, and those of no check."""
    wanted = frozenset().union(*(KINDS[check] for check in checks))
    hidden = frozenset().union(*KINDS.values()) - wanted
    return [f for f in outcome.faults if f.kind not in hidden and f.kind != "unmodelled"]


def unfinished(
    source: Source, kernel: Kernel, options: RunOptions, outcome: Outcome
) -> Iterator[Diagnostic]:
    """The reason why a run did not finish."""
    for fault in outcome.faults:
        if fault.kind == "unmodelled":
            line, column = source.line_column(fault.offset)
            who = f"block {shown_thread(fault.ctaid)} thread {shown_thread(fault.tid)}"
            message = f"not finished: {fault.text} is not supported, aborting {who}"
            yield Diagnostic(source.path, line, column, message)
    if outcome.exhausted:
        line, column = source.line_column(kernel.offset)
        message = f"within {options.max_steps} steps: --max-steps sets how many it may take"
        if outcome.endless:
            message = f"after {outcome.steps} steps: threads wait for a word that no thread changes"
        yield Diagnostic(source.path, line, column, f"not finished {message}")


def claim_of(launch: ConcreteLaunch, fault: Fault) -> Claim:
    access = fault.instr.access
    fact = None
    if access is not None:
        space = fault.space or access.space
        fact = MemoryAccess(space, fault.bytes or access.bytes, fault.region, kind=access.kind)
    place = fault.ctaid, fault.tid, fault.distance
    seen = Witness(launch.grid, launch.block, *place, launch.numbers)
    related: tuple[RelatedInstr, ...] = ()
    if fault.other_instr is not None:
        who = f"block {shown_thread(fault.other_ctaid)} thread {shown_thread(fault.other)}"
        verb = VERBS.get(fault.other_instr.access.kind if fault.other_instr.access else "", "acts")
        related = (RelatedInstr(f"{who} {verb} here", fault.other_instr),)
    return Claim(
        rule=fault.kind,
        severity=load_rule(fault.kind).rule.severity,
        certainty=Certainty.WITNESS,
        message=message(fault, access) + (f"; {fault.count} times" if fault.count > 1 else ""),
        instr=fault.instr,
        access=fact,
        witness=seen,
        related=related,
    )


def shown_thread(place: tuple[int, int, int] | None) -> str:
    return "?" if place is None else f"({','.join(map(str, place))})"


def message(fault: Fault, access: Access | None) -> str:
    if fault.detail:
        return fault.detail
    if access is None:
        return CLAIMS.get(fault.kind, fault.kind)
    region = demangled(fault.region) if fault.region else None
    what = f"{access.kind} of {fault.bytes or access.bytes} bytes"
    match fault.kind:
        case "out-of-bounds":
            return f"{what} out of bounds of {region or access.space + ' memory'}"
        case "misaligned-access":
            return f"{what} at an address that is not a multiple of {access.align}"
        case "address-space-mismatch":
            return f"{what} as {access.space}, but the address is not in {access.space} memory"
        case "uninitialized-read":
            return f"{what} of uninitialised {region or access.space + ' memory'}"
        case "data-race":
            return f"{what} races with another thread: nothing orders them"
    return CLAIMS.get(fault.kind, fault.kind)
