"""The facts of a path condition, in parts, are those of a plain list."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK
from analyses.proofs.fact_index import computed, contains
from analyses.proofs.path_condition import PathCondition

LENGTH = 300
RANKS = 0, 1, FIRST_RANK  # of the launch, of thread coordinates, of what a thread computes
SYMBOLS = [Symbol(f"x{number}", rank=RANKS[number % 3]) for number in range(9)]


def some(random: Random) -> Polynomial:
    chosen = random.sample(SYMBOLS, 2)
    return Polynomial.of(chosen[0]) - Polynomial.of(chosen[1]) + random.randrange(40)


def extended(random: Random, before: PathCondition) -> PathCondition:
    known = [Inequality(some(random)) for _ in range(random.randrange(3))]
    apart = [Inequality(some(random)) for _ in range(random.randrange(2))]
    return before + PathCondition(tuple(known), tuple(apart))


@pytest.mark.parametrize("seed", range(5))
def test_parts_hold_the_facts_of_a_chain(seed: int) -> None:
    """Also where several path conditions extend one."""
    random = Random(seed)
    chain = [PathCondition()]
    for _ in range(LENGTH):
        chain.append(extended(random, chain[-random.randint(1, min(3, len(chain)))]))
    for condition in chain:
        polynomials = [fact.polynomial for fact in condition.known]
        known, apart = condition.said
        assert frozenset().union(*known) == set(polynomials)
        assert frozenset().union(*apart) == {fact.polynomial for fact in condition.apart}
        new = some(random)
        assert contains(known, new) == (new in polynomials)
        for symbol in SYMBOLS:
            expected = {
                number
                for number in condition.indices()
                if symbol.rank
                and symbol in (fact := condition.fact(number).polynomial).symbols
                and computed(fact)
            }
            about = list(condition.about(symbol))
            assert len(about) == len(expected) and set(about) == expected
        sizes = [len(part) for part in condition.links]
        assert all(one >= 2 * other for one, other in pairwise(sizes))


def test_a_long_chain_has_few_parts() -> None:
    """Each fact is copied a few times, not once for each path condition after it."""
    condition, copied = PathCondition(), 0
    for number in range(1 << 10):
        fact = Inequality(Polynomial.of(SYMBOLS[2]) + number)
        before = condition.links
        condition += PathCondition((fact,))
        copied += sum(len(part) for part in condition.links if part not in before)
    assert len(condition.known) == 1 << 10
    assert len(condition.links) == 1 and copied <= 11 << 10


def test_facts_of_coordinates_alone_are_not_looked_at_again() -> None:
    """They belong to every goal, and to no symbol."""
    facts = [Inequality(Polynomial.of(SYMBOLS[1]) + number) for number in range(LENGTH)]
    condition = PathCondition(tuple(facts))
    assert not list(condition.about(SYMBOLS[1]))
    assert [part.others for part in condition.links] == [tuple(range(LENGTH))]
