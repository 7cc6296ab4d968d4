"""Undefined bits: the interpreter's shadow of registers that were never written.

``UndefinedBits`` is one more algebra: a word of it is a word of the machine with a mask of its
undefined bits. Moves of bits, logic and selections move the mask, bit by bit, as in MemorySanitizer
(Stepanov & Serebryany, CGO 2015); any other result is undefined where an operand is. Only
instructions with such an operand are computed this way. Memory has no mask: a word that is stored
and loaded again counts as defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyses.algebra import Algebra, implement
from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector, Lanes
from analyses.hardware import WARP
from analyses.program import Operand, Undefined, Value
from ptxlint.ir import PtxInstr
from ptxlint.undefined_values import Dependence, UndefinedValues

ACROSS_LANES = ("vote", "match", "reduce", "matrix_product", "barrier_vote")


class Shadowed(NamedTuple):
    """A word, and a mask of its undefined bits."""

    word: BitVector
    undefined: BitVector


class UndefinedBits(Algebra[Shadowed]):
    """The algebra over ``lanes``."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    def width(self, a: Shadowed) -> int:
        return a.word.width

    def defined(self, word: BitVector) -> Shadowed:
        return Shadowed(word, self.mask_of(word.width, np.zeros(1, np.bool_)))

    def mask_of(self, width: int, lanes: Array) -> BitVector:
        """The mask with every bit set in these lanes."""
        o = self.lanes
        if width == 128:
            half = self.mask_of(64, lanes)
            return o.concat(half, half)
        return o.select(BitVector(1, lanes), o.const(width, -1), o.const(width, 0))

    def computed(self, name: str, arguments: Sequence[Any], **options: Any) -> Any:
        """The results of an operator, undefined in the lanes where an operand is; if it combines
        lanes, in all lanes of such a warp."""
        words = [a.word if isinstance(a, Shadowed) else a for a in arguments]
        lanes = self._lanes_of([a for a in arguments if isinstance(a, Shadowed)])
        if name in ACROSS_LANES and lanes.any():
            active = self.lanes.active
            everywhere = lanes if active is None else lanes & active
            lanes = np.repeat(everywhere.reshape(-1, WARP).any(axis=1), WARP)
        result = getattr(self.lanes, name)(*words, **options)
        if isinstance(result, BitVector):
            return Shadowed(result, self.mask_of(result.width, lanes))
        return tuple(Shadowed(word, self.mask_of(word.width, lanes)) for word in result)

    def _lanes_of(self, words: Sequence[Shadowed]) -> Array:
        found = np.zeros(1, np.bool_)
        for word in words:
            found = found | undefined_lanes(word.undefined)
        return found

    def moved(self, name: str, *arguments: Any) -> Shadowed:
        """The result of an operator that moves bits of its words: the mask moves as they do."""
        words = [a.word if isinstance(a, Shadowed) else a for a in arguments]
        masks = [a.undefined if isinstance(a, Shadowed) else a for a in arguments]
        operator = getattr(self.lanes, name)
        return Shadowed(operator(*words), operator(*masks))

    # --- logic

    def and_(self, a: Shadowed, b: Shadowed) -> Shadowed:
        """A bit is defined where a defined operand is 0."""
        o = self.lanes
        one = o.and_(o.or_(a.word, a.undefined), b.undefined)
        other = o.and_(o.or_(b.word, b.undefined), a.undefined)
        return Shadowed(o.and_(a.word, b.word), o.or_(one, other))

    def not_(self, a: Shadowed) -> Shadowed:
        return Shadowed(self.lanes.not_(a.word), a.undefined)

    def or_(self, a: Shadowed, b: Shadowed) -> Shadowed:
        return self.not_(self.and_(self.not_(a), self.not_(b)))

    def xor(self, a: Shadowed, b: Shadowed) -> Shadowed:
        """A word with itself is 0, undefined or not."""
        o = self.lanes
        result = o.xor(a.word, b.word)
        return self.defined(result) if a is b else Shadowed(result, o.or_(a.undefined, b.undefined))

    def sub(self, a: Shadowed, b: Shadowed) -> Shadowed:
        if a is b:
            return self.defined(self.lanes.sub(a.word, b.word))
        found: Shadowed = self.computed("sub", (a, b))
        return found

    def select(self, p: Shadowed, a: Shadowed, b: Shadowed) -> Shadowed:
        """Where the predicate is undefined, the bits in which the words differ are."""
        o = self.lanes
        chosen = o.select(p.word, a.undefined, b.undefined)
        either = o.or_(o.xor(a.word, b.word), o.or_(a.undefined, b.undefined))
        mask = o.select(p.undefined, either, chosen)
        return Shadowed(o.select(p.word, a.word, b.word), mask)

    def eq(self, a: Shadowed, b: Shadowed) -> Shadowed:
        """False wherever two defined bits differ."""
        o = self.lanes
        open_ = o.or_(a.undefined, b.undefined)
        differ = o.and_(o.xor(a.word, b.word), o.not_(open_))
        mask = undefined_lanes(open_) & ~undefined_lanes(differ)
        return Shadowed(o.eq(a.word, b.word), BitVector(1, mask))

    def ne(self, a: Shadowed, b: Shadowed) -> Shadowed:
        return self.not_(self.eq(a, b))

    # --- bits that move

    def shl(self, a: Shadowed, n: Shadowed) -> Shadowed:
        return self._controlled("shl", n, a, n.word)

    def shr_u(self, a: Shadowed, n: Shadowed) -> Shadowed:
        return self._controlled("shr_u", n, a, n.word)

    def shr_s(self, a: Shadowed, n: Shadowed) -> Shadowed:
        return self._controlled("shr_s", n, a, n.word)

    def prmt(self, a: Shadowed, b: Shadowed, selector: Shadowed) -> Shadowed:
        return self._controlled("prmt", selector, a, b, selector.word)

    def _controlled(self, name: str, control: Shadowed, *arguments: Any) -> Shadowed:
        """Moved bits; all undefined in the lanes where what moves them is."""
        o, found = self.lanes, self.moved(name, *arguments)
        lost = self.mask_of(found.word.width, undefined_lanes(control.undefined))
        return Shadowed(found.word, o.or_(found.undefined, lost))

    def brev(self, a: Shadowed) -> Shadowed:
        return self.moved("brev", a)

    def zext(self, width: int, a: Shadowed) -> Shadowed:
        return self.moved("zext", width, a)

    def sext(self, width: int, a: Shadowed) -> Shadowed:
        return self.moved("sext", width, a)

    def extract(self, width: int, low: int, a: Shadowed) -> Shadowed:
        return self.moved("extract", width, low, a)

    def trunc(self, width: int, a: Shadowed) -> Shadowed:
        return self.extract(width, 0, a)

    def concat(self, *parts: Shadowed) -> Shadowed:
        return self.moved("concat", *parts)

    def vote(self, mode: str, p: Shadowed, members: Shadowed) -> Shadowed:
        """Defined where the undefined votes make no difference, for modes that are monotone."""
        if mode == "uni":
            found: Shadowed = self.computed("vote", (mode, p, members))
            return found
        o = self.lanes
        least = o.vote(mode, o.and_(p.word, o.not_(p.undefined)), members.word)
        most = o.vote(mode, o.or_(p.word, p.undefined), members.word)
        return Shadowed(o.vote(mode, p.word, members.word), o.xor(least, most))

    def shuffle(
        self, mode: str, a: Shadowed, lane: Shadowed, clamp: Shadowed, members: Shadowed
    ) -> tuple[Shadowed, Shadowed]:
        """The mask comes from the same lane as the word."""
        o, control = self.lanes, (lane.word, clamp.word, members.word)
        word, inside = o.shuffle(mode, a.word, *control)
        mask = o.shuffle(mode, a.undefined, *control)[0]
        lost = self._lanes_of((lane, clamp, members))
        mask = o.or_(mask, self.mask_of(mask.width, lost))
        return Shadowed(word, mask), Shadowed(inside, BitVector(1, lost))


