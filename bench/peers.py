"""What do other tools find in the labelled kernels of the corpus?

``python -m bench.peers [--sentryward PROGRAM] [--cuxray PROGRAM] [--every N]``

The kernels of ``corpus/flawed`` say which defects they have; those of ``corpus/clean`` have none.
Each tool that is given gets the PTX and the launch that the kernel declares. A tool *finds* a
defect of a kind if it reports that kind anywhere in the kernel, calls it *clean* if it says that it
looked at all of it, and else *abstains*. Tools are asked only for the kinds that they look for, on
kernels with this defect and on all clean ones. Wall seconds are of a whole command.

sentryward 0.1.1 looks for races and barriers; cuxray 0.6.0 for bank conflicts and uncoalesced
accesses, and needs ``ptxas``, ``nvdisasm`` and ``cuobjdump`` on the path.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.resolution import resolved
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.replay.candidates import launches
from ptxlint.source import Source
from ptxlint.syntax import parse

CORPUS = Path(__file__).parents[1] / "corpus"
EXPECT = re.compile(r"// expect: ([a-z-]+(?:, *[a-z-]+)*)")
SECONDS = 60
FOUND, CLEAN, ABSTAINS = "found", "clean", "abstains"
ORDERING = ("data-race", "divergent-barrier")
COSTS = ("shared-bank-conflict", "uncoalesced-access")
PROPERTIES = {"out-of-bounds": "bounds", "data-race": "races", "divergent-barrier": "barriers"}
SPACES = {"shared-bank-conflict": "shared", "uncoalesced-access": "global"}
VERDICTS = {"conflict": "shared-bank-conflict", "uncoalesced": "uncoalesced-access"}

Answers = Mapping[str, str]
"""The answer of a tool by the rule of ours that names the kind of defect."""


@dataclass(frozen=True)
class Labelled:
    """A file with one kernel, its declared options, one launch that they allow, and the rules that
    name its defects."""

    path: Path
    kernel: Kernel
    options: tuple[str, ...]
    launch: ConcreteLaunch
    defects: frozenset[str]


def labelled(folder: str, every: int) -> Iterator[Labelled]:
    for path in sorted((CORPUS / folder).glob("*.ptx"))[::every]:
        source = path.with_suffix(".cu") if path.with_suffix(".cu").exists() else path
        text, ptx = source.read_text(), Source(str(path), path.read_text())
        module = parse(ptx).module
        kernels = lower_module(module, ptx).kernels if module is not None else ()
        if len(kernels) != 1:
            continue
        contract = Contract.from_comments(text)
        first = next(launches(kernels[0], resolved([contract], kernels[0])), None)
        if first is not None:
            options = tuple(word for pair in contract.options() for word in pair)
            defects = {rule.strip() for found in EXPECT.findall(text) for rule in found.split(",")}
            yield Labelled(path, kernels[0], options, first[0], frozenset(defects))


# --- tools


def output(words: Sequence[str | Path]) -> str:
    """What a command prints; nothing if it takes too long."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS).stdout
    except subprocess.TimeoutExpired:
        return ""


def ptxlint(of: Labelled) -> Answers:
    command = [sys.executable, "-m", "ptxlint", "check", "--output-format", "json"]
    report = json.loads(output([*command, *of.options, of.path]))
    found = {finding["rule"] for finding in report["findings"]}
    (kernel,) = report["kernels"]
    status = {one["name"]: one["status"] for one in kernel["verdicts"]}
    unknown = {one["access"]["space"] for one in kernel.get("accesses", ()) if "cost" not in one}
    answers = {}
    for rule in (*PROPERTIES, *COSTS):
        sure = (
            SPACES[rule] not in unknown if rule in SPACES else status[PROPERTIES[rule]] == "proved"
        )
        answers[rule] = FOUND if rule in found else CLEAN if sure else ABSTAINS
    return answers


