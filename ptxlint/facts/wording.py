"""Facts in words: names of regions, parameters and registers, and parts of messages."""

from __future__ import annotations

from collections.abc import Iterable

from analyses.polynomials.formatting import sum_of
from analyses.polynomials.polynomial import OwnNames, Polynomial
from analyses.polynomials.symbols import selects
from analyses.program import Operand, Region, Value
from analyses.typical_launch import UNBOUNDED
from ptxlint.claim import UNBOUNDED_OFFSET, RelatedInstr
from ptxlint.contracts.declaration import OR_NULL, Range, shown
from ptxlint.contracts.launch import MAX_BUFFER, Extent, Launch
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.touched import Ends, ends
from ptxlint.ir import PtxInstr
from ptxlint.mangling import demangled
from ptxlint.results.finding import VERBS, MemoryAccess
from ptxlint.results.verdict import AND

MAX_PARTS = 16  # symbols that one is made of, if it is written out

ASSUMED = {
    "guarded": "every lane passes the guards",
    "in-step": "the lanes have not diverged",
    "no-wrap": "the index does not overflow",
    "rows-of-32": "ntid.x is a multiple of 32",
}


def region_name(region: Region) -> str:
    """The name of a region in the source: compilers mangle arrays of functions."""
    return demangled(region.name)


def register(operand: Operand | str) -> str:
    """The register that a value came from."""
    return str(operand).rstrip("'").partition(".")[0]


def parameter(facts: Facts, name: str) -> str:
    """The user's name of a parameter that goes by its name in the PTX and an offset."""
    for formal in facts.kernel.words:
        if name == formal.word:
            names = facts.launch.names
            return names[formal.index] if formal.index < len(names) else formal.name
    return register(name)


def stated(assumptions: Iterable[str]) -> str:
    return AND.join(ASSUMED.get(name, name) for name in sorted(assumptions))


def doubt(access: AccessFacts) -> str:
    """Why the cost is not proved."""
    if isinstance(access.pattern, str):
        return access.pattern
    return stated(access.pattern.assumptions)


def formula_of(polynomial: Polynomial) -> str:
    """The polynomial, in which a word joined of many others goes by its name."""
    names = OwnNames()
    for symbol in polynomial.symbols:
        plain = len(symbol.parts) <= MAX_PARTS and sum(map(selects, symbol.parts)) < 2
        if not plain:
            names[symbol] = symbol.label
    return sum_of(polynomial.terms, names)


def described(access: AccessFacts, within: Ends | None = None) -> MemoryAccess:
    """An access in words; its offsets are ``within`` a closer range, if one is known."""
    place = access.place
    bounds = within
    if within is None and place.low is not None and place.high is not None:
        bounds = (place.low, place.high)
    region = region_name(place.region) if place.region is not None else None
    formula = "?" if place.formula is None else formula_of(place.formula)
    kind = place.access.kind
    return MemoryAccess(access.space, place.access.bytes, region, formula, bounds, kind)


def touched_bytes(facts: Facts, access: AccessFacts) -> str:
    """The range of bytes that may be accessed, and the size of the region, as far as known."""
    place = access.place
    size = room(facts, place.region) if place.region is not None else None
    if place.region is not None and facts.footprints.may_be_null(place):
        return f"no branch shows that `{place.region.name}` is not null"
    reached = ends(facts, place)
    if reached is None or reached[1] - reached[0] >= UNBOUNDED:
        return UNBOUNDED_OFFSET + (f", size {size} bytes" if size is not None else "")
    text = f"access range [{reached[0]}, {reached[1] + place.access.bytes})"
    return text if size is None else f"{text} exceeds size {size} bytes"


def room(facts: Facts, region: Region) -> str | None:
    """The size of a region in bytes: a number or, if it depends on the launch, the user's
    expression; None if it is not known."""
    sized = {
        facts.pointers.get(facts.kernel.arguments[index].word): extent
        for index, extent in facts.launch.buffers.items()
    }
    shared = region.space == "shared" and region.size is None
    extent = facts.launch.shared if shared else sized.get(region)
    if extent is not None and extent.size is not None:
        return extent.text
    size = facts.footprints.size(region)
    return None if size is None else str(size)


def defined_at(facts: Facts, operand: Operand, caption: str) -> tuple[RelatedInstr, ...]:
    """Where the operand's value is computed."""
    instr = facts.values.definition.get(operand) if isinstance(operand, Value) else None
    return (RelatedInstr(caption, instr),) if isinstance(instr, PtxInstr) else ()


def opaque_text(instr: PtxInstr) -> str:
    """What an instruction does to memory at unknown addresses."""
    each = dict.fromkeys(
        f"{VERBS[one.kind]} {'any' if one.space == 'generic' else one.space}"
        for one in instr.opaque
    )
    return f"{' and '.join(each)} memory at unknown addresses"


# --- a launch


def launch_text(of: Launch) -> str:
    """``block 32x8, n=1..4096, in 16384 bytes (command line)``"""
    facts = []
    if of.block is not None:
        facts.append(f"block {shown(of.block)}")
    elif of.max_threads < 1024:
        facts.append(f"blocks of up to {of.max_threads} threads")
    if of.grid is not None:
        facts.append(f"grid {shown(of.grid)}")
    if of.shared is not None:
        facts.append(f"{extent_text(of.shared)} bytes of dynamic shared memory")
    facts += [f"{of.names[i]}={value_text(v)}" for i, v in sorted(of.values.items())]
    facts += [
        f"{of.names[i]} {extent_text(extent)} bytes{OR_NULL * extent.optional}"
        for i, extent in sorted(of.buffers.items())
    ]
    facts += [
        f"{of.names[i]}={of.names[into.base]}+{extent_text(into.offset)}"
        for i, into in sorted(of.interior.items())
    ]
    held = [(of.names[i], extent.value_range) for i, extent in sorted(of.buffers.items())]
    facts += [f"{name} holds {words.text}" for name, words in held if words is not None]
    laid = [(of.names[i], extent.layout) for i, extent in sorted(of.buffers.items())]
    facts += [f"{name} {layout}" for name, layout in laid if layout is not None]
    facts += [each.text for each in of.requires]
    facts += [f"distinct {each.text}" for each in of.distinct or ()]
    return f"{', '.join(facts)} ({of.origin})" if facts else of.origin


def extent_text(extent: Extent) -> str:
    """A number or a range; what the user wrote, where its arguments are open."""
    return value_text(extent.bytes) if extent.bytes.high < MAX_BUFFER else extent.text


def value_text(of: Range | float) -> str:
    if isinstance(of, Range):
        return f"{of.low}" if of.single else f"{of.low}..{of.high}"
    return f"{of:g}"
