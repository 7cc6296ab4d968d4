"""What proofs cost: ``python -m bench.proofs [FILE...]``

For every clean kernel of the corpus under its declared launch: the processor time from the facts of
values to a yes or no for each access, that is for the words of the slice, the premises and the
search. Prints the median of kernels below 300 instructions, of all and of those where intervals
leave something to prove, and the slowest. The best of three.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from analyses.addresses import resolved_accesses
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

CLEAN = Path(__file__).parents[1] / "corpus" / "clean"
SMALL = 300  # instructions
NOTHING = 0.1  # milliseconds
SLOWEST = 5


def kernels(path: Path) -> Iterator[tuple[Kernel, Launch]]:
    source = Source(str(path), path.read_text("utf-8"))
    module = parse(source).module
    assert module is not None, path
    written = path.with_suffix(".cu")
    contract = Contract.from_comments((written if written.exists() else path).read_text("utf-8"))
    for kernel in lower_module(module, source).kernels:
        yield kernel, resolved([contract], kernel)


def milliseconds(kernel: Kernel, launch: Launch) -> float:
    """From the numbers of words on."""
    facts = Facts(kernel, launch, "sm_80")
    assert facts.values and facts.aligns is not None
    start = process_time()
    for place in resolved_accesses(facts.guarded, facts.aligns):
        if not place.in_bounds and place.size is not None:
            facts.footprints.in_bounds(place)
    return 1000 * (process_time() - start)


def main() -> None:
    found = []
    for path in [Path(name) for name in sys.argv[1:]] or sorted(CLEAN.glob("*.ptx")):
        for kernel, launch in kernels(path):
            size = sum(len(block.instrs) for block in kernel.blocks)
            best = min(milliseconds(kernel, launch) for _ in range(3))
            found.append((best, size, kernel.name))
    small = [best for best, size, _ in found if size < SMALL]
    asked = [best for best in small if best > NOTHING]
    print(
        f"{len(small)} kernels below {SMALL} instructions: median {median(small):.1f} ms; of"
        f" {len(asked)} that intervals leave something to prove: {median(asked):.1f} ms"
    )
    for best, size, name in sorted(found, reverse=True)[:SLOWEST]:
        print(f"{best:8.1f} ms  {size:4} instructions  {name}")


if __name__ == "__main__":
    main()