def sentryward(program: str, of: Labelled) -> Answers:
    """Its input is one launch; what is not a number is a buffer of its own."""
    numbers = [
        {"parameter": parameter.name, "type": parameter.type, "value": value}
        for parameter, value in zip(of.kernel.parameters, of.launch.arguments, strict=False)
        if isinstance(value, int | float)
    ]
    launch = {
        "grid_dim": list(of.launch.grid),
        "block_dim": list(of.launch.block),
        "cluster_dim": [1, 1, 1],
        "dynamic_shared_bytes": of.launch.shared,
    }
    given = {"schema": "spverify.kernel-input/v1", "entry": of.kernel.name, "launch": launch}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({**given, "arguments": numbers}, file)
        file.flush()
        printed = output([program, of.path, "--input", file.name, "--timeout", str(SECONDS)])
    result = json.loads(printed)["result"] if printed else "timeout"
    barrier = FOUND if result == "not_wellsynced" else CLEAN
    match result:
        case "race_free":
            return dict.fromkeys(ORDERING, CLEAN)
        case "potential_race":
            return {"data-race": FOUND, "divergent-barrier": barrier}
        case "not_wellsynced":
            return {"data-race": ABSTAINS, "divergent-barrier": barrier}
    return dict.fromkeys(ORDERING, ABSTAINS)


def cuxray(program: str, of: Labelled) -> Answers:
    block = ",".join(map(str, of.launch.block))
    options = ["--threads", block, "--arch", "sm_80", "--json", "--no-cache"]
    printed = output([program, "report", of.path, *options])
    try:
        access: dict[str, Any] = json.loads(printed)["units"][0]["kernels"][0]["access"]
    except (ValueError, LookupError, TypeError):
        return dict.fromkeys(COSTS, ABSTAINS)
    found = {VERDICTS.get(site["verdict"]) for site in access["by_site"]}
    whole = not access["unanalyzed_count"]
    return {rule: FOUND if rule in found else CLEAN if whole else ABSTAINS for rule in COSTS}


# --- table


def compare(tools: Mapping[str, Callable[[Labelled], Answers]], every: int) -> Iterator[str]:
    """A row for each kind of defect and tool: of the kernels with the defect, how many were found,
    called clean, and left open; of the clean ones, how many were flagged, called clean, left
    open."""
    flawed, clean = list(labelled("flawed", 1)), list(labelled("clean", every))
    rows: dict[tuple[str, str], tuple[Counter[str], Counter[str]]] = {}
    seconds: dict[str, list[float]] = {}
    for name, ask in tools.items():
        for one in (*flawed, *clean):
            start = perf_counter()
            answers = ask(one)
            seconds.setdefault(name, []).append(perf_counter() - start)
            for rule, answer in answers.items():
                counts = rows.setdefault((rule, name), (Counter(), Counter()))
                if rule in one.defects:
                    counts[0][answer] += 1
                elif not one.defects:
                    counts[1][answer] += 1
    yield f"{len(flawed)} flawed and {len(clean)} clean kernels"
    yield ""
    yield "| defect | tool | found | called clean | abstains | clean: flagged | clean | abstains |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (rule, name), (bad, good) in sorted(rows.items()):
        cells = [counts[answer] for counts in (bad, good) for answer in (FOUND, CLEAN, ABSTAINS)]
        yield f"| {rule} | {name} | {' | '.join(map(str, cells))} |"
    yield ""
    for name, each in seconds.items():
        median = statistics.median(each)
        yield f"{name}: {median:.2f} s a kernel (median), {max(each):.1f} s at most"


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.peers")
    parser.add_argument("--sentryward", metavar="PROGRAM")
    parser.add_argument("--cuxray", metavar="PROGRAM")
    parser.add_argument("--every", type=int, default=1, help="only every Nth clean kernel")
    given = parser.parse_args(words)
    tools: dict[str, Callable[[Labelled], Answers]] = {"ptxlint": ptxlint}
    if given.sentryward:
        tools["sentryward"] = lambda one: sentryward(given.sentryward, one)
    if given.cuxray:
        tools["cuxray"] = lambda one: cuxray(given.cuxray, one)
    for line in compare(tools, given.every):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
