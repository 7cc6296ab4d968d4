"""What do costs add to a check? ``python -m bench.costs``

Checks every clean kernel of the corpus under its declared launch, parsing to findings without
replays: with what each access costs, and as if no device counted anything. Prints the milliseconds
of both and what the first adds. Processor time, the best of three.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

from analyses.addresses import ResolvedAccess
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import AccessFacts, Facts, mismatch
from ptxlint.lowering.module import lower_module
from ptxlint.rule import load_rules
from ptxlint.source import Source
from ptxlint.syntax import parse

CLEAN = Path(__file__).parents[1] / "corpus" / "clean"
ROUNDS = 3


class Uncounted(Facts):
    """Facts about everything but costs."""

    def _access(self, place: ResolvedAccess) -> AccessFacts:
        aligned = place.aligned or self.footprints.aligned(place, self.aligns)
        crossed = mismatch(place.origin, place.access.space) if place.reached else None
        return AccessFacts(place, self._in_bounds(place), aligned, "not-counted", None, crossed)


def check(path: Path, known: type[Facts]) -> float:
    """Milliseconds."""
    contract = Contract.from_comments(path.with_suffix(".cu").read_text("utf-8"))
    checks = [rule.check for rule in load_rules().values() if rule.check is not None]
    start = process_time()
    source = Source(path.name, path.read_text("utf-8"))
    parsed = parse(source)
    assert parsed.module is not None
    for kernel in lower_module(parsed.module, source).kernels:
        facts = known(kernel, resolved([contract], kernel), "sm_80")
        for ask in checks:
            for _ in ask(facts):
                pass
    return 1000 * (process_time() - start)


def main() -> int:
    paths = [path for path in sorted(CLEAN.glob("*.ptx")) if path.with_suffix(".cu").exists()]
    with_, without = (
        sum(min(check(path, known) for _ in range(ROUNDS)) for path in paths)
        for known in (Facts, Uncounted)
    )
    print(f"{len(paths)} kernels: {with_:.0f} ms, {without:.0f} ms without costs")
    print(f"costs add {with_ / without - 1:.0%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
