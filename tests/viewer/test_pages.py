"""What stands on a page, read as text: no browser takes part."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from contextlib import chdir
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ptxlint.cli import called_with
from ptxlint.results.finding import Certainty, Finding, Severity, Span
from ptxlint.results.report import Report
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles
from ptxlint.viewer import pages
from ptxlint.viewer.page import CheckedModule, render
from tests.viewer.conftest import DEMO, LAUNCH, Write

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry NAME(.param .u64 p, .param .u32 n) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
BODY    ret;
}
"""
STORE = "    st.global.u32 [%rd3], %r1;\n"


def kernel(body: str = STORE, name: str = "k") -> str:
    return KERNEL.replace("NAME", name).replace("BODY", body)


def plain(page: Path) -> str:
    """The text of the page."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", page.read_text("utf-8"), flags=re.S)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


class Links(HTMLParser):
    """The ids of a page, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.ids, self.hrefs, self.scripts = list[str](), list[str](), 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            assert not name.startswith("on") and name != "style", "the policy allows neither"
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.hrefs.append(value or "")
        self.scripts += tag == "script"


def links(page: Path) -> Links:
    found = Links()
    found.feed(page.read_text("utf-8"))
    return found


# --- the first screen


def test_the_first_screen_has_verdict_coverage_launch_and_what_is_open(transpose: Path) -> None:
    text = plain(transpose)
    assert text.index("1 error, 1 warning") < text.index("What is claimed of each kernel")
    for said in (
        "1 flagged", "4 proved", "block 32x32, grid 4x4, width=100, height=120",
        "initialisation: not every byte of `tile` is shown to be written before",
        "every address is aligned (4 of 4)",
        "32 wavefronts, ideal 1, 97 % of the kernel's traffic in this space",
    ):  # fmt: skip
        assert said in text


def test_a_clean_page_says_what_is_proved_and_for_which_launches(write: Write) -> None:
    words = ["--block", "32", "--grid", "1", "--buffer", "p=128", "--arg", "n=3"]
    text = plain(write(kernel(), *words, code=0))
    assert "every property is proved" in text
    assert "every access stays inside its array or buffer (1 of 1)" in text
    assert "block 32, grid 1, n=3, p 128 bytes" in text
    assert "No findings." in text


def test_what_is_conditional_comes_with_its_option_and_a_contract_to_paste(write: Write) -> None:
    page = write(kernel(), code=0)
    text = plain(page)
    assert "--buffer 'p=4*ntid.x'" in text
    contract = unescape(re.findall(r'data-copy="(\[\[launch\]\][^"]*)"', page.read_text())[0])
    Path("contract.toml").write_text(contract)
    assert called_with(["kernel.ptx", "--contract", "contract.toml", "--require", "bounds"]) == 0


# --- links


def test_every_link_leads_somewhere_and_every_id_is_given_once(transpose: Path) -> None:
    found = links(transpose)
    assert len(found.ids) == len(set(found.ids))
    assert {href[1:] for href in found.hrefs} <= set(found.ids)
    assert found.scripts == 1
    text = transpose.read_text()
    assert "<li id=p85 value=85>" in text or "<li id=p85>" in text
    assert re.search(r"<li id=p80.*?<a href=\"#s1-16\">transpose.cu:16</a>", text)
    assert re.search(r"<li id=s1-16>.*?<a href=\"#p80\">", text)


