"""The page about payoffs shows what Python prints."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "payoffs.md"


class SameWords(doctest.OutputChecker):
    """Compares without line breaks, and without the numbers that folds have in a process."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return self.words(want) == self.words(got)

    @staticmethod
    def words(text: str) -> str:
        return re.sub(r"\bt\d+\b", "t", " ".join(text.replace("\\\n", " ").split()))


def test_the_page_shows_what_python_prints() -> None:
    page = PAGE.read_text("utf-8")
    found = doctest.DocTestParser().get_doctest(page, {}, PAGE.name, str(PAGE), 0)
    assert len(found.examples) > 10
    said: list[str] = []
    result = doctest.DocTestRunner(SameWords()).run(found, out=said.append)
    assert result.failed == 0, "".join(said)
