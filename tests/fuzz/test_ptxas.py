"""One-character slips in the corpus: ptxas is asked, where it is found, and has the last word."""

from __future__ import annotations

import shutil

import pytest

from .ptxas import agreement, compare


@pytest.mark.slow
def test_slips_are_placed_as_ptxas_places_them_and_nothing_it_takes_is_refused() -> None:
    if shutil.which("ptxas") is None:
        pytest.skip("ptxas is not found")
    tally, _, failures = compare("test", 300)
    assert not tally["refused by ptxlint alone"], "\n".join(failures)
    agreed, refused = agreement(tally)
    assert agreed >= 0.95 * refused, "\n".join(failures)
