"""Judge every operator, of all domains or of those that are named, and print the verdicts; with
``--record``, write the floors of precision."""

from __future__ import annotations

import sys
import time

from .floors import floors, record
from .judge import MEMBERS, Verdict, subjects, verdict_on


def main() -> int:
    total, began = Verdict(), time.perf_counter()
    named = [name for name in MEMBERS if name in sys.argv[1:]] or list(MEMBERS)
    measured: dict[str, dict[str, float]] = {}
    print(f"{'operator':24}" + "".join(f"{name:>20}" for name in named))
    for operator in subjects():
        line = f"{operator:24}"
        for name in named:
            verdict = verdict_on(MEMBERS[name], operator)
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
        record(floors() | measured)
    return 1 if total.losses else 0


sys.exit(main())