def test_a_line_that_the_source_has_not_is_no_link(write: Write, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("int i = threadIdx.x;\nout[i] = i;\n")
    body = "".join(f".loc 1 {line} 0\n{STORE}" for line in (2, 0, 7))
    page = write(kernel(body) + '.file 1 "k.cu"\n')
    assert {href for href in links(page).hrefs if href.startswith("#s1-")} == {"#s1-2"}
    assert "k.cu:7" in plain(page) and "k.cu:0" not in plain(page)


def test_nothing_is_loaded_and_nothing_but_our_script_may_run(transpose: Path) -> None:
    text = transpose.read_text()
    policy = re.search(r'Content-Security-Policy content="([^"]+)"', text)
    assert policy and "default-src &#39;none&#39;" in policy[1]
    assert not re.search(r"https?://(?!www\.w3\.org)|src=|@import|url\(", text)
    assert str(transpose.parent) not in text


# --- cards


def test_a_card_has_claim_formula_witness_picture_and_the_fix_with_both_costs(
    transpose: Path,
) -> None:
    text = plain(transpose)
    card = text[text.index("shared-bank-conflict bank conflict") :]
    for said in (
        "Fix transpose.cu:6 tile[32][32] → becomes tile[32][33]",
        "32 wavefronts → becomes 1 wavefront a request",
        "phase 1 of 1: 32 wavefronts",
        "banks words lanes 0 32 each 32 each",
        "address tile + 128*tid.x + 4*tid.y",
        "thread (0,0,0)",
    ):
        assert said in card


def test_the_command_of_a_witness_shows_the_same(
    transpose: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = re.findall(r'data-copy="(ptxlint run [^"]+)"', transpose.read_text())
    assert len(commands) == 1
    with chdir(transpose.parent):
        assert called_with(shlex.split(unescape(commands[0]))[1:]) == 1
    assert "error[out-of-bounds]" in capsys.readouterr().out


def test_a_race_shows_both_threads_and_the_path_without_a_barrier(
    corpus: Callable[[str], Path],
) -> None:
    text = plain(corpus("flawed/reduce_missing_barrier"))
    race = text[text.index("Two threads, nothing between them") :]
    assert "block (0,0,0) thread (0,0,0) reads s[0..1024), byte 256" in race
    assert "block (0,0,0) thread (64,0,0)" in race
    assert "Path without a barrier, in the PTX: 73 → 75" in race


def test_a_barrier_on_every_way_leaves_no_path(corpus: Callable[[str], Path]) -> None:
    assert "Path without a barrier" not in plain(corpus("clean/reduce_shared"))


def test_registers_have_formula_range_bits_and_the_threads_that_agree(transpose: Path) -> None:
    row = re.search(r"<tr><td>%r4<td>42<td>(.*?)\n", transpose.read_text())
    assert row is not None
    assert row[1].split("<td>") == [
        "32*ctaid.y", "[0, 96], a multiple of 32", "0…??00000", "block"
    ]  # fmt: skip


# --- what is hostile or large


def test_names_from_files_stay_text(write: Write) -> None:
    evil = "</script><script>alert(1)</script>\"'\u202etxt\u2066.cu"
    text = kernel("    .loc 1 1 1\n" + STORE) + f'    .file 1 "{evil}"\n'
    page = write("// \u202e </pre><img src=x onerror=alert(1)>\n" + text)
    found = links(page)
    assert found.scripts == 1
    assert "\u202e" not in page.read_text("utf-8")
    assert "<img" not in page.read_text("utf-8")


def test_letters_from_right_to_left_are_isolated(write: Write) -> None:
    page = write(kernel(), name="\u05d0\u05d1.ptx")
    assert "<bdi>\u05d0\u05d1.ptx</bdi>" in page.read_text("utf-8")


def test_a_missing_source_is_said_and_the_page_goes_on(write: Write) -> None:
    text = kernel("    .loc 1 7 1\n" + STORE) + '    .file 1 "gone.cu"\n'
    page = plain(write(text))
    assert "no text of gone.cu" in page
    assert "gone.cu:7" in page


def test_ten_thousand_findings_make_a_page_that_opens() -> None:
    spans = [Span("k.ptx", line, 1, line, 9) for line in range(1, 10_001)]
    findings = tuple(
        Finding(
            rule="out-of-bounds", severity=Severity.ERROR, certainty=Certainty.WITNESS,
            message=f"out-of-bounds write of `p`: byte {span.line}", kernel="k", demangled="k",
            location=span, ptx=span, fingerprint=f"{span.line:032x}",
        )
        for span in spans
    )  # fmt: skip
    source = Source("k.ptx", "    st.global.u32 [%rd3], %r1;\n" * 10_000)
    module = CheckedModule(source, Report(findings=findings), (), SourceFiles([source]))
    text = render(module)
    assert len(text.encode()) < 2_500_000
    assert "and 8000 more findings" in text
    assert len(re.findall(r'<details class="card error"', text)) == 2000


def test_a_page_is_small(corpus: Callable[[str], Path]) -> None:
    """Beside style and script, 150 bytes a line."""
    page = corpus("clean/shared_bitonic_sort")
    lines = len(page.with_suffix(".ptx").read_text().splitlines())
    text = re.sub(r"<(style|script)>.*?</\1>", "", page.read_text("utf-8"), flags=re.S)
    assert lines > 100
    assert len(text.encode()) < 20_000 + 150 * lines


# --- several files


def test_a_folder_has_an_index_that_leads_to_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        Path(f"{name}.ptx").write_text(kernel(name=name))
    assert called_with(["report", ".", "-o", "out.html"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("out.html and 2 pages: no findings") and "file" not in told
    hrefs = [href for href in links(Path("out.html")).hrefs if not href.startswith("#")]
    assert sorted(hrefs) == ["out/one.html", "out/two.html"]
    assert all(Path(href).is_file() for href in hrefs)


def test_without_a_module_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cubin").write_bytes(b"\x7fELF")
    Path("empty").mkdir()
    for name, said in (("cubin", "binary without PTX"), ("empty", "no .ptx file in this folder")):
        assert called_with(["report", name, "-o", "out.html"]) == 2
        assert said in capsys.readouterr().err
        assert not Path("out.html").exists()


def test_a_page_that_would_be_too_large_is_one_for_each_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pages, "LARGEST", 30_000)
    second = kernel(name="b").partition(".visible")[2]
    Path("both.ptx").write_text(kernel(name="a") + ".visible" + second)
    assert called_with(["report", "both.ptx", "-o", "out.html"]) == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["both-a.html", "both-b.html"]
    assert "p4" not in links(Path("out/both-b.html")).ids


# --- two reports


def test_a_report_of_before_says_what_is_new_fixed_and_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for suffix in ("cu", "ptx"):
        Path(f"transpose.{suffix}").write_text((DEMO / f"transpose.{suffix}").read_text())
    called_with(["transpose.ptx", *LAUNCH, "--output-format", "json"])
    old = json.loads(capsys.readouterr().out)
    moved, fixed = old["findings"][1], dict(old["findings"][0], fingerprint="0" * 32)
    moved["location"]["line"] -= 3
    old["findings"] = [fixed, moved]
    for access in old["kernels"][0]["accesses"]:
        if access["cost"]["unit"] == "wavefronts":
            access["cost"]["actual"] = 1
    Path("old.json").write_text(json.dumps(old))
    called_with(["report", "transpose.ptx", *LAUNCH, "-o", "new.html", "--against", "old.json"])
    text = plain(Path("new.html"))
    assert "1 new, 1 fixed, 1 moved, 0 unchanged" in text
    assert "was line 13" in text
    assert "transpose wavefronts of shared memory 2 33 2" in text


# --- refusals


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kernel.ptx"], "Missing option '-o'"),
        (["kernel.ptx", "-o", "p\0.html"], "cannot be written: embedded null byte"),
        (["kernel.ptx", "-o", "kernel.ptx/page.html"], "there is no folder kernel.ptx"),
        (["kernel.ptx", "-o", "gone/p.html"], "--output gone/p.html: there is no folder gone"),
        (["kernel.ptx", "-o", "p.html", "--against", "bad.json"],
         "--against bad.json: schema 'ptxlint-report/0': expected ptxlint-report/1"),
        (["kernel.ptx", "-o", "p.html", "--against", "gone.json"], "--against gone.json"),
        (["gone.ptx", "-o", "p.html"], "gone.ptx: no such file or folder"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_in_a_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.ptx").write_text(kernel())
    Path("bad.json").write_text('{"schema": "ptxlint-report/0"}')
    assert called_with(["report", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert sorted(path.name for path in Path().iterdir()) == ["bad.json", "kernel.ptx"]


def test_a_folder_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.ptx").write_text(kernel())
    real = Path.open

    def refuse(path: Path, mode: str = "r", *rest: object, **more: object) -> object:
        if "x" in mode:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, mode, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    assert called_with(["report", "kernel.ptx", "-o", "page.html"]) == 2
    assert capsys.readouterr().err == "ptxlint: page.html: cannot be written: permission denied\n"


def test_without_jinja2_one_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert called_with(["report", "kernel.ptx", "-o", "page.html"]) == 2
    assert "pip install jinja2" in capsys.readouterr().err
