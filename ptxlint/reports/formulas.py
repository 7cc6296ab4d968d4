"""Polynomials of one kernel in words: names of symbols, and a legend.

Launch symbols have the user's names, others those of the PTX: ``tid.x``, a register, ``s32(...)``
for the signed integer of a 32-bit word, ``k3`` for a loop counter. ``legend`` explains them, and
gives names to long ones: it must be called first.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.formatting import at_least, number, sum_of
from analyses.polynomials.polynomial import Number, Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, deep
from ptxlint.facts.imprecision import imprecision
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import register
from ptxlint.ir import PtxInstr
from ptxlint.places import Locations

LOST = {
    "loaded-index": "loaded from memory",
    "atomic-result": "the result of an atomic",
    "call": "the result of a function without a body",
    "unmodelled": "the result of an unmodelled instruction",
    "lanes": "exchanged between lanes",
    "limit": "larger than the analysis follows",
    "loop": "loop-carried, without a known recurrence",
    "join": "differs by path",
    "nonlinear": "not a polynomial of launch symbols",
}
"""Why a register is a symbol, by reason code."""
WRAPS = "s32(x) is x as a signed 32-bit integer, which may wrap; u32(x) as unsigned"
LONG = 48  # characters of a formula that is written out wherever it occurs
WORD = 2**32 - 1  # a range of this size is said of every word


class FormulaText(dict[Symbol, str]):
    """The name of every symbol, given when it is first needed."""

    def __init__(self, facts: Facts, places: Locations) -> None:
        super().__init__(facts.decided)
        self.facts, self.places = facts, places
        self.symbolic = facts.footprints.symbolic
        self.loops = {symbol: head for head, symbol in self.symbolic.counters.items()}
        self.taken: dict[str, Symbol] = {}
        self.explained: set[Symbol] = set()
        self.wraps = False  # true once interpretations are explained
        self.shortened = 0

    def __missing__(self, symbol: Symbol) -> str:
        self[symbol] = text = self._called(symbol)
        return text

    def _called(self, symbol: Symbol) -> str:
        if symbol in self.symbolic.opaque:
            return self._register(symbol)
        one_of = isinstance(symbol, Choice) and not symbol.greatest  # the legend has the cases
        return symbol.label if one_of else symbol.text(self)

    def _register(self, symbol: Symbol) -> str:
        """The register; the name in SSA form if another value of the register has that name."""
        short = register(symbol.label)
        return short if self.taken.setdefault(short, symbol) is symbol else symbol.label

    # --- formulas

    def sum(self, polynomial: Polynomial) -> str:
        return sum_of(polynomial.terms, self)

    def at_least(self, polynomial: Polynomial) -> str:
        """``polynomial >= 0`` as a person would write it."""
        return at_least(polynomial.primitive().terms, self)

    def equal(self, polynomial: Polynomial) -> str:
        return self.at_least(polynomial).replace("<=", "==").replace(">=", "==")

    # --- the legend

    def legend(self, *polynomials: Polynomial) -> Iterator[str]:
        """A line for each symbol that its name does not explain and no line has explained yet."""
        symbols = {symbol for polynomial in polynomials for symbol in deep(polynomial)}
        for symbol in sorted(symbols - self.explained, key=order):
            text = self._shortened(symbol) or self._meaning(symbol)
            if text:
                yield f"{self[symbol]} {text}"
        if any(isinstance(symbol, Interpretation) for symbol in symbols) and not self.wraps:
            self.wraps = True
            yield WRAPS
        self.explained |= symbols

    def _shortened(self, symbol: Symbol) -> str:
        """The formula of a symbol that is abbreviated because it is too long to be repeated."""
        text = "" if symbol in self else self._called(symbol)
        if len(text) <= LONG or symbol in self.symbolic.opaque:
            return ""
        self.shortened += 1
        self[symbol] = f"e{self.shortened}"
        return f"is {text}"

    def _meaning(self, symbol: Symbol) -> str:
        if symbol in self.loops:
            return f"counts the iterations of the loop{self.at(self.loops[symbol])}, from 0"
        if isinstance(symbol, Choice) and not symbol.greatest:
            return f"is {' or '.join(self.sum(case.polynomial) for case in symbol.cases)}"
        value = self.symbolic.opaque.get(symbol)
        if type(symbol) is not Symbol or value is None:
            return ""
        reason = imprecision(self.facts, value)
        why = f"{LOST.get(reason, LOST['nonlinear'])} ({reason})"
        instr = self.facts.values.definition.get(value)
        where = f", {self.places.primary(instr).short}" if isinstance(instr, PtxInstr) else ""
        return f"is {span(symbol.low, symbol.high)}{why}{where}"

    def at(self, index: int) -> str:
        """The place of a block, as text."""
        block = self.facts.kernel.blocks[index]
        instrs = [*block.instrs, block.terminator.instr]
        found = next((i for i in instrs if isinstance(i, PtxInstr) and i.loc is not None), None)
        found = found or next(
            (i for i in instrs if isinstance(i, PtxInstr) and not i.synthetic), None
        )
        return f" at {self.places.primary(found).short}" if found is not None else ""


def span(low: Number, high: Number) -> str:
    """``1 to 128: ``; nothing for a range that says nothing."""
    return f"in [{number(int(low))}, {number(int(high))}]: " if high - low < WORD else ""
