"""The elements that a kernel accesses in a buffer, held against an array that is put there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from analyses.def_use import operands_of
from analyses.program import AddressOf, Operand, Value
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.isa.row import Type

UNKNOWN = -1
MOST = 200
"""Names that the search for the buffer of an address looks at."""


def other_elements(
    kernel: Kernel, buffer: int, buffers: Collection[int], dtype: np.dtype[np.generic]
) -> str:
    """The types by which a kernel accesses a buffer, one of all its ``buffers``, if an array of
    ``dtype`` has other elements: ``f32``. Empty if it has not, where single bytes are given, and
    where nothing shows which accesses are to that buffer."""
    if dtype.itemsize == 1:
        return ""
    forms = dict.fromkeys(accesses(kernel, buffer, buffers))
    if not forms or any(may_hold(dtype, *form) for form in forms):
        return ""
    return ", ".join(dict.fromkeys(type.name for type, _ in forms))


def may_hold(dtype: np.dtype[np.generic], type: Type, size: int) -> bool:
    """True if elements of an array may be accessed in pieces of so many bytes, of a type. Floats
    are floats of the same size; a piece of bits may hold several elements, but no part of one."""
    if type.kind == "f":
        return dtype.kind == "f" and 8 * dtype.itemsize == type.bits
    return dtype.itemsize <= size


def accesses(kernel: Kernel, buffer: int, buffers: Collection[int]) -> Iterator[tuple[Type, int]]:
    """The type and the bytes of each access whose address is computed from this buffer alone."""
    operands = operands_of(kernel)
    loads = {value: instr for instr in kernel.instructions for value in instr.defs if instr.access}
    for instr in kernel.instructions:
        access, form = instr.access, instr.form
        if access is None or access.space not in ("global", "generic") or form is None:
            continue
        found = pointers(kernel, access.base, operands, loads) if form.types else set()
        if found.intersection((*buffers, UNKNOWN)) == {buffer}:
            yield form.type, access.bytes


def pointers(
    kernel: Kernel,
    address: Operand,
    operands: Mapping[Value, Collection[Operand]],
    loads: Mapping[Value, PtxInstr],
) -> set[int]:
    """The parameters that an address is computed from, and UNKNOWN where not all are known."""
    words = {(p.region, p.offset): p.index for p in kernel.words}
    found, seen, work = set[int](), set[Operand](), [address]
    while work:
        operand = work.pop()
        if operand in seen or operand.width < 8 * kernel.address_size:
            continue
        seen.add(operand)
        if len(seen) > MOST:
            return {UNKNOWN}
        load = loads.get(operand) if isinstance(operand, Value) else None
        if load is not None and load.access is not None:
            base = load.access.base
            at = (base.region, load.access.offset) if isinstance(base, AddressOf) else None
            if at is None or load.access.space != "param":
                found.add(UNKNOWN)
            elif at in words:
                found.add(words[at])
        elif isinstance(operand, Value):
            work += operands.get(operand, ())
        elif isinstance(operand, AddressOf):
            found.add(UNKNOWN)
    return found
