"""A few hundred inputs of the fuzzer, and every input that once went wrong.

The files in ``cases`` are such inputs, made small; ``// says:`` is what must be said of them. Those
that are right PTX live in ``corpus/regressions``. The long run is ``python -m tests.fuzz``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sampled import sampled

from .drive import driven, produced
from .programs import program

INPUTS = 300
SEED = "ci"
CASES = sorted(Path(__file__).with_name("cases").glob("*.ptx"))


@pytest.mark.parametrize("first", sampled(range(0, INPUTS, 50), 2))
def test_whatever_the_input_the_command_answers(first: int) -> None:
    """Half of them by default. Inputs of all kinds are drawn in each fifty."""
    for number in range(first, first + 50):
        data, options = produced(f"{SEED}:{number}")
        result = driven(data, options)
        again = f"python -m tests.fuzz --only {SEED}:{number}"
        assert result.failure is None, f"{again}\n{result.failure}"


def test_an_input_is_the_same_each_time() -> None:
    names = [f"again:{number}" for number in range(20)]
    assert list(map(produced, names)) == list(map(produced, names))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_once_went_wrong_is_answered(path: Path) -> None:
    text = path.read_text("utf-8")
    result = driven(text.encode(), ("--output-format", "concise"))
    assert result.failure is None
    for wanted in re.findall(r"// says: (.*)", text):
        assert wanted in result.output


def test_generated_programs_are_analysed_often() -> None:
    """A fuzzer whose inputs all end in the parser would test nothing else."""
    from random import Random

    codes = [driven(program(Random(f"deep {n}")).encode()).code for n in range(60)]
    assert sum(code in (0, 1) for code in codes) >= 6
