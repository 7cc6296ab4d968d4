"""The files of a report: one page, or an index and a page for each module.

A page that would be larger than LARGEST is divided: a page for each kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.results.report import Report
from ptxlint.source import harmless
from ptxlint.viewer.page import CheckedModule, coverage, render, shared, template, verdict

LARGEST = 2_000_000  # bytes of a page


class IndexRow(Struct, frozen=True):
    """A page of the index: its name, its address, its verdict and figures."""

    name: str
    href: str
    style: str
    verdict: str
    figures: str
    report: Report


def pages(modules: Iterable[CheckedModule], out: Path) -> Iterator[tuple[Path, str]]:
    """The files and their texts. One page is the file itself; several lie in a folder beside it,
    which has its name without the suffix. Without a module there is no page."""
    parts = [part for module in modules for part in divided(module)]
    if len(parts) == 1:
        yield out, parts[0][1]
        return
    folder, rows = out.with_suffix(""), []
    taken: set[str] = set()
    for module, text in parts:
        name = named(module, taken)
        yield folder / name, text
        style, said = verdict(module.report)
        rows.append(
            IndexRow(
                shown(module), f"{folder.name}/{name}", style, said,
                module.report.summary.figures, module.report,
            )
        )  # fmt: skip
    if rows:
        yield out, index(rows)


def divided(module: CheckedModule) -> Iterator[tuple[CheckedModule, str]]:
    """The module with its page; if that is too large, its kernels, each with a page."""
    text = render(module)
    if len(text.encode()) <= LARGEST or len(module.views) < 2:
        yield module, text
        return
    for name in dict.fromkeys(view.result.name for view in module.views):
        part = only(module, name)
        yield part, render(part)


def only(module: CheckedModule, kernel: str) -> CheckedModule:
    """The part of a module that is about one kernel: its lines, and what was found there."""
    views = tuple(view for view in module.views if view.result.name == kernel)
    first, last = min(v.first for v in views), max(v.last for v in views)
    source = module.source
    lines = source.text.split("\n")[first - source.first : last - source.first + 2]
    report = module.report
    part = replace(
        report,
        findings=tuple(f for f in report.findings if f.kernel == kernel),
        kernels=tuple(k for k in report.kernels if k.name == kernel),
        present=1,
    )
    text = replace(source, text="\n".join(lines), first=first)
    return replace(module, source=text, report=part, views=views, kernel=kernel)


def named(module: CheckedModule, taken: set[str]) -> str:
    """A file name of plain letters, not yet taken."""
    words = [PurePath(module.source.path).stem, module.kernel or ""]
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", "-".join(filter(None, words)))[:80].strip(".") or "page"
    name, count = f"{stem}.html", 1
    while name.lower() in taken:
        count += 1
        name = f"{stem}-{count}.html"
    taken.add(name.lower())
    return name


def shown(module: CheckedModule) -> str:
    kernel = f": {module.report.kernels[0].demangled}" if module.kernel else ""
    return harmless(f"{module.source.path}{kernel}")


def index(rows: list[IndexRow]) -> str:
    """The page that leads to the others, those that ask for something first."""
    order = ("bad", "warn", "open", "good")
    ranked = sorted(rows, key=lambda row: order.index(row.style))
    properties = [(row, coverage(row.report, {})) for row in ranked]
    return str(template("index.html").render(rows=properties, **shared()))
