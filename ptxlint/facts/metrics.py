"""How the requests of an instruction are counted."""

from __future__ import annotations

from msgspec.structs import replace

from analyses.program import Access
from analyses.traffic.costs import Metric
from analyses.traffic.devices import Device, RequestKind
from ptxlint.ir import PtxInstr
from ptxlint.isa.synchronization import retried
from ptxlint.lowering.bulk import repeats

WMMA = "wmma"


def kind(instr: PtxInstr) -> RequestKind:
    """How the access of an instruction is counted; loads of matrices are never by pairs."""
    access, form = instr.access, instr.form
    assert access is not None
    if form is None:
        return access.kind
    match form.row.opcode:
        case "ldmatrix":
            return "matrix"
        case "cp":
            return "copy"
        case "atom" | "red":
            if retried(form):
                return "retried"
            if form.has("cas"):
                return "swap"
            return "sum" if form.one_of("add", "inc", "dec") else "atomic"
    return access.kind


def metric(device: Device, instr: PtxInstr, access: Access, space: str) -> Metric | None:
    """The metric of an access; None if its requests are not counted. A load that uses a part of its
    bytes is compared with a load of that part. The copy engine makes its own requests, as do
    instructions that are not modelled; which lane accesses what of a fragment is not known."""
    form = instr.form
    if repeats(form) or (form is not None and (not form.row.modelled or form.row.opcode == WMMA)):
        return None
    by = device.measure(space, kind(instr))
    return by if by is None or access.used is None else replace(by, used=access.used)
