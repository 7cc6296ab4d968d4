"""A baseline: the findings that a project knows, by fingerprint. It only shrinks.

    {"schema": "ptxlint-baseline/1", "findings": [
    {"path": "k.cu", "kernel": "k", "ptx": "k.ptx", "rule": "data-race", "fingerprint": "9f..", ...}
    ]}

Findings stand one on a line, in an order of their own, so that a version control system merges
them. An entry whose finding is gone is *fixed*: it can be removed, and never added again by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from ptxlint.errors import Error
from ptxlint.reading import LARGEST_TEXT, read_bytes, reason
from ptxlint.results.finding import Finding, Ignored, IgnoredBy
from ptxlint.results.fingerprint import fingerprint, from_root, root_of_repository
from ptxlint.results.report import Report
from ptxlint.source_files import SourceFiles

SCHEMA = "ptxlint-baseline/1"
FILE = "ptxlint-baseline.json"
OPCODE = re.compile(r"(?:@\S+\s+)?([\w.:]+)")


class Known(Struct, frozen=True, order=True):
    """A finding that is known: it goes by its fingerprint. ``kernel`` is demangled, ``ptx`` the
    name of its file without the folder; the rest is for readers."""

    path: str
    kernel: str
    ptx: str
    rule: str
    fingerprint: str
    message: str

    @classmethod
    def of(cls, found: Finding) -> Known:
        return cls(
            path=from_root(found.location.path),
            kernel=found.demangled,
            ptx=Path(found.ptx.path).name,
            rule=found.rule,
            fingerprint=found.fingerprint,
            message=found.message,
        )


def _is_at(found: Finding, entry: Known, line: str, most: int) -> bool:
    """True if the finding would go by the entry's fingerprint were its file at the entry's path."""
    numbers = range(1, most + 1)
    return any(entry.fingerprint == fingerprint(found, entry.path, line, n) for n in numbers)


def line_of(found: Finding, files: SourceFiles) -> str:
    """The text that a fingerprint has: the source line, or the opcode."""
    line = files.line(found.location)
    if found.in_source:
        return line
    opcode = OPCODE.match(line, found.ptx.column - 1)
    return "" if opcode is None else opcode[1]


class Baseline(Struct, frozen=True):
    """The known findings of a file, and its path."""

    path: str
    known: tuple[Known, ...] = ()

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Raises Error for what is no baseline of this version."""
        try:
            document = json.loads(read_bytes(path, LARGEST_TEXT))
            if not isinstance(document, dict):
                raise TypeError(f"expected an object with schema {SCHEMA}")
            schema = document.get("schema")
            if schema != SCHEMA:
                raise Error(f"{path}: schema {schema!r}: expected {SCHEMA}; write it anew with"
                            " 'ptxlint baseline'")  # fmt: skip
            found = document["findings"]
            if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
                raise TypeError("findings: expected a list of objects")
            entries = [
                Known(**{name: one[name] for name in Known.__struct_fields__}) for one in found
            ]
            if not all(isinstance(text, str) for one in entries for text in asdict(one).values()):
                raise TypeError("a value is no text")
        except OSError as error:
            raise Error(f"{path}: {reason(error)}; 'ptxlint baseline' writes one") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise Error(f"{path}: no baseline: {what}") from None
        return cls(path, tuple(entries))

    @classmethod
    def made(cls, path: str, findings: Iterable[Finding]) -> Baseline:
        """The baseline in which all these are known."""
        return cls(path, tuple(sorted({Known.of(one) for one in findings if one.kernel})))

    def text(self) -> str:
        lines = ",\n".join(json.dumps(asdict(one)) for one in self.known)
        return f'{{"schema": "{SCHEMA}", "findings": [\n{lines}\n]}}\n'

    def followed(self, report: Report, files: SourceFiles) -> Baseline:
        """The baseline with the entries of a file that is gone at the path where the findings are
        now: those of the same rule, kernel and text of the line, each for one entry."""
        known = {one.fingerprint for one in self.known}
        new = [one for one in report.findings if one.fingerprint not in known]
        root, gone = root_of_repository(), dict[tuple[str, str], list[Known]]()
        for entry in self.known if new else ():
            if not (root / entry.path).exists():
                gone.setdefault((entry.rule, entry.kernel), []).append(entry)
        moved: dict[Known, Known] = {}
        for one in new:
            left = [each for each in gone.get((one.rule, one.demangled), ()) if each not in moved]
            same = (each for each in left if _is_at(one, each, line_of(one, files), len(left)))
            if (before := next(same, None)) is not None:
                moved[before] = Known.of(one)
        return replace(self, known=tuple(sorted({moved.get(one, one) for one in self.known})))

    def applied(self, report: Report) -> Report:
        """The report without the findings that are known."""
        known = {one.fingerprint for one in self.known}
        return replace(
            report,
            findings=tuple(one for one in report.findings if one.fingerprint not in known),
            ignored=(
                *report.ignored,
                *(
                    Ignored(finding=one, by=IgnoredBy.BASELINE, origin=self.path)
                    for one in report.findings
                    if one.fingerprint in known
                ),
            ),
        )

    def fixed(self, report: Report, rules: Iterable[str]) -> tuple[Known, ...]:
        """The entries whose finding is gone: their kernel was checked, by their rule, and it is
        neither reported nor ignored. A kernel that crashed says nothing."""
        asked = frozenset(rules)
        whole = [one.kernel for one in report.judged if one.complete]
        checked = {(one.demangled, Path(one.location.path).name) for one in whole}
        there = {one.fingerprint for one in report.findings}
        there |= {one.finding.fingerprint for one in report.ignored}
        return tuple(
            one
            for one in self.known
            if (one.kernel, one.ptx) in checked
            and one.rule in asked
            and one.fingerprint not in there
        )

    def without(self, fixed: Iterable[Known]) -> Baseline:
        gone = frozenset(fixed)
        return replace(self, known=tuple(one for one in self.known if one not in gone))
