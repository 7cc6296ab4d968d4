"""``ptxlint server``: a language server for PTX and for the CUDA C beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxlint.cli.check import CLEAN, launch_options, options_of, settled
from ptxlint.cli.grouping import Grouped, setting
from ptxlint.cli.output import Refusal
from ptxlint.errors import Error
from ptxlint.version import VERSION

if TYPE_CHECKING:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer

    from ptxlint.options import Options
    from ptxlint.viewer.editing import AnalysedFile, Problem

SUFFIXES = (".ptx", ".cu", ".cuh", ".py")  # of PTX, and of sources beside it
MISSING = "server: pygls is not installed; 'pip install pygls', or ptxlint with [lsp]"


@click.command(
    "server", cls=Grouped, epilog="Exit codes: 0; 2 wrong usage, or pygls is not installed."
)
@launch_options
@setting("select", "ignore", "extend-select", "extend-ignore", "pedantic", "arch", "source")
@click.option("--kernel", metavar="PATTERN", default="*", help="Only kernels like 'reduce_*'.")
def command(**options: Any) -> int:
    """Serve an editor over standard input and output: findings at the lines of .ptx files and of
    the sources beside them, facts under the pointer, the way from PTX to source and back. A file
    is analysed when it is opened or saved.

    Launch options mean what they mean to 'ptxlint check'.
    """
    if find_spec("pygls") is None:
        raise Refusal(MISSING)
    server(options_of(options, settled(options))).start_io()
    return CLEAN


def server(options: Options) -> LanguageServer:
    """The server, ready to start."""
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer

    made = LanguageServer("ptxlint", VERSION)
    files = Files(options)

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: LanguageServer, params: lsp.DidOpenTextDocumentParams) -> None:
        files.analyse(ls, params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: LanguageServer, params: lsp.DidCloseTextDocumentParams) -> None:
        files.close(ls, params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: LanguageServer, params: lsp.DidSaveTextDocumentParams) -> None:
        files.analyse(ls, params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(ls: LanguageServer, params: lsp.HoverParams) -> lsp.Hover | None:
        path, found = files.found(params.text_document.uri)
        if found is None:
            return None
        text = found.hover(path, params.position.line + 1, params.position.character + 1)
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, text or "")
        return lsp.Hover(content) if text else None

    @made.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def asked(ls: LanguageServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
        path, found = files.found(params.text_document.uri)
        lines = [] if found is None else found.partners(path, params.position.line + 1)
        return [location(file, line) for file, line in lines]

    return made


class Files:
    """The files of PTX that were analysed, by their path; of a source, the PTX beside it. The
    problems of a file are ``shown`` in these files while one of its two texts is ``open``."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.known: dict[Path, AnalysedFile] = {}
        self.shown: dict[Path, set[Path]] = {}
        self.open: dict[Path, set[Path]] = defaultdict(set)

    def ptx(self, uri: str) -> tuple[Path, Path]:
        """The path of a document, and of its PTX; both empty where there is none to analyse, as for
        a document that was never saved: no path leads to it."""
        from pygls.uris import to_fs_path

        path = Path((uri.startswith("file:") and to_fs_path(uri)) or "")
        return (path, path.with_suffix(".ptx")) if path.suffix in SUFFIXES else (Path(), Path())

    def found(self, uri: str) -> tuple[Path, AnalysedFile | None]:
        path, ptx = self.ptx(uri)
        return path, self.known.get(ptx)

    def close(self, ls: LanguageServer, uri: str) -> None:
        """Takes the problems back once neither text of a file is open."""
        path, ptx = self.ptx(uri)
        self.open[ptx].discard(path)
        if not self.open[ptx]:
            self.known.pop(ptx, None)
            self.publish(ls, ptx, {})

    def analyse(self, ls: LanguageServer, uri: str) -> None:
        """Analyses the PTX of a document and publishes its problems, each in its own file."""
        from lsprotocol import types as lsp

        from ptxlint.viewer.editing import AnalysedFile

        path, ptx = self.ptx(uri)
        if not path.name or (path != ptx and not ptx.is_file()):
            return
        self.open[ptx].add(path)
        try:
            text = ls.workspace.get_text_document(uri).source if path == ptx else ptx.read_text()
            found = AnalysedFile.of(ptx, text, self.options)
        except (Error, OSError, ValueError) as error:
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"ptxlint: {ptx.name}: {error}")
            ls.window_show_message(message)
            return
        self.known[ptx] = found
        by_file = defaultdict[Path, list[lsp.Diagnostic]](list, {ptx: []})
        for problem in found.problems():
            by_file[Path(problem.span.path)].append(diagnostic(problem))
        self.publish(ls, ptx, by_file)

    def publish(
        self, ls: LanguageServer, ptx: Path, by_file: Mapping[Path, list[lsp.Diagnostic]]
    ) -> None:
        """The problems of a file of PTX, and none where there were some before."""
        from lsprotocol import types as lsp

        for file in {*by_file, *self.shown.get(ptx, ())}:
            ls.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(address(file), by_file.get(file, []))
            )
        self.shown[ptx] = set(by_file)


def diagnostic(problem: Problem) -> lsp.Diagnostic:
    from lsprotocol import types as lsp

    severities = {
        "error": lsp.DiagnosticSeverity.Error,
        "warning": lsp.DiagnosticSeverity.Warning,
        "note": lsp.DiagnosticSeverity.Information,
    }
    span = problem.span
    return lsp.Diagnostic(
        range=lsp.Range(
            lsp.Position(span.line - 1, span.column - 1),
            lsp.Position(span.end_line - 1, span.end_column - 1),
        ),
        message=problem.message,
        severity=severities[problem.severity],
        code=problem.rule or None,
        source="ptxlint",
    )


def location(file: Path, line: int) -> lsp.Location:
    from lsprotocol import types as lsp

    here = lsp.Position(line - 1, 0)
    return lsp.Location(address(file), lsp.Range(here, here))


def address(file: Path) -> str:
    from pygls.uris import from_fs_path

    return str(from_fs_path(str(file)))
