"""What a finding is called from one build to the next.

A fingerprint is made of the rule, the kernel, the source path from the root of the repository, the
text of the source line without its white space, and the how-manieth such finding of that line it
is. It has no PTX line and no register in it: another version of the compiler moves both.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ptxlint.reports.places import Located


def fingerprints(found: Iterable[Located]) -> Iterator[str]:
    """The fingerprint of each finding, in their order."""
    seen: Counter[tuple[str, ...]] = Counter()
    for located in found:
        what = identity(located)
        seen[what] += 1
        text = "\0".join((*what, str(seen[what])))
        yield hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def identity(located: Located) -> tuple[str, ...]:
    finding = located.finding
    text = located.primary.text if located.in_source else finding.instr.text
    path = from_root(located.primary.path)
    return finding.rule, finding.kernel.name, path, "".join(text.split())


def from_root(path: str) -> str:
    """The path from the root of the repository it is in, else from the current folder."""
    whole = Path(path).resolve()
    for folder in whole.parents:
        if (folder / ".git").exists():
            return whole.relative_to(folder).as_posix()
    here = Path.cwd()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.name
