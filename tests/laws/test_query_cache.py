"""Queries that ask each other have the answers of the least fixpoint, in whatever order they are
asked. A query is proved if all that one of its ways asks for is."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from analyses.proofs.query_cache import Answers, Shown

Ways = dict[int, list[list[int]]]
"""The ways to prove each query: the queries that it needs."""


def some(random: Random) -> Ways:
    count = random.randint(2, 12)
    return {
        query: [
            [random.randrange(count) for _ in range(random.randint(0, 3))]
            for _ in range(random.randint(0, 3))
        ]
        for query in range(count)
    }


def least_fixpoint(ways: Ways) -> set[int]:
    proved: set[int] = set()
    while True:
        more = {q for q, each in ways.items() if any(proved.issuperset(way) for way in each)}
        if more <= proved:
            return proved
        proved |= more


def asked(answers: Answers, ways: Ways, query: int) -> bool:
    def holds(way: list[int]) -> bool | None:
        return all(asked(answers, ways, other) for other in way) or None

    def found() -> bool | None:
        each = ((at, partial(holds, way)) for at, way in enumerate(ways[query]))
        return any(answers.of((query, at), finds) for at, finds in each) or None

    return answers.of(query, found, opens=True) is not None


@pytest.mark.parametrize("seed", range(400))
def test_what_is_proved_is_the_least_fixpoint(seed: int) -> None:
    random = Random(seed)
    ways = some(random)
    proved, answers = least_fixpoint(ways), Answers(nested=100)
    order = [*ways, *ways]
    random.shuffle(order)
    assert {query for query in order if asked(answers, ways, query)} == proved
    assert all(asked(answers, ways, query) == (query in proved) for query in order)


@pytest.mark.parametrize("seed", range(200))
def test_with_few_queries_open_nothing_else_is_proved(seed: int) -> None:
    random = Random(seed)
    ways = some(random)
    answers = Answers(nested=random.randint(1, 4))
    assert {query for query in ways if asked(answers, ways, query)} <= least_fixpoint(ways)


def test_a_failure_that_assumed_another_is_asked_again_once_that_holds() -> None:
    ways: Ways = {0: [[1], []], 1: [[0]]}
    answers = Answers(nested=100)
    assert asked(answers, ways, 0)
    assert asked(answers, ways, 1)


def test_a_failure_for_want_of_depth_is_asked_again() -> None:
    ways: Ways = {0: [[1]], 1: [[2]], 2: [[]]}
    answers = Answers(nested=2)
    assert not asked(answers, ways, 0)
    assert asked(answers, ways, 1)


def test_a_failure_is_not_asked_twice() -> None:
    times = 0

    def found() -> None:
        nonlocal times
        times += 1

    answers = Answers(nested=100)
    answers.of("a", found, opens=True)
    answers.of("a", found, opens=True)
    assert times == 1
    answers.forget("a")
    answers.of("a", found, opens=True)
    assert times == 2


def test_what_is_shown_holds_where_all_of_its_facts_do() -> None:
    shown, none = Shown[str](), frozenset[str]()
    shown.add("word", (frozenset({"a", "b"}), none), "by both")
    assert shown.of("word", (frozenset({"a", "b", "c"}), frozenset({"d"}))) == "by both"
    assert shown.of("word", (frozenset({"a", "c"}), none)) is None
    assert shown.of("word", (frozenset({"a"}), frozenset({"b"}))) is None
    assert shown.of("another", (frozenset({"a", "b"}), none)) is None
