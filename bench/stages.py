"""What does each stage of a check take? ``python -m bench.stages FILE``

Checks one file in this process and prints a JSON object: processor seconds by stage, and the peak
memory in bytes. The clock is read where a stage is entered or left, and a stage inside of another
one counts for itself: facts that a rule asks for are facts. This adds less than 1 % to the time.
All modules are imported first, and their import is the stage ``start``.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import process_time
from typing import Any

STAGES = (
    "start", "parse", "lower", "facts", "lanes", "proofs", "rules", "witnesses", "conditions",
    "report",
)  # fmt: skip

ENTRIES = {
    "ptxlint.analysis.parse": "parse",
    "ptxlint.analysis.lower_module": "lower",
    "ptxlint.analysis.outcome_in": "report",
    "ptxlint.results.outcome.Checked.report": "report",
    "ptxlint.analysis.read_file": "report",
    "ptxlint.facts.kernel_facts.Facts.values": "facts",
    "ptxlint.facts.kernel_facts.Facts.divergence": "facts",
    "ptxlint.facts.kernel_facts.Facts.footprints": "facts",
    "ptxlint.facts.kernel_facts.Facts.all_accesses": "facts",
    "ptxlint.facts.kernel_facts.Facts.undefined": "facts",
    "ptxlint.facts.kernel_facts.Facts.race_candidates": "proofs",
    "ptxlint.facts.kernel_facts.Facts.updates": "facts",
    "ptxlint.facts.kernel_facts.pattern": "lanes",
    "ptxlint.facts.kernel_facts.cost": "lanes",
    "ptxlint.facts.requests.cost_function": "lanes",
    "ptxlint.facts.requests.traffic_share": "lanes",
    "ptxlint.facts.requests.traffic_shares": "lanes",
    "ptxlint.facts.fixes.proposed_fix": "lanes",
    "analyses.footprints.Footprints.in_bounds": "proofs",
    "analyses.footprints.Footprints.never_in_bounds": "proofs",
    "analyses.footprints.Footprints.aligned": "proofs",
    "analyses.footprints.Footprints.counterexample": "proofs",
}
"""The functions, methods and cached properties that begin a stage."""

STEPS = {"witnesses": "witnesses", "the verdict": "conditions", "contract": "conditions"}
"""The steps of the checker that are stages; its other steps are rules, and the facts they need."""


class Stopwatch:
    """Processor ``seconds`` by stage."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.stage = "start"
        self.since = 0.0

    def switch(self, stage: str) -> str:
        """The stage until now, which is charged."""
        now, before = process_time(), self.stage
        self.seconds[before] += now - self.since
        self.stage, self.since = stage, now
        return before

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        before = self.switch(stage)
        try:
            yield
        finally:
            self.switch(before)

    def watch(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @wraps(function)
        def watched(*arguments: Any, **options: Any) -> Any:
            with self.of(stage):
                return function(*arguments, **options)

        return watched

    def install(self) -> None:
        """Watches all entries, under every name that a module of the project imported them by."""
        for path, stage in ENTRIES.items():
            module, *names = split(path)
            owner: Any = sys.modules[module]
            for name in names[:-1]:
                owner = getattr(owner, name)
            found = vars(owner)[names[-1]]
            if hasattr(found, "func"):  # a cached property
                found.func = self.watch(found.func, stage)
                continue
            watched = self.watch(found, stage)
            setattr(owner, names[-1], watched)
            for other in own_modules() if len(names) == 1 else ():
                if vars(other).get(names[0]) is found:
                    setattr(other, names[0], watched)
        from ptxlint.analysis import Attempts

        plain = Attempts.attempt

        def attempt(self_: Attempts, step: str, action: Any, otherwise: Any) -> Any:
            with self.of(STEPS.get(step, self.stage if step == "assembling" else "rules")):
                return plain(self_, step, action, otherwise)

        Attempts.attempt = attempt  # type: ignore[method-assign]


def split(path: str) -> list[str]:
    """The module of a path, and the names after it."""
    words = path.split(".")
    count = max(n for n in range(len(words)) if ".".join(words[:n]) in sys.modules)
    return [".".join(words[:count]), *words[count:]]


def own_modules() -> list[Any]:
    return [m for name, m in sys.modules.items() if name.split(".")[0] in ("ptxlint", "analyses")]


def main() -> None:
    import ptxlint.analysis
    import ptxlint.checker as checker
    import ptxlint.facts.fixes
    import ptxlint.replay.witness
    import ptxlint.reports
    import ptxlint.verdicts.judgement
    from ptxlint.cli import collect_rarely
    from ptxlint.rule import load_rule, rule_names
    from ptxlint.source import Source

    for name in rule_names():
        load_rule(name)
    collect_rarely()
    watch = Stopwatch()
    watch.install()
    watch.switch("report")
    path = Path(sys.argv[1])
    found = checker.check([Source(str(path), path.read_text("utf-8"))])
    ptxlint.reports.render(found, "full")
    watch.switch("report")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": watch.seconds, "peak": peak}))


if __name__ == "__main__":
    main()
