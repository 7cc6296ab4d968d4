"""Findings that are not reported because a comment or the configuration says so.

    tile[threadIdx.x * 32] = 0;   // ptxlint: ignore[shared-bank-conflict] filled once

A comment names rules by id or tag, and may give a reason. It stands on a line of the source, on the
line of a call that inlined it, or on a line of the PTX; alone on a line, it is about the next one.
In Python it begins with ``#``. A comment that silences no finding is itself reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.errors import Error, did_you_mean
from ptxlint.options import Options, named
from ptxlint.results.finding import Certainty, Finding, Ignored, IgnoredBy, Span
from ptxlint.results.fingerprint import fingerprinted
from ptxlint.results.report import KernelVerdict, Report
from ptxlint.results.verdict import Status
from ptxlint.rule import load_rule
from ptxlint.source import Diagnostic, Source
from ptxlint.source_files import SourceFiles, base_name

RULE = "unused-ignore"
COMMENT = re.compile(
    r"(?P<start>//|#|/\*)[ \t]*ptxlint:[ \t]*(?P<word>[\w-]+)[ \t]*"
    r"(?:\[(?P<rules>[^\]\n]*)\])?(?P<reason>[^\n]*)"
)
MEANT = re.compile(r"(?://|#|/\*)[ \t]*ptxlint[ \t:_-]*ignore[ \t]*\[", re.I)
FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', re.M)
LINE = re.compile(r"(?:^\s*\.loc|inlined_at)\s+(\d+)\s+(\d+)", re.M)

Lines = dict[tuple[str, int], list["Comment"]]


class Comment(Struct, frozen=True):
    """A comment that silences the ``rules`` on a ``line``; ``given`` has them as they are named."""

    place: Span
    line: int
    given: tuple[str, ...]
    rules: dict[str, str]  # ids, with the name that stands for each
    reason: str

    def names(self, finding: Finding) -> str | None:
        """The name by which it silences a finding."""
        return self.rules.get(finding.rule)


def applied(report: Report, files: SourceFiles, options: Options) -> Report:
    """The report without what comments and overrides silence, and with the comments that silence
    nothing, unless only some kernels were checked."""
    texts = [source for sources in list(files.sources.values()) for source in sources]
    marked = list(files.marked())
    if not marked and not options.overrides:
        return report
    problems: list[Diagnostic] = []
    comments = [one for source in marked for one in comments_of(source, problems)]
    problems += [one for source in marked for one in meant(source)]
    lines: Lines = {}
    for one in comments:
        lines.setdefault((one.place.path, one.line), []).append(one)
    used: set[tuple[Span, str]] = set()
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    for finding in report.findings:
        by = silencer(finding, lines, options, used)
        if by is None:
            kept.append(finding)
        else:
            ignored.append(by)
    whole = options.kernel == "*" and not report.failed
    if comments and whole and RULE in options.rule_ids:
        holds = decided(options.rule_ids, report.judged)
        unused = unused_comments(comments, used, holds, compiled_lines(texts))
        kept += fingerprinted((one, files.line(one.location)) for one in unused)
        kept.sort(key=lambda one: (one.location.path, one.location.line, one.location.column))
    return replace(
        report,
        findings=tuple(kept),
        ignored=(*report.ignored, *ignored),
        diagnostics=(*report.diagnostics, *problems),
    )


def silencer(
    finding: Finding, lines: Lines, options: Options, used: set[tuple[Span, str]]
) -> Ignored | None:
    """What silences a finding, if anything does."""
    calls = (call.location for call in finding.related if call.inlined is not None)
    for place in dict.fromkeys((finding.location, *calls, finding.ptx)):
        for comment in lines.get((place.path, place.line), ()):
            name = comment.names(finding)
            if name is not None:
                used.add((comment.place, name))
                return Ignored(
                    finding=finding,
                    by=IgnoredBy.COMMENT,
                    origin=comment.place.short,
                    reason=comment.reason or None,
                )
    for override in options.overrides:
        if override.fits(finding):
            return Ignored(
                finding=finding,
                by=IgnoredBy.OVERRIDE,
                origin=override.origin,
                reason=override.reason or None,
            )
    return None


# --- comments


def comments_of(source: Source, problems: list[Diagnostic]) -> Iterator[Comment]:
    """The comments of a text. One that cannot be understood is a problem."""
    for found in COMMENT.finditer(source.text):
        line, column = source.line_column(found.start())
        place = Span(source.path, line, column, line, column + len(found[0].rstrip()))
        given = tuple(name.strip() for name in (found["rules"] or "").split(",") if name.strip())
        try:
            if found["word"] != "ignore":
                hint = did_you_mean(found["word"], ["ignore"]) or "; expected ignore[RULE] reason"
                raise Error(f"ptxlint: {found['word']}: no such comment{hint}")
            if not given:
                raise Error("ptxlint: ignore: expected rules, like ignore[data-race] reason")
            rules = {rule: name for name in given for rule in named("ignore", name)}
        except Error as error:
            problems.append(Diagnostic(source.path, line, column, str(error)))
            continue
        reason = found["reason"].strip().removesuffix("*/").strip()
        yield Comment(place, target(source, line, column), given, rules, reason)


def meant(source: Source) -> Iterator[Diagnostic]:
    """A note on each comment that looks like one that ignores findings, and is none."""
    for found in MEANT.finditer(source.text):
        if COMMENT.match(source.text, found.start()) is None:
            line, column = source.line_column(found.start())
            start = "#" if found[0].startswith("#") else found[0][:2]
            told = f"{found[0]!r} ignores nothing; did you mean '{start} ptxlint: ignore['?"
            yield Diagnostic(source.path, line, column, told, "note")


def target(source: Source, line: int, column: int) -> int:
    """The line that a comment is about: its own, or the next one if it stands alone."""
    return line if source.line_text(line)[: column - 1].strip() else line + 1


def compiled_lines(texts: Iterable[Source]) -> set[tuple[str, int]]:
    """The lines that ``.loc`` names in the PTX, by the base name of their file."""
    found: set[tuple[str, int]] = set()
    for source in texts:
        files = {number: base_name(path) for number, path in FILE.findall(source.text)}
        if files:
            found.update((files.get(n, ""), int(line)) for n, line in LINE.findall(source.text))
    return found


def decided(
    asked: Iterable[str], kernels: Sequence[KernelVerdict]
) -> Callable[[str, Comment], bool]:
    """True of a rule that was asked and a comment if the rule's property is decided on its line:
    where it is not, another launch may have the finding."""
    rules = {name: load_rule(name).rule.property for name in asked}
    unchecked = {one.name for kernel in kernels for one in kernel.verdicts if one.unchecked}
    unproved = {
        (one.property, place.path, place.line)
        for kernel in kernels
        for one in kernel.unproved
        if one.status in (Status.CONDITIONAL, Status.UNDECIDED)
        for place in (one.location, one.ptx)
    }

    def holds(name: str, comment: Comment) -> bool:
        about = rules.get(name)
        place = (about, comment.place.path, comment.line)
        return name in rules and about not in unchecked and place not in unproved

    return holds


def unused_comments(
    comments: Iterable[Comment],
    used: set[tuple[Span, str]],
    decided: Callable[[str, Comment], bool],
    compiled: set[tuple[str, int]],
) -> Iterator[Finding]:
    """A finding for each comment that names a rule in vain. Lines that were not compiled, and rules
    that decide nothing there, say nothing about it."""
    rule = load_rule(RULE).rule
    for one in comments:
        name = base_name(one.place.path)
        if not name.endswith(".ptx") and (name, one.line) not in compiled:
            continue
        vain = [
            name
            for name in one.given
            if (one.place, name) not in used
            and any(decided(r, one) for r, given in one.rules.items() if given == name)
        ]
        if vain:
            yield Finding(
                rule=rule.id,
                severity=rule.severity,
                certainty=Certainty.PROVED,
                message=f"ignore[{', '.join(vain)}] silences no finding",
                kernel="",
                demangled="",
                location=one.place,
                ptx=one.place,
                help="remove the comment",
            )
