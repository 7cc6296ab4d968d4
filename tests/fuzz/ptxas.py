"""One character of a corpus file changed, and what ptxas and ptxlint say of it.

``python -m tests.fuzz.ptxas --inputs 1000 --seed 1``: of what ptxas refuses, whether our first
error stands in its line, or our note: an opcode or a modifier that nobody knows is a note, as the
next PTX may have it. Nothing that ptxas takes may be refused; what only ptxas refuses is counted by
the kind of its message.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ptxlint.analysis import unmodelled
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

ROOT = Path(__file__).parents[2]
ERROR = re.compile(r"line (\d+); (?:error|fatal)\s*:?\s*(.*)")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789%$_.,;:[]{}()<>@!|+- \n"


@dataclass(frozen=True, slots=True)
class Said:
    """The lines of the errors, or of the notes if there are no errors, and the first message;
    nothing when there is nothing to say."""

    lines: tuple[int, ...] = ()
    message: str = ""
    refused: bool = False


def by_ptxas(text: str) -> Said:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.ptx")
        file.write_text(text)
        target = re.search(r"^\s*\.target\s+(sm_\w+)", text, re.MULTILINE)
        command = ["ptxas", "-O0", "-arch", target[1] if target else "sm_80", str(file),
                   "-o", str(file.with_suffix(".cubin"))]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return Said()
    found = [(int(line), message) for line, message in ERROR.findall(done.stderr + done.stdout)]
    said = found[0][1] if found else (done.stderr.strip().splitlines() or ["?"])[0]
    return Said(tuple(line for line, _ in found) or (0,), said, refused=True)


def by_ptxlint(text: str) -> Said:
    source = Source("mutant.ptx", text)
    parsed = parse(source)
    problems = list(parsed.diagnostics)
    if parsed.module is not None:
        program = lower_module(parsed.module, source)
        notes = unmodelled(source, program.kernels)
        unknown = [note for note in notes if "not in the instruction table" in note.message]
        problems += [*program.diagnostics, *unknown]
    errors = [d for d in problems if d.severity == "error"]
    told = sorted(errors or problems, key=lambda d: d.line)
    return Said(tuple(d.line for d in told), told[0].message if told else "", bool(errors))


def changed(text: str, chance: Random) -> str:
    """The text with one character gone, doubled or another, where it is code."""
    code = [at for line in re.finditer(r"[^\n]+", re.sub(r"//[^\n]*", blank, text))
            for at in range(*line.span()) if not text[at].isspace()]  # fmt: skip
    at = chance.choice([at for at in code if text[at : at + 1]])
    new = chance.choice(["", text[at] * 2, chance.choice(LETTERS), chance.choice(LETTERS)])
    return text[:at] + new + text[at + 1 :]


def blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def kind_of(message: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|\b[%$]\w+", "'...'", message)[:90]


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz.ptxas", description=__doc__)
    options.add_argument("--inputs", type=int, default=200)
    options.add_argument("--seed", default="0")
    chosen = options.parse_args()
    if shutil.which("ptxas") is None:
        print("ptxas is not found")
        return 0
    tally, kinds, failures = compare(chosen.seed, chosen.inputs)
    print(", ".join(f"{name} {count}" for name, count in tally.most_common()))
    agreed, refused = agreement(tally)
    print(f"the lines agree on {agreed} of the {refused} that ptxas refuses")
    for kind, count in kinds.most_common(25):
        print(f"{count:5} refused by ptxas alone: {kind}")
    print("\n".join(failures[:40]))
    return int(tally["refused by ptxlint alone"] > 0)


def agreement(tally: Counter[str]) -> tuple[int, int]:
    """How often the lines agree, of how many texts that ptxas refuses."""
    agreed = tally["same line"] + tally["same line, as a note"]
    return agreed, agreed + tally["other line"] + tally["refused by ptxas alone"]


def compare(seed: str, inputs: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """How often each outcome, what only ptxas refuses by kind, and the failures in words."""
    tally, kinds, failures = Counter[str](), Counter[str](), list[str]()
    files = sorted((ROOT / "corpus").glob("c*/*.ptx"))
    for number in range(inputs):
        chance = Random(f"{seed}:{number}")
        path = chance.choice(files)
        text = changed(path.read_text("utf-8"), chance)
        theirs, ours = by_ptxas(text), by_ptxlint(text)
        if theirs.refused and ours.lines:
            same = "same line" if ours.refused else "same line, as a note"
            agreed = theirs.lines[0] == ours.lines[0]
            tally[same if agreed else "other line"] += 1
            if not agreed:
                failures.append(f"{seed}:{number} {path.name}: {ours.lines[0]} {ours.message}"
                                f" / ptxas {theirs.lines[0]} {theirs.message}")  # fmt: skip
        elif theirs.refused:
            tally["refused by ptxas alone"] += 1
            kinds[kind_of(theirs.message)] += 1
            if "syntax" in theirs.message:
                failures.append(f"{seed}:{number} {path.name}: ptxas {theirs}")
        elif ours.refused:
            tally["refused by ptxlint alone"] += 1
            failures.insert(0, f"{seed}:{number} {path.name}: REFUSED {ours.lines} {ours.message}")
        else:
            tally["taken by both"] += 1
    return tally, kinds, failures


if __name__ == "__main__":
    sys.exit(main())
