"""What an editor is told: by the plain functions, and once by the protocol."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.viewer.editing import AnalysedFile
from tests.viewer.conftest import DEMO, LAUNCH


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> AnalysedFile:
    folder = tmp_path_factory.mktemp("editor")
    for file in DEMO.glob("transpose.*"):
        shutil.copy(file, folder)
    path = folder / "transpose.ptx"
    options = Options(contracts=(Contract.from_options(LAUNCH),))
    return AnalysedFile.of(path, path.read_text(), options)


def test_a_finding_is_at_its_line_of_both_texts(analysed: AnalysedFile) -> None:
    places = {(Path(one.span.path).name, one.span.line, one.rule) for one in analysed.problems()}
    assert places == {
        ("transpose.ptx", 57, "out-of-bounds"),
        ("transpose.cu", 10, "out-of-bounds"),
        ("transpose.ptx", 85, "shared-bank-conflict"),
        ("transpose.cu", 16, "shared-bank-conflict"),
    }


def test_an_error_of_the_file_is_at_its_line(tmp_path: Path) -> None:
    found = AnalysedFile.of(
        tmp_path / "k.ptx", ".version 8.0\n.target sm_80\n.entry k( {}", Options()
    )
    (problem,) = found.problems()
    assert (problem.span.line, problem.severity) == (3, "error")


def test_a_register_has_its_facts_and_an_access_its_notes(analysed: AnalysedFile) -> None:
    of_register = analysed.hover(analysed.path, 42, 11)
    assert of_register is not None and "`%r4 = 32*ctaid.y`" in of_register
    source = analysed.path.with_suffix(".cu")
    of_access = analysed.hover(source, 16, 30)
    assert of_access is not None and "`tile + 128*tid.x + 4*tid.y`" in of_access
    assert analysed.hover(source, 1, 1) is None


def test_a_line_leads_to_the_other_text_and_back(analysed: AnalysedFile) -> None:
    source = analysed.path.with_suffix(".cu")
    assert analysed.partners(analysed.path, 85) == [(source, 16)]
    lines = [line for _, line in analysed.partners(source, 16)]
    assert {80, 85, 92} <= set(lines) and 57 not in lines


class Editor:
    """What an editor shows, told by a server that has the texts of ``documents``."""

    def __init__(self, **documents: str) -> None:
        self.documents, self.shown = documents, dict[str, int]()
        self.workspace = self

    def get_text_document(self, uri: str) -> Any:
        return SimpleNamespace(source=self.documents[Path(uri).stem])

    def text_document_publish_diagnostics(self, params: Any) -> None:
        self.shown[Path(params.uri).name] = len(params.diagnostics)


def test_problems_go_when_both_texts_are_closed(analysed: AnalysedFile) -> None:
    pytest.importorskip("pygls")
    from ptxlint.cli.server import Files

    files = Files(Options(contracts=(Contract.from_options(LAUNCH),)))
    editor: Any = Editor(transpose=analysed.text)
    source = analysed.path.with_suffix(".cu")
    files.analyse(editor, analysed.path.as_uri())
    files.analyse(editor, source.as_uri())
    assert editor.shown == {"transpose.ptx": 2, "transpose.cu": 2}
    files.close(editor, analysed.path.as_uri())
    assert editor.shown == {"transpose.ptx": 2, "transpose.cu": 2}
    files.close(editor, source.as_uri())
    assert editor.shown == {"transpose.ptx": 0, "transpose.cu": 0}
    assert files.found(source.as_uri())[1] is None


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "untitled:k.ptx", "git:/a/k.ptx", "file:"])
def test_what_has_no_path_is_passed_over(uri: str) -> None:
    pytest.importorskip("pygls")
    from ptxlint.cli.server import Files

    files, editor = Files(Options()), Editor()
    files.analyse(editor, uri)  # type: ignore[arg-type]
    files.close(editor, uri)  # type: ignore[arg-type]
    assert files.found(uri)[1] is None and editor.shown == {}


@pytest.mark.slow
def test_the_protocol(analysed: AnalysedFile) -> None:
    pytest.importorskip("pygls")
    from lsprotocol import types as lsp
    from pygls.lsp.client import LanguageClient

    uri = analysed.path.as_uri()
    told: dict[str, Any] = {}

    async def talk() -> tuple[Any, Any]:
        client = LanguageClient("test", "1")
        ready = asyncio.Event()

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            told[Path(params.uri).name] = params.diagnostics
            if len(told) == 2:
                ready.set()

        await client.start_io(sys.executable, "-m", "ptxlint", "server", *LAUNCH)
        await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
        client.initialized(lsp.InitializedParams())
        text = lsp.TextDocumentItem(uri, "ptx", 1, analysed.text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(text))
        await asyncio.wait_for(ready.wait(), 60)
        document, place = lsp.TextDocumentIdentifier(uri), lsp.Position(84, 16)
        hover = await client.text_document_hover_async(lsp.HoverParams(document, place))
        there = await client.text_document_definition_async(lsp.DefinitionParams(document, place))
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
        return hover, there

    hover, there = asyncio.run(talk())
    assert sorted(told) == ["transpose.cu", "transpose.ptx"]
    assert [one.range.start.line for one in told["transpose.cu"]] == [9, 15]
    assert "32 wavefronts" in hover.contents.value or "%f2" in hover.contents.value
    assert there[0].range.start.line == 15
