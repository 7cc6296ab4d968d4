"""What is not proved of the corpus as it is declared, counted by reason: it may only fall.

    python -m tests.corpus.debt             # print the counts
    python -m tests.corpus.debt --record    # write them down, in corpus/DEBT.toml

A reason says where the address stopped being a function of the launch
(``ptxlint.facts.imprecision``). ``no-extent``: the size of the buffer is not declared.
``alignment`` and ``space``: the bounds are proved, these are not. False alarms are none:
``test_corpus`` sees to that.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ptxlint.facts.imprecision import imprecision
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from tests.declared import facts_of

CORPUS = Path(__file__).parents[2] / "corpus"
PLACE = CORPUS / "DEBT.toml"
FOLDERS = ("clean", "compilers")
HEADER = """\
# Accesses that are not proved under the declared launch, by reason; written by
#     python -m tests.corpus.debt --record
# The tests fail where a count rises.
"""


def reason(facts: Facts, access: AccessFacts) -> str:
    """Why an access that is not proved is not."""
    place = access.place
    if access.in_bounds:
        return "alignment" if access.mismatch is None else "space"
    if place.region is not None and place.size is None:
        return "no-extent"
    return imprecision(facts, place.access.base)


def owed(folder: str) -> Counter[str]:
    """The accesses of a folder that are not proved. Raises AssertionError for a text that cannot
    be read."""
    found: Counter[str] = Counter()
    for path in sorted((CORPUS / folder).glob("*.ptx")):
        for facts in facts_of(path):
            open_ = (access for access in facts.accesses if access.status != "proved")
            found.update(reason(facts, access) for access in open_)
    return found


def recorded() -> Mapping[str, Mapping[str, int]]:
    return tomllib.loads(PLACE.read_text(encoding="utf-8"))


def written(debts: Mapping[str, Counter[str]]) -> str:
    lines = [HEADER]
    for folder, found in debts.items():
        lines += [f"[{folder}]", *(f"{name} = {found[name]}" for name in sorted(found)), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    text = written({folder: owed(folder) for folder in FOLDERS})
    if asked.record:
        PLACE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
