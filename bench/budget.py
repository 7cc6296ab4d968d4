"""What half and twice of each search limit give: ``python -m bench.budget [NAME...]``

Every ninth clean kernel of the corpus is checked under its declared launch, a contract is inferred
for every fourth of them, and for limits of replays every ninth flawed kernel is checked. For each
value it prints the accesses that are not proved, those that the contracts say nothing of, the
findings with a witness, and the seconds of the processor. Each value has a process of its own, in
which the modules take it over.
"""

from __future__ import annotations

import sys
from multiprocessing import get_context
from pathlib import Path
from time import process_time

from analyses import budget

CORPUS = Path(__file__).parents[1] / "corpus"
REPLAYS = ("REPLAY", "COST", "RANGE", "BLOCK", "BUFFER", "OVERLAPS")


def outcome(name: str, value: float) -> str:
    setattr(budget, name, value)
    import ptxlint

    def report(path: Path) -> ptxlint.Report:
        written = path.with_suffix(".cu")
        said = (written if written.exists() else path).read_text("utf-8")
        return ptxlint.check(path, contract=ptxlint.Contract.from_comments(said))

    start = process_time()
    clean, flawed = (sorted((CORPUS / folder).glob("*.ptx")) for folder in ("clean", "flawed"))
    accesses = [report(path).summary.accesses for path in clean[::9]]
    said = f"{sum(each.total - each.proved for each in accesses)} unproved"
    if name.startswith(REPLAYS):
        findings = [finding for path in flawed[::9] for finding in report(path).findings]
        said += f", {sum(finding.witness is not None for finding in findings)} witnesses"
    else:
        contracts = [one for path in clean[::36] for one in ptxlint.infer(path)]
        said += f", {sum(len(one.unknown) for one in contracts)} unsaid"
    return f"{said}, {process_time() - start:.1f} s"


def main() -> None:
    names = sys.argv[1:] or [name for name in vars(budget) if name.isupper()]
    context = get_context("fork")
    for name in names:
        own = getattr(budget, name)
        for value in dict.fromkeys((max(1, own // 2), own, own * 2)):
            with context.Pool(1, maxtasksperchild=1) as pool:
                print(f"{name:22} {value:>10g}: {pool.apply(outcome, (name, value))}", flush=True)


if __name__ == "__main__":
    main()
