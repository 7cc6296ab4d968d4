"""``python -m tests.fuzz --inputs 200000 --seed 1 -j 2``: many inputs, each named ``seed:number``.

Prints every failure with the name that brings it back (``--only 1:77`` shows its text and its
output), each kind once, and at the end, or when it is interrupted, the rate, the exit codes and the
slowest inputs. Memory is bounded, so an input that asks for too much fails instead of swapping.
"""

from __future__ import annotations

import argparse
import heapq
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Pool

from .drive import Result, driven, produced

MEMORY = 4 << 30
WORKERS_LIVE = 2_000
"""Inputs of one process: so that a leak shows as memory, not as a slow end."""


def one(name: str) -> tuple[str, Result, int]:
    """The result of an input, and the memory its process has used at most, in KiB."""
    data, options = produced(name)
    result = driven(data, options)
    kept = Result(result.code, result.seconds, "", result.failure)
    return name, kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def results(names: list[str], processes: int) -> Iterator[tuple[str, Result, int]]:
    """Of all of them, or as many as there are when somebody interrupts."""
    with suppress(KeyboardInterrupt):
        if processes <= 1:
            yield from map(one, names)
            return
        with Pool(processes, bounded, maxtasksperchild=WORKERS_LIVE) as pool:
            yield from pool.imap_unordered(one, names, chunksize=1)


def shown(name: str) -> int:
    """Prints an input and what came of it."""
    data, options = produced(name)
    result = driven(data, options)
    sys.stdout.write(data.decode("utf-8", "replace"))
    print(f"\n--- {' '.join(options)}\n{result.output}")
    print(f"--- exit code {result.code}, {result.seconds:.2f} s; {result.failure or 'fine'}")
    return int(result.failure is not None)


def kind_of(failure: str) -> str:
    """The failure without what differs between inputs."""
    last = failure.strip().splitlines()[-1]
    step = re.search(r"internal error in ([\w -]+)", last)
    error = re.search(r"(\w*(?:Error|Exception)\b: ?.{0,60})", last)
    words = [found[1] for found in (step, error) if found]
    return re.sub(r"\d+", "0", ", ".join(words) or last[:80])


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--seed", default="0")
    options.add_argument("-j", type=int, default=1, dest="processes")
    options.add_argument("--only", metavar="SEED:NUMBER", help="show one input and its output")
    chosen = options.parse_args()
    if chosen.only:
        return shown(chosen.only)
    names = [f"{chosen.seed}:{number}" for number in range(chosen.inputs)]
    codes, failures = Counter[int](), Counter[str]()
    slowest: list[tuple[float, str]] = []
    memory, start = 0, time.perf_counter()
    for name, result, peak in results(names, chosen.processes):
        codes[result.code] += 1
        memory = max(memory, peak)
        slowest = heapq.nlargest(5, [*slowest, (result.seconds, name)])
        if result.failure is not None:
            failures[kind_of(result.failure)] += 1
            if failures[kind_of(result.failure)] == 1:
                print(f"{name}: {result.failure[-400:]}", flush=True)
    seconds = time.perf_counter() - start
    count = codes.total()
    print(f"{count:,} inputs in {seconds:.0f} s: {count / seconds:.0f} a second")
    print("exit codes: " + ", ".join(f"{code}: {n:,}" for code, n in sorted(codes.items())))
    print(f"peak memory of a process: {memory / 1024:.0f} MiB")
    print("slowest: " + ", ".join(f"{name} {s:.2f} s" for s, name in slowest))
    for kind, count in failures.most_common():
        print(f"FAILED {count:6,}: {kind}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