def undefined_lanes(mask: BitVector) -> Array:
    """The lanes in which a bit is undefined."""
    bits = mask.bits if mask.width <= 64 else mask.bits[0] | mask.bits[1]
    found: Array = bits != 0
    return found


def _operator(name: str) -> Callable[..., Any]:
    def operator(self: UndefinedBits, *arguments: Any, **options: Any) -> Any:
        return self.computed(name, arguments, **options)

    return operator


implement(UndefinedBits, _operator)


class UndefinedLanes:
    """The masks of ``values`` in one batch of lanes; few values have one."""

    def __init__(self, values: UndefinedValues, lanes: Lanes) -> None:
        self.values = values
        self._algebra = UndefinedBits(lanes)
        self._masks: dict[Value, BitVector] = {}

    def mask(self, operand: Operand) -> BitVector:
        """The undefined bits of an operand."""
        if isinstance(operand, Undefined):
            return self._algebra.mask_of(operand.width, np.ones(1, np.bool_))
        found = self._masks.get(operand) if isinstance(operand, Value) else None
        return found or self._algebra.mask_of(operand.width, np.zeros(1, np.bool_))

    def _set(self, value: Value, mask: BitVector, lanes: Array) -> None:
        """Changes the mask in these lanes."""
        bits = np.where(lanes, mask.bits, self.mask(value).bits)
        self._masks[value] = BitVector(value.width, bits)

    def copy_all(self, pairs: Sequence[tuple[Value, Operand]], lanes: Array) -> None:
        """Parallel copies: each target takes the mask of its source."""
        if not self.values.origins:
            return
        masks = {target: self.mask(s) for target, s in pairs if target in self.values.origins}
        for target, mask in masks.items():
            self._set(target, mask, lanes)

    def evaluate(
        self, instr: PtxInstr, words: Sequence[BitVector], lanes: Array
    ) -> Sequence[BitVector]:
        """The results of an instruction that computes, whose masks are kept."""
        shadowed = {
            use: Shadowed(word, self.mask(use)) for use, word in zip(instr.uses, words, strict=True)
        }
        results = instr.evaluate(self._algebra, [shadowed[use] for use in instr.uses])
        for value, result in zip(instr.defs, results, strict=True):
            self._set(value, result.undefined, lanes)
        return [result.word for result in results]

    def affected(self, effect: Dependence, lanes: Array) -> Array:
        """The lanes, among these, in which the operand of an effect has an undefined bit."""
        return undefined_lanes(self.mask(effect.operand)) & lanes
