"""The long run: ``python -m tests.observation [--kernels 5000] [--first 0] [--integers]``.

Observes random kernels one after the other and prints, now and at the end, how many facts were held
against runs. With ``--integers`` these are about words as integers, in kernels of loops and guards.
Ends with status 1 and the shortest failing kernel if one is contradicted.
"""

from __future__ import annotations

import argparse
import time

from .claims import Observation
from .partly import PARTLY
from .randomly import ANY


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--integers", action="store_true")
    asked = parser.parse_args()
    family = PARTLY if asked.integers else ANY
    total, start = Observation(), time.monotonic()
    for number in range(asked.kernels):
        seed = asked.first + number
        seen = family.observed(family.generate(seed), seed)
        total.add(seen)
        if seen.violations:
            print(family.report(seed))
            return 1
        if (number + 1) % 250 == 0 or number + 1 == asked.kernels:
            seconds = time.monotonic() - start
            print(
                f"{number + 1} kernels, {total.checks:,} facts, 0 contradicted, {seconds:.0f} s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
