"""The versions and targets that a module may name.

PTX ISA 9.4, "PTX Module Directives" and "Release Notes"; what ptxas 13.0 takes was tried on it. A
version or a target that is newer than all known ones is not refused: what is new in it is
unmodelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ptxlint.syntax import ast
from ptxlint.syntax.errors import ParseError

LAST_MINOR = {1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8}
"""The last minor version of each major one."""
NEWEST = 9, 4
SM = re.compile(r"(?:sm|compute)_([0-9]+)[af]?")
ARCHITECTURES = frozenset({
    10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89,
    90, 100, 101, 103, 110, 120, 121,
})  # fmt: skip
OPTIONS = frozenset({"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"})
"""What may stand behind the architecture of ``.target``."""


def wrong_head(version: ast.Directive, targets: Iterable[ast.Directive]) -> Iterator[ParseError]:
    """The errors in ``.version`` and ``.target``."""
    major, minor = (int(number) for number in version.values)
    if major < 1 or minor > LAST_MINOR.get(major, minor):
        yield ParseError(version.offset, f"there is no PTX ISA {major}.{minor}")
    for target in targets:
        first, *others = (str(value) for value in target.values)
        for word in (first, *others):
            if not architecture(word) and (word is first or word not in OPTIONS):
                expected = "expected one such as sm_80"
                yield ParseError(target.offset, f".target {word}: no such target; {expected}")


def architecture(word: str) -> bool:
    found = SM.fullmatch(word)
    number = int(found[1]) if found and len(found[1]) < 4 else 0
    return number in ARCHITECTURES or number > max(ARCHITECTURES)


def newer(module: ast.Module | None) -> Iterator[ParseError]:
    """That the module is of a version which this program does not know."""
    if module is not None and module.version > NEWEST:
        has, known = (".".join(map(str, one)) for one in (module.version, NEWEST))
        yield ParseError(0, f"PTX ISA {has}: {known} is the newest that is known here")
