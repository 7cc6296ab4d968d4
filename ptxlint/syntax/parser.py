"""``parse``: from source text to a syntax tree and diagnostics.

Parsing continues after errors. A function with an error in its body stays in the tree as a
declaration, so that its callers keep their meaning, and its name is in ``broken``; other functions
are unaffected. The grammar of pyparsing learns how its actions are called while it is used, so one
thread uses it at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from threading import Lock

from msgspec import Struct

from ptxlint.source import SHOWN, Diagnostic, Source
from ptxlint.syntax import ast, lexical
from ptxlint.syntax.cleaning import cleaned
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.heads import newer, wrong_head
from ptxlint.syntax.items import items
from ptxlint.syntax.text import GIVE_UP_AFTER, GaveUpError, ModuleText

_GRAMMAR = Lock()


class Parsed(Struct, frozen=True):
    """The result of parsing. ``module`` is None if the text is not PTX; ``broken`` names the
    functions with errors in their definitions, and ``plain`` is the text with spaces in place of
    comments."""

    module: ast.Module | None
    diagnostics: tuple[Diagnostic, ...] = ()
    broken: frozenset[str] = frozenset()
    plain: str = ""

    @property
    def ok(self) -> bool:
        return not any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


def parse(source: Source) -> Parsed:
    """Parses a module. Never raises: errors are in the diagnostics."""
    try:
        plain, warnings, errors = cleaned(source)
    except ParseError as failure:
        return Parsed(None, (failure.diagnostic(source),))
    text = ModuleText(plain)
    found: list[ast.Item] | None = []
    try:
        if not errors or plain.strip():
            _expect_version(text)
        found = items(text)
        if found is None:
            text = ModuleText(plain)
            found = _by_grammar(text)
    except ParseError as failure:
        text.failures.append(failure)
    except GaveUpError:
        return Parsed(None, _diagnostics(source, warnings, text.failures))
    if errors:  # an open comment causes errors at every open brace
        end = len(plain.rstrip())
        text.failures = [failure for failure in text.failures if failure.offset < end]
    errors = sorted([*errors, *text.failures, *_redefined(text)], key=lambda error: error.offset)
    tree = _module(found or [], errors)
    told = _diagnostics(source, warnings, errors, newer(tree))
    return Parsed(tree, told, frozenset(text.broken), plain)


def _by_grammar(text: ModuleText) -> list[ast.Item]:
    from ptxlint.syntax.grammar import module

    with _GRAMMAR:
        found: list[ast.Item] = module.parse_string(text).as_list()
        return found


_version = re.compile(rf"{lexical.SPACE}\.version\b")


def _expect_version(text: str) -> None:
    if _version.match(text):
        return
    at = len(text) - len(text.lstrip())
    if at == len(text):
        raise ParseError(0, "empty: expected .version")
    if text.startswith("Fatbin ", at):
        message = "cuobjdump found no PTX in the binary: compile with code=compute_80"
        raise ParseError(at, message)
    found = lexical.found_at(text, at)
    raise ParseError(at, f"not PTX: found {found}, expected .version, which begins every module")


def _module(items: list[ast.Item], errors: list[ParseError]) -> ast.Module | None:
    """The module without its first three directives among the items; None without a version."""
    head: dict[str, list[ast.Directive]] = {"version": [], "target": [], "address_size": []}
    rest: list[ast.Item] = []
    for item in items:
        if isinstance(item, ast.Directive):
            head[item.name].append(item)
        else:
            rest.append(item)
    versions, sizes = head["version"], head["address_size"]
    if not versions:
        return None
    for again in versions[1:]:
        message = ".version stands twice: one module a file"
        errors.append(ParseError(again.offset, message, ("the first", versions[0].offset)))
    if not head["target"] and not errors:
        errors.append(ParseError(versions[0].offset, "no .target after .version"))
    errors += wrong_head(versions[0], head["target"])
    targets = dict.fromkeys(str(value) for item in head["target"] for value in item.values)
    major, minor = (int(number) for number in versions[0].values)
    size = int(sizes[0].values[0]) if sizes else None
    return ast.Module((major, minor), tuple(targets), size, tuple(rest))


def _redefined(text: ModuleText) -> list[ParseError]:
    first: dict[str, int] = {}
    again = []
    for name, offset in text.definitions:
        if name in first:
            caption = ("the first", first[name])
            again.append(ParseError(offset, f"a second definition of {name!r}", caption))
        first.setdefault(name, offset)
    return again


def _more(count: int) -> str:
    stopped = "; reading stopped there" if count >= GIVE_UP_AFTER else ""
    return f"and {count - SHOWN} more{stopped}"


def _diagnostics(
    source: Source,
    warnings: list[ParseError],
    errors: list[ParseError],
    notes: Iterable[ParseError] = (),
) -> tuple[Diagnostic, ...]:
    """All diagnostics in the order of the text, or the first few of each kind and the number of
    others."""
    found: list[tuple[int, Diagnostic]] = []
    kinds = ("error", errors), ("warning", warnings), ("note", list(notes))
    for severity, failures in kinds:
        for failure in failures[:SHOWN]:
            found.append((failure.offset, failure.diagnostic(source, severity)))
        for failure in failures[SHOWN : SHOWN + 1]:
            note = ParseError(failure.offset, _more(len(failures)))
            found.append((failure.offset, note.diagnostic(source, severity)))
    return tuple([diagnostic for _, diagnostic in sorted(found, key=lambda pair: pair[0])])
