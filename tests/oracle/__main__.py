"""Judge every operator and print the verdicts; with ``--record``, write the floors of precision."""

from __future__ import annotations

import sys
import time

from .floors import record
from .judge import Verdict, subjects, verdict_on
from .members import MEMBERS


def main() -> int:
    total, began = Verdict(), time.perf_counter()
    measured: dict[str, dict[str, float]] = {}
    print(f"{'operator':24}" + "".join(f"{name:>20}" for name in MEMBERS))
    for operator in subjects():
        line = f"{operator:24}"
        for name, member in MEMBERS.items():
            verdict = verdict_on(member, operator)
            total.add(verdict)
            if verdict.ratios:
                measured.setdefault(name, {})[operator] = verdict.precision
            line += f"{verdict.precision:20.3f}" if verdict.ratios else f"{'-':>20}"
        print(line, flush=True)
    for example in total.examples:
        print(example)
    seconds = time.perf_counter() - began
    print(f"{total.checks:,} checks, {total.losses:,} lost, {seconds:.0f} s")
    if "--record" in sys.argv and not total.losses:
        record(measured)
    return 1 if total.losses else 0


sys.exit(main())
