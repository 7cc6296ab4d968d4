"""The judge: lanes run an operator on all words of a width, and each result is held against a fact.

For operands a, b the concrete results are op(x, y) for every x in a and y in b. Lanes compute the
table of op once, on the whole cartesian product of words, in one vector. Which results a pair of
operands reaches, and how often, is then a product of matrices (membership x table x membership), so
all pairs are judged together; what a fact covers is asked of ``admits`` and of nobody else.

Precision is (ideal size / actual size), averaged: ideal is the smallest element of the domain that
covers the results, so 1 means that nothing is left to gain in this domain.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyses.concrete.machine import BitVector, Lanes
from analyses.lattice import Relation
from tests.domains import Judged, covered, every_word, judged

from .operators import CASES, Case

LANES = Lanes()
MEMBERS = {name: found for name, found in judged().items() if found.elements is not None}
AMOUNTS = (0, 1, 2, 3, 4, 5, 6, 7, 31, 32, 33, 64, 1 << 31, (1 << 32) - 1)
SPREAD = 0x18060381  # takes the words of a small width to all four bytes of 32 bits
ENUMERATED = 4  # bits: up to here the ideal is looked for among all elements of the domain
RELATIONS: tuple[Relation, ...] = ("eq", "ne", "lt_u", "le_u", "lt_s", "le_s")


@dataclass
class Verdict:
    """How many concrete results were held against facts, which were lost, how tight facts were."""

    checks: int = 0
    losses: int = 0
    examples: list[str] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return float(np.mean(self.ratios)) if self.ratios else 1.0

    def __str__(self) -> str:
        return f"oracle: {self.checks:,} concrete results held against facts, {self.losses:,} lost"

    def add(self, other: Verdict) -> None:
        self.checks += other.checks
        self.losses += other.losses
        self.examples += other.examples[: 5 - len(self.examples)]
        self.ratios += other.ratios


@dataclass(frozen=True)
class Operand:
    """Abstract elements, the words they are tried on, and which element admits which word."""

    elements: Sequence[Any]
    words: BitVector
    members: NDArray[np.bool_]


@lru_cache(128)  # most operators are tried on the same ones
def operand(member: Judged, kind: str, width: int, most: int) -> Operand:
    domain = member.domain
    if kind == "p":
        elements, words = list(member.every(1)), every_word(1)
    elif kind == "n":
        small = sample(member.every(3), most - 3)
        elements = [domain.zext(32, element) for element in small]
        elements += [domain.const(32, 32), domain.const(32, (1 << 32) - 1), domain.top(32)]
        words = BitVector.of(32, AMOUNTS)
    elif kind == "b":
        narrow = member.every(width)
        factor = domain.const(32, SPREAD)
        elements = [domain.mul(domain.zext(32, e), factor) for e in sample(narrow, most)]
        words = LANES.mul(LANES.zext(32, every_word(width)), LANES.const(32, SPREAD))
    else:
        elements, words = sample(member.every(width), most), every_word(width)
    return Operand(elements, words, covered(domain, elements, words))


def sample(elements: Sequence[Any], most: int) -> list[Any]:
    """An even sample that keeps both ends."""
    if len(elements) <= most:
        return list(elements)
    places = np.unique(np.linspace(0, len(elements) - 1, most).astype(int))
    return [elements[i] for i in places]


def operands(member: Judged, case: Case, width: int) -> list[Operand]:
    wide = sum(kind != "p" for kind in case.kinds)
    budget = member.budget // 4 if "p" in case.kinds else member.budget
    most = int(budget ** (1 / wide))
    return [operand(member, kind, width, most) for kind in case.kinds]


def cartesian(words: Sequence[BitVector]) -> list[BitVector]:
    grid = np.meshgrid(*(word.bits for word in words), indexing="ij")
    return [BitVector(word.width, bits.ravel()) for word, bits in zip(words, grid, strict=True)]


def judge(member: Judged, case: Case, width: int) -> Verdict:
    """One case at one width, on all tuples of operands."""
    sides = operands(member, case, width)
    concrete = cartesian([side.words for side in sides])
    result = case.apply(LANES, width, *concrete)
    possible = every_word(result.width) if result.width <= 10 else distinct(result)
    table = np.equal.outer(result.unsigned, possible.unsigned).astype(np.float32)
    if case.partial:
        table[concrete[1].unsigned == 0] = 1  # any word at all
    table = table.reshape(*(side.words.bits.size for side in sides), -1)
    for side in sides:  # each turn takes the first axis away and puts the elements last but one
        table = np.moveaxis(np.tensordot(side.members.astype(np.float32), table, (1, 0)), 0, -2)
    tuples = list(itertools.product(*(side.elements for side in sides)))
    facts = [case.apply(member.domain, width, *choice) for choice in tuples]
    wrong = [fact for fact in facts if member.domain.width(fact) != result.width]
    assert not wrong, f"{case}: {wrong[0]} has not {result.width} bits"
    hits = table.reshape(len(tuples), -1)
    return weigh(member, f"{case} at {width} bits", tuples, facts, possible, hits)


def distinct(result: BitVector) -> BitVector:
    return BitVector(result.width, np.unique(result.bits))


def weigh(
    member: Judged,
    title: str,
    tuples: Sequence[tuple[Any, ...]],
    facts: Sequence[Any],
    possible: BitVector,
    hits: NDArray[Any],
) -> Verdict:
    """Hold hits[i, z] concrete results ``possible[z]`` against facts[i]."""
    domain, index = member.domain, dict[Any, int]()
    places = [index.setdefault(fact, len(index)) for fact in facts]
    admitted = covered(domain, list(index), possible)[places]
    lost = (hits > 0) & ~admitted
    verdict = Verdict(int(hits.sum(dtype=np.float64)), int(lost.sum()))
    for i, z in itertools.islice(zip(*np.nonzero(lost), strict=True), 5):
        shown = ", ".join(str(operand) for operand in tuples[i])
        word = int(possible.unsigned[z])
        verdict.examples.append(f"{title}: ({shown}) -> {facts[i]} lost {word}")
    if possible.width <= ENUMERATED:
        alive = [not any(domain.is_bottom(operand) for operand in choice) for choice in tuples]
        size, ideal = admitted.sum(axis=1), ideal_sizes(member, possible, hits > 0)
        ratios = np.where(size, ideal / np.maximum(size, 1), 1.0)
        verdict.ratios = ratios[np.array(alive)].tolist()
    return verdict


def ideal_sizes(member: Judged, words: BitVector, reached: NDArray[np.bool_]) -> NDArray[Any]:
    """For each set of words the size of the smallest element that has them all."""
    elements = member.members(words.width)
    sizes = elements.sum(axis=1)
    elements, sizes = elements[np.argsort(sizes)], np.sort(sizes)
    sets, places = np.unique(np.packbits(reached, axis=1), axis=0, return_inverse=True)
    sets = np.unpackbits(sets, axis=1, count=words.bits.size).astype(np.float32)
    missing = sets @ (~elements).T.astype(np.float32)
    found: NDArray[Any] = sizes[np.argmax(missing == 0, axis=1)][places.ravel()]
    return found


# --- lattice operations and assume: two elements of one width


def word_pairs(member: Judged, width: int) -> tuple[Operand, list[tuple[Any, Any]]]:
    side = operand(member, "w", width, int(member.budget**0.5))
    return side, list(itertools.product(side.elements, repeat=2))


LATTICE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "join": (lambda o, a, b: o.join(a, b), np.logical_or),
    "meet": (lambda o, a, b: o.meet(a, b), np.logical_and),
    "widen": (lambda o, a, b: o.widen(a, b), np.logical_or),
    "widen with thresholds": (lambda o, a, b: o.widen(a, b, (-5, -2, 0, 3, 6)), np.logical_or),
}


def judge_lattice(member: Judged, name: str, width: int) -> Verdict:
    side, tuples = word_pairs(member, width)
    apply, combine = LATTICE[name]
    hits = combine(side.members[:, None, :], side.members[None, :, :])
    facts = [apply(member.domain, a, b) for a, b in tuples]
    title = f"{name} at {width} bits"
    verdict = weigh(member, title, tuples, facts, side.words, hits.reshape(len(tuples), -1))
    if name.startswith("widen"):
        verdict.ratios.clear()  # it is not meant to be precise
    return verdict


def judge_assume(member: Judged, relation: Relation, width: int) -> Verdict:
    """No word may be lost that has a partner on the other side."""
    side, tuples = word_pairs(member, width)
    left, right = cartesian([side.words, side.words])
    size = side.words.bits.size
    holds = getattr(LANES, relation)(left, right).bits.reshape(size, size).astype(np.float32)
    members = side.members.astype(np.float32)
    with_right = members[:, None, :] * (members @ holds.T)[None, :, :]
    with_left = (members @ holds)[:, None, :] * members[None, :, :]
    refined = [member.domain.assume(a, relation, b) for a, b in tuples]
    verdict = Verdict()
    for place, hits in enumerate((with_right, with_left)):
        title = f"assume {relation}, {('left', 'right')[place]}, at {width} bits"
        facts = [both[place] for both in refined]
        shape = (len(tuples), -1)
        verdict.add(weigh(member, title, tuples, facts, side.words, hits.reshape(shape)))
    return verdict


def subjects() -> list[str]:
    """The names of all that is judged."""
    operators = dict.fromkeys(case.operator for case in CASES)
    return [*operators, *LATTICE, *(f"assume {relation}" for relation in RELATIONS)]


def trials(member: Judged, operator: str) -> Iterator[Verdict]:
    """All verdicts on one operator, on ``assume R`` or on an operation of the lattice."""
    if operator in LATTICE:
        yield from (judge_lattice(member, operator, width) for width in member.widths)
    elif operator.startswith("assume "):
        relation = next(r for r in RELATIONS if operator == f"assume {r}")
        yield from (judge_assume(member, relation, width) for width in member.widths)
    for case in CASES:
        if case.operator == operator:
            widths = (3,) if "b" in case.kinds else member.widths
            widths = member.unary_widths if len(case.kinds) == 1 else widths
            yield from (judge(member, case, w) for w in widths if w >= case.least_width)


def verdict_on(member: Judged, operator: str) -> Verdict:
    total = Verdict()
    for verdict in trials(member, operator):
        total.add(verdict)
    return total
