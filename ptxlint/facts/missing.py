"""What would bound an access that a contract leaves open: one fact of its address, and the line
that it is about. No proof rests on it: a person decides what to declare, or to change."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import sum_of
from analyses.polynomials.polynomial import Symbol, order
from analyses.polynomials.symbols import deep
from analyses.program import Block, Value
from ptxlint.facts.data_dependent import DataDependent
from ptxlint.facts.imprecision import FAR, imprecision
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import region_name, register
from ptxlint.ir import PtxInstr

READ = {
    "atomic-result": "the result of the atomic",
    "call": "the result of the function",
    "unmodelled": "the result of the instruction",
    "lanes": "what other lanes give",
}

LONGEST = 500  # characters of the formula of a symbol
LEFT_OUT = "..."


class MissingFact(Struct, frozen=True):
    """``text`` completes "decided by", and ``instr`` has its line, if there is one."""

    text: str
    instr: PtxInstr | None = None


class UserNames(dict[Symbol, str]):
    """The names of symbols: the user's of parameters, registers, and formulas of these. A chain of
    selections is a tree in its text, so what is longer than LONGEST is left out."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts.decided)
        self.opaque = facts.symbolic.opaque

    def __missing__(self, symbol: Symbol) -> str:
        unnamed = [part for part in symbol.parts if part not in self]
        for part in sorted(unnamed, key=order):  # no recursion: what it is made of has its name
            text = register(part.label) if part in self.opaque else part.text(self)
            self[part] = text if len(text) <= LONGEST else LEFT_OUT
        return self[symbol]


def missing(facts: Facts, place: ResolvedAccess, reason: str) -> MissingFact:
    """The fact that would decide an access that is open for the reason."""
    offset, region = facts.footprints.offset(place), place.region
    base = place.access.base
    formula = LEFT_OUT if offset is None else sum_of(offset.terms, UserNames(facts))
    formula = register(base) if LEFT_OUT in formula else formula
    if reason in ("extern", FAR) and region is not None:
        return MissingFact(f"the size of {region_name(region)}")
    if reason == "alignment":
        return MissingFact(f"that {formula} is a multiple of {place.access.align}")
    if reason == "space":
        return MissingFact(f"an address in {place.access.space} memory")
    if reason == "before":
        return MissingFact(f"that {formula} is not negative")
    symbols = deep(offset) if offset is not None else frozenset[Symbol]()
    opaque = facts.symbolic.opaque
    values = [opaque[symbol] for symbol in sorted(symbols & opaque.keys(), key=order)]
    if offset is None and isinstance(base, Value):
        values = [base]
    known = [(value, imprecision(facts, value)) for value in values]
    for value, why in sorted(known, key=lambda one: one[1] != reason):
        return of_value(facts, value, why)
    heads = [head for head, counter in facts.symbolic.counters.items() if counter in symbols]
    for head in heads:
        return MissingFact("the number of iterations of the loop", first(facts.kernel.blocks[head]))
    return MissingFact(f"a bound of {formula}")


def of_value(facts: Facts, value: Value, reason: str) -> MissingFact:
    """A bound of a value that is no function of the launch."""
    if value in facts.symbolic.joined:
        _, home = facts.symbolic.joined[value]
        how = "a loop changes" if home.index in facts.values.loops else "differs by path"
        return MissingFact(f"a bound of {register(value)}, which {how}", first(home))
    instr = facts.values.definition.get(value)
    where = instr if isinstance(instr, PtxInstr) else None
    if reason == "loaded-index" and where in facts.symbolic.loaded.values():
        return MissingFact(f"the range of the integers in {loaded_from(facts, where)}", where)
    return MissingFact(f"a bound of {READ.get(reason, register(value))}", where)


def of_data(facts: Facts, place: ResolvedAccess, found: DataDependent) -> MissingFact:
    """The fact that would decide an address that depends on data: the range of the integers that it
    is computed from, or else of the word that decides it, with the line of the load."""
    offset, loaded = facts.footprints.offset(place), facts.symbolic.loaded
    integers = deep(offset) & loaded.keys() if offset is not None else ()
    if integers and found.reason == "loaded-index":
        return of_value(facts, facts.symbolic.opaque[min(integers, key=order)], found.reason)
    if found.value is None:
        return MissingFact("the number of iterations, which loaded data decides", found.load)
    if found.value in found.load.defs:
        return of_value(facts, found.value, found.reason)
    which = f"a bound of {register(found.value)}, which depends on loaded data"
    return MissingFact(which, found.load)


def loaded_from(facts: Facts, instr: PtxInstr | None) -> str:
    access = None if instr is None else instr.access
    origin = None if access is None else facts.symbolic.values.number(access.base).origin
    return "memory" if origin is None else region_name(origin.region)


def first(block: Block) -> PtxInstr | None:
    """The first instruction of a block that is in the text."""
    instrs: Iterable[object] = (*block.instrs, block.terminator.instr)
    return next((i for i in instrs if isinstance(i, PtxInstr) and not i.synthetic), None)
