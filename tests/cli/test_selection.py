"""Which rules are asked: ids, tags, and what counts where both are said."""

from __future__ import annotations

import pickle

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.errors import Error
from ptxlint.options import Options
from ptxlint.rule import load_rules, rule_names

TRAFFIC = [name for name, module in load_rules().items() if "traffic" in module.rule.tags]


def test_no_choice_means_all_rules() -> None:
    assert Options().rule_ids == rule_names() == Options(select=("all",)).rule_ids


def test_a_tag_stands_for_its_rules() -> None:
    assert [*Options(select=("traffic",)).rule_ids] == TRAFFIC
    assert {*rule_names()} - {*Options(ignore=("traffic",)).rule_ids} == {*TRAFFIC}


@pytest.mark.parametrize(
    ("select", "ignore", "asked"),
    [
        (("shared-bank-conflict",), ("traffic",), True),
        (("traffic",), ("shared-bank-conflict",), False),
        (("traffic",), ("all",), True),
        (("traffic",), ("traffic",), False),
        ((), ("all",), False),
        (("all", "shared-bank-conflict"), ("traffic",), True),
    ],
)
def test_an_id_counts_more_than_a_tag_and_a_tag_more_than_all(
    select: tuple[str, ...], ignore: tuple[str, ...], asked: bool
) -> None:
    rules = Options(select=select, ignore=ignore).rule_ids
    assert ("shared-bank-conflict" in rules) == asked


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("trafic", "select trafic: no such rule or tag; did you mean traffic?"),
        ("data-races", "did you mean data-race?"),
        ("branch-index", "select branch-index: only 'ptxlint run' finds it"),
        ("run", "select run: only 'ptxlint run' finds it"),
    ],
)
def test_what_stands_for_nothing_is_refused(name: str, told: str) -> None:
    with pytest.raises(Error, match=told.replace("?", r"\?")):
        Options(select=(name,))


def test_options_can_be_sent_to_another_process() -> None:
    declared = Contract(
        "k*", block=(32, 8), args={"n": "1..4096", "p": "x+4*n"}, buffers={"x": "4*n@16"},
        values={"x": "0..n-1"}, requires=["n % 4 == 0"], distinct=["x, y or same"],
    )  # fmt: skip
    options = Options((declared,), (declared,), select=("traffic",), kernel="k")
    assert options.rule_ids
    sent = pickle.loads(pickle.dumps(options))
    assert (sent, repr(sent)) == (options, repr(options))
