"""The laws of a lattice, asked of every domain.

A domain joins by a file of samples in ``tests/domains``: some elements of one width (bottom and
top are added). Wrapped intervals are not quite a lattice, so the laws are those a solver relies on:
``leq`` is a partial order, ``join`` a commutative upper bound, ``meet`` keeps what lies in both
operands, ``widen`` is an upper bound that makes chains finite. Associativity and absorption are
not asked for. All triples of the samples are tried: some dozens of elements are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import pytest

from analyses.lattice import Domain
from tests.domains import judged

DOMAINS = judged()
THRESHOLDS = (-100, -1, 0, 7, 31, 64)
LONGEST_CHAIN = 200  # steps; a bound visits each threshold, a stride each divisor, a bit each place

every_domain = pytest.mark.parametrize("name", DOMAINS)


def laid_out(name: str) -> tuple[Domain[Any], list[Any]]:
    domain, samples = DOMAINS[name].domain, DOMAINS[name].samples
    width = domain.width(samples[0])
    return domain, [domain.bottom(width), *dict.fromkeys(samples), domain.top(width)]


@every_domain
def test_bottom_and_top_bound_everything(name: str) -> None:
    domain, elements = laid_out(name)
    for a in elements:
        assert domain.leq(elements[0], a), f"bottom is not below {a}"
        assert domain.leq(a, elements[-1]), f"{a} is not below top"
        assert domain.is_bottom(a) == domain.leq(a, elements[0]), f"is {a} bottom?"


@every_domain
def test_leq_is_a_partial_order(name: str) -> None:
    domain, elements = laid_out(name)
    below = {(a, b) for a, b in product(elements, repeat=2) if domain.leq(a, b)}
    for a in elements:
        assert (a, a) in below, f"{a} is not below itself"
    for a, b in below:
        assert a == b or (b, a) not in below, f"{a} and {b} mean the same and differ"
        for c in elements:
            if (b, c) in below:
                assert (a, c) in below, f"{a} <= {b} <= {c}, yet not {a} <= {c}"


@every_domain
def test_elements_are_hashable_and_equal_by_value(name: str) -> None:
    domain, elements = laid_out(name)
    for a in elements:
        assert hash(domain.join(a, elements[0])) == hash(a)
        assert domain.join(a, elements[0]) == a == domain.join(elements[0], a)


@every_domain
def test_join_is_a_commutative_upper_bound(name: str) -> None:
    domain, elements = laid_out(name)
    for a, b in product(elements, repeat=2):
        both = domain.join(a, b)
        assert domain.leq(a, both) and domain.leq(b, both), f"{a} join {b} = {both}"
        assert both == domain.join(b, a), f"{a} join {b} depends on the order"
        if domain.leq(a, b):
            assert both == b, f"{a} <= {b}, yet their join is {both}"


@every_domain
def test_meet_keeps_what_lies_in_both(name: str) -> None:
    domain, elements = laid_out(name)
    for a, b in product(elements, repeat=2):
        both = domain.meet(a, b)
        assert both == domain.meet(b, a), f"{a} meet {b} depends on the order"
        assert domain.leq(both, a) or domain.leq(both, b), f"{a} meet {b} = {both} is in neither"
        for c in elements:
            if domain.leq(c, a) and domain.leq(c, b):
                assert domain.leq(c, both), f"{c} is in {a} and {b}, not in {both}"


@every_domain
def test_assume_refines_and_never_enlarges(name: str) -> None:
    domain, elements = laid_out(name)
    for a, b in product(elements, repeat=2):
        for relation in ("eq", "ne", "lt_u", "le_u", "lt_s", "le_s"):
            x, y = domain.assume(a, relation, b)
            assert domain.leq(x, a) and domain.leq(y, b), f"{a} {relation} {b}: {x}, {y}"


@every_domain
@pytest.mark.parametrize("thresholds", [(), THRESHOLDS])
def test_widen_is_an_upper_bound(name: str, thresholds: Sequence[int]) -> None:
    domain, elements = laid_out(name)
    for old, new in product(elements, repeat=2):
        wide = domain.widen(old, new, thresholds)
        assert domain.leq(old, wide) and domain.leq(new, wide), f"{old} widen {new} = {wide}"
        if domain.leq(new, old):
            assert wide == old, f"{old} is stable, yet widens to {wide}"


def loop_bodies(domain: Domain[Any], width: int) -> Iterator[Callable[[Any], Any]]:
    """What a loop may do to its variable: the chains that widening must cut short."""
    one = domain.const(width, 1)
    for amount in (1, 2, 3, 12, -1, -7):
        for operator in (domain.add, domain.mul, domain.xor):
            yield partial(operator, domain.const(width, amount))
    yield lambda x: domain.add(x, domain.add(x, one))
    yield domain.not_
    yield lambda x: domain.shr_u(x, one)


@every_domain
@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.parametrize("thresholds", [(), THRESHOLDS])
def test_widening_ends_every_loop(name: str, width: int, thresholds: Sequence[int]) -> None:
    domain, elements = laid_out(name)
    starts = [domain.zext(width, element) for element in elements]
    for start, body in product(starts, loop_bodies(domain, width)):
        x, steps = start, 0
        while not domain.leq(after := body(x), x):
            x, steps = domain.widen(x, domain.join(x, after), thresholds), steps + 1
            assert steps < LONGEST_CHAIN, f"from {start}: still moving at {x}"
