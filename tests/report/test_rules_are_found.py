"""A rule is a module of the rules folder; one that is incomplete says what it lacks."""

from __future__ import annotations

from types import ModuleType

import pytest

from ptxlint.cli.rule import listing, page
from ptxlint.results.finding import Severity
from ptxlint.rule import HEADER, HEADINGS, Rule, RuleError, from_module, load_rules, rule_names

DOC = "Title.\n\n" + "\n\n".join(f"{heading}\n    Words." for heading in HEADINGS)


def module(name: str = "ptxlint.rules.bad_thing", **changes: object) -> ModuleType:
    made = ModuleType(name, DOC)
    usual = {
        "RULE": Rule("bad-thing", Severity.NOTE, ("traffic",), "a bad thing"),
        "BAD": "ret;  // expect: bad-thing\n",
        "GOOD": "exit;\n",
        "check": lambda facts: (),
    }
    for key, value in {**usual, **changes}.items():
        if value is not None:
            setattr(made, key, value)
    return made


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"RULE": None}, "rule bad-thing: the module has no RULE"),
        ({"GOOD": None}, "rule bad-thing: the module has no GOOD"),
        ({"RULE": "bad-thing"}, "rule bad-thing: RULE is no Rule"),
        ({"name": "other"}, "rule other: RULE.id is bad-thing, expected the file's name"),
        ({"__doc__": "No."}, f"rule bad-thing: the docstring has no heading {', '.join(HEADINGS)}"),
    ],
)
def test_incomplete(changes: dict[str, object], message: str) -> None:
    with pytest.raises(RuleError) as error:
        from_module(module(**changes))  # type: ignore[arg-type]
    assert str(error.value) == message


def test_the_page_of_a_rule() -> None:
    made = from_module(module())
    text = page(made)
    assert text.startswith("bad-thing: note; traffic\n========================\n\nTitle.\n")
    header = HEADER.replace("\n", "\n    ")
    assert f"Reported\n--------\n{header}ret;  // expect: bad-thing\n" in text
    assert text.endswith(f"Not reported\n------------\n{header}exit;\n")
    assert listing({"bad-thing": made}) == "bad-thing  note     a bad thing\n"


def test_every_rule_of_the_folder_is_whole() -> None:
    assert tuple(load_rules()) == rule_names()
