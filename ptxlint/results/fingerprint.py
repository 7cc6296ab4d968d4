"""What a finding is called from one build to the next.

A fingerprint is made of the rule, the demangled kernel, the source path from the root of the
repository, the text of the source line without its white space, and the ordinal of the finding
among those of that line. It has no PTX line and no register in it: another version of the compiler
moves both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from ptxlint.results.finding import Finding


def fingerprinted(found: Iterable[tuple[Finding, str]]) -> Iterator[Finding]:
    """The findings with their fingerprints; each comes with the text of its line."""
    seen: Counter[tuple[str, ...]] = Counter()
    root = cache(from_root)
    for one, text in found:
        path = root(one.location.path)
        what = one.rule, one.demangled, path, "".join(text.split())
        seen[what] += 1
        yield replace(one, fingerprint=fingerprint(one, path, text, seen[what]))


def fingerprint(one: Finding, path: str, text: str, ordinal: int) -> str:
    """What the finding would be called at this path from the root of the repository."""
    import hashlib  # it loads a library of cryptography: not where nothing was found

    words = one.rule, one.demangled, path, "".join(text.split()), str(ordinal)
    return hashlib.sha256("\0".join(words).encode(errors="surrogatepass")).hexdigest()[:32]


def root_of_repository() -> Path:
    """The root of the repository that the current folder is in, else that folder."""
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def from_root(path: str) -> str:
    """The path from the root of the repository it is in, else from the current folder."""
    whole = Path(path).resolve()
    for folder in whole.parents:
        if (folder / ".git").exists():
            return whole.relative_to(folder).as_posix()
    here = Path.cwd()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.name
