"""Consistency of declarations with the kernel that they are about."""

from __future__ import annotations

import struct
from math import prod
from typing import TYPE_CHECKING

from analyses.hardware import MAX_THREADS, capability
from analyses.traffic.occupancy import most_shared
from ptxlint.contracts.declaration import (
    FLOAT_FORMATS,
    NULL_POINTER,
    ContractError,
    Range,
    Triple,
    shown,
)

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter


def directives(kernel: Kernel, block: Triple | None) -> tuple[Triple | None, int, bool]:
    """The block given by directives, the most threads, and true if there are any."""
    if kernel.required_threads:
        x, y, z = (*kernel.required_threads, 1, 1)[:3]
        if block not in (None, (x, y, z)):
            raise ContractError(
                f"--block {shown(block)}: kernel {kernel.demangled} requires {shown((x, y, z))}"
                " (.reqntid); --kernel selects others"
            )
        return (x, y, z), min(MAX_THREADS, x * y * z), True
    if not kernel.max_threads:
        return block, MAX_THREADS, False
    most = min(MAX_THREADS, prod(kernel.max_threads))
    if block is not None and prod(block) > most:
        raise ContractError(
            f"--block {shown(block)}: {prod(block)} threads, kernel {kernel.demangled} allows"
            f" {most} (.maxntid); --kernel selects others"
        )
    return block, most, True


def fits(option: str, dynamic: int, kernel: Kernel, arch: str) -> None:
    """Raises ContractError where no block has so much dynamic shared memory, beside the arrays that
    the kernel declares: on a device of ``arch`` or, if the module is for a later one, of that;
    without ``arch``, on any device that the module is for. Of an unknown device nothing is said."""
    declared = sum(r.size or 0 for r in kernel.regions if r.space == "shared")
    device = max([capability(target) for target in (arch, kernel.target) if target] or [(1, 0)])
    try:
        most = most_shared(device, or_later=not arch)
    except ValueError:
        return
    if dynamic + declared > most:
        beside = f" beside {declared} of declared arrays" if declared else ""
        of = f" of sm_{device[0]}{device[1]}" if arch else ""
        raise ContractError(f"{option}: {dynamic} bytes{beside}, a block{of} has at most {most}")


def fitted(name: str, value: Range | float, parameter: KernelParameter) -> Range | float:
    """The value as the parameter's type can hold it. Raises ContractError."""
    kind = f"{name} is .{parameter.type}"
    if parameter.declared_pointer and value != NULL_POINTER:
        raise ContractError(f"--arg {name}: {name} is a pointer, declare it with --buffer")
    if parameter.size > 8:
        raise ContractError(f"--arg {name}: {name} has {parameter.size} bytes, it is no number")
    if parameter.type.startswith("f") and not isinstance(value, float):
        if not value.single:
            raise ContractError(f"--arg {name}: {kind}, a range needs an integer parameter")
        value = float(value.low)
    if isinstance(value, float):
        if parameter.type[0] in "fb" and parameter.size in FLOAT_FORMATS:
            try:
                struct.pack(FLOAT_FORMATS[parameter.size], value)
            except OverflowError:
                wrong = f"the value does not fit in a float of {8 * parameter.size} bits"
                raise ContractError(f"--arg {name}={value}: {kind}, {wrong}") from None
            return value
        raise ContractError(f"--arg {name}={value}: {kind}, expected an integer")
    bits = 8 * parameter.size
    if value.low < -(2 ** (bits - 1)) or value.high >= 2**bits:
        raise ContractError(f"--arg {name}: {kind}, the value does not fit in {bits} bits")
    return value
