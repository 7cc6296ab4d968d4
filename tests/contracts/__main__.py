"""The long run: ``python -m tests.contracts [--launches 10000] [--tries 30] [--part 1/4] [NAMES]``.

Random launches that meet the inferred contracts of the corpus, with buffers exactly as large as
they say: none may fault. Then each bound is broken by one: where no launch faults, it is not tight.
Ends with status 1 if a launch that meets its contract faults.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random

from .breaking import Bound, bounds, breaking
from .kernels import files, subjects
from .launches import Launches


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--launches", type=int, default=10_000)
    parser.add_argument("--tries", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1")
    asked = parser.parse_args()
    paths = [p for p in files() if not asked.names or any(n in p.stem for n in asked.names)]
    count: Counter[str] = Counter()
    each = -(-asked.launches // max(1, len(paths)))
    part, parts = map(int, asked.part.split("/"))
    for path in paths[part - 1 :: parts]:
        for subject in subjects(path):
            random = Random(f"{asked.seed} {subject.name}")
            launches = Launches(subject, random)
            count["kernels"] += 1
            count["kernels of which an address comes from memory"] += subject.from_memory
            if subject.contract.unknown:
                reasons = ", ".join(sorted({u.reason for u in subject.contract.unknown}))
                print(f"{subject.name}: {len(subject.contract.unknown)} unknown ({reasons})")
                count["kernels with accesses of which nothing is known"] += 1
            faults = held(launches, each, count)
            for fault in faults:
                print(f"{subject.name}: FAULT {fault}")
            for bound in bounds(launches):
                count["bounds"] += 1
                broken = list(faulting(launches, bound, asked.tries))
                count["tight bounds"] += any(broken)
                if not any(broken):
                    how = "no launch faults" if broken else "no launch breaks it alone"
                    print(f"{subject.name}: not tight: {bound.label}: {how}")
    for label, number in count.items():
        print(f"{number:,} {label}")
    return 1 if count["faults"] else 0


def held(launches: Launches, number: int, count: Counter[str]) -> list[str]:
    """Faults of launches that meet the contract: of every four, one has a vast grid."""
    found = []
    for at in range(number):
        drawn = launches.meeting() if at % 4 else launches.vast()
        draw = None if launches.ambiguous else next(drawn, None)
        candidate = None if draw is None else launches.concrete(draw, launches.sizes(draw))
        if draw is None or candidate is None:
            count["launches that could not be drawn"] += 1
            continue
        refused = launches.refusals(draw, launches.sizes(draw))
        assert not refused, refused
        try:
            faults = launches.faults(candidate)
        except MemoryError:
            count["launches that could not be run"] += 1
            continue
        count["launches"] += 1
        for fault in faults:
            count["faults"] += 1
            found.append(f"{fault} in {draw.values}")
            break
    return found


def assert_exact(launches: Launches, expected: str, number: int = 60, least: int = 40) -> None:
    """The contract is complete, the buffer ``x`` has the expected bytes, and none of at least so
    many launches that meet it faults."""
    contract = launches.subject.contract
    assert not contract.unknown
    assert contract.extents()["x"][0] == expected
    count: Counter[str] = Counter()
    assert held(launches, number, count) == []
    assert count["launches"] >= least


def faulting(launches: Launches, bound: Bound, tries: int) -> Iterator[bool]:
    """Whether launches that break the bound fault, up to the first that does."""
    for candidate in breaking(launches, bound, tries):
        try:
            faults = bound.broken(launches.faults(candidate))
        except MemoryError:  # too many pages of a buffer that has no size
            continue
        yield faults
        if faults:
            return


if __name__ == "__main__":
    raise SystemExit(main())
