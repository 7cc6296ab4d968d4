"""The pages about the kernels for pricing show what Python prints."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


class SameWords(doctest.OutputChecker):
    """Compares without line breaks, and without the numbers that folds have in a process."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return self.words(want) == self.words(got)

    @staticmethod
    def words(text: str) -> str:
        return re.sub(r"\bt\d+\b", "t", " ".join(text.replace("\\\n", " ").split()))


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(DOCS / "examples" / "payoff.py"))
    page = SameWords.words((DOCS / "payoffs.md").read_text("utf-8"))
    assert SameWords.words(capsys.readouterr().out) in page


PAGES = {"payoffs.md": 10, "early-exercise.md": 8, "pso.md": 5, "relaxation.md": 9, "layouts.md": 5}
"""With the least number of examples of each."""


@pytest.mark.parametrize(("name", "least"), PAGES.items())
def test_the_page_shows_what_python_prints(name: str, least: int) -> None:
    page = (DOCS / name).read_text("utf-8")
    found = doctest.DocTestParser().get_doctest(page, {}, name, str(DOCS / name), 0)
    assert len(found.examples) > least
    said: list[str] = []
    result = doctest.DocTestRunner(SameWords()).run(found, out=said.append)
    assert result.failed == 0, "".join(said)
