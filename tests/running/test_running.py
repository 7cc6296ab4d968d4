"""However a check runs, its report is the same; a process that dies costs one kernel."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ptxlint import analysis, executors
from ptxlint.analysis import lowered, parsed_module
from ptxlint.cache import FILE, Cache
from ptxlint.checker import Running, check
from ptxlint.cli import called_with
from ptxlint.cli.running import MUCH, spread
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.errors import Error
from ptxlint.executors import Lost, Processes, Serial, pool_of, run
from ptxlint.options import Options
from ptxlint.results.outcome import ParsedModule
from ptxlint.results.report import Report
from ptxlint.source import Source

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = ("flawed/transpose_tile_32", "compilers/breadth_first", "clean/param_last_word")
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
DEVICE = """.func (.reg .b32 %out) twice(.reg .b32 %in) { add.u32 %out, %in, %in; ret; }
.global .u32 table[4];
"""
KERNEL = """.visible .entry {name}(.param .u64 {name}_param_0)
{{ .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [{name}_param_0];
mov.u32 %r1, %tid.x; {body}
st.global.u32 [%rd1], %r1; ret; }}
"""
CALL = "call (%r1), twice, (%r1);"


def module(*names: str) -> Source:
    bodies = {"calls": CALL, "unknown": "frob.u32 %r1, %r1;", "wrong": "mov.u32 %r9, 1;"}
    kernels = (KERNEL.format(name=name, body=bodies.get(name, "")) for name in names)
    return Source("m.ptx", HEAD + DEVICE + "".join(kernels))


MANY = module("a", "calls", "unknown", "b", "wrong", "c")


def corpus() -> list[Source]:
    paths = (CORPUS / f"{name}.ptx" for name in FILES)
    return [Source(str(path), path.read_text("utf-8")) for path in paths]


def timeless(report: Report) -> str:
    return replace(report, seconds=0.0).to_json()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path, pytest.fail)
    yield opened
    opened.close()


# --- a kernel as a module of its own


def test_the_text_of_a_kernel_has_what_it_needs_in_its_place() -> None:
    heads = {head.name: head for head in parsed_module(MANY).heads}
    assert ("twice" in heads["calls"].source.text, "twice" in heads["a"].source.text) == (1, 0)
    assert all("table" not in head.source.text for head in heads.values())
    for name in ("a", "calls", "b", "c"):
        (kernel,) = lowered(heads[name])
        source = heads[name].source
        line, column = source.line_column(kernel.offset)
        assert source.line_text(line) == MANY.line_text(line)
        assert MANY.line_text(line)[column - 1 :].startswith(f".visible .entry {name}(")


def test_lines_that_are_left_out_are_empty() -> None:
    source = Source("x", "a\nd\ng", gaps=((2, 2), (3, 4)))
    assert [source.line_column(at) for at in (0, 2, 4)] == [(1, 1), (4, 1), (7, 1)]
    assert [source.line_text(line) for line in range(9)] == ["", "a", "", "", "d", "", "", "g", ""]


# --- processes


def test_processes_change_nothing() -> None:
    sources = [*corpus(), MANY]
    alone = check(sources)
    assert alone.findings and alone.failed
    assert timeless(check(sources, running=Running(lambda _: Processes(2)))) == timeless(alone)


def test_the_first_error_of_a_declaration_is_told_whatever_runs_first() -> None:
    options = Options((Contract(buffers={"0": "4*lost"}),))
    said = []
    for running in (Running(), Running(lambda _: Processes(2))):
        with pytest.raises(ContractError) as error:
            check([module("a", "b", "c")], options, running=running)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "lost" in said[0]


def test_a_kernel_whose_process_dies_is_named_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analyse = analysis.analyse

    def dying(source: Source, kernel: Any, *more: Any) -> analysis.Analysis:
        if kernel.name == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        return analyse(source, kernel, *more)

    monkeypatch.setattr(analysis, "analyse", dying)
    report = check([module("a", "b", "dies", "c")], running=Running(lambda _: Processes(2)))
    (problem,) = (one for one in report.diagnostics if one.severity == "error")
    assert "kernel dies: not analysed: the process that analysed it died" in problem.message
    assert {kernel.name for kernel in report.kernels} == {"a", "b", "c"}
    assert report.exit_code() == 2
    assert not active_children()


def test_each_task_gives_one_result_though_a_process_is_killed_once(tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "once")) for number in range(12)]
    found = sorted(run(killed_once, tasks, range(12), Processes(2)))
    assert found == [(number, number * number) for number in range(12)]


def killed_once(task: tuple[int, str]) -> int:
    number, mark = task
    if number == 5 and not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def killed(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_task_that_kills_its_process_twice_is_lost() -> None:
    assert dict(run(killed, range(3), range(3), Processes(2))) == {0: 0, 1: Lost(), 2: 2}


def test_an_interrupt_leaves_no_process() -> None:
    results = run(killed_never, range(20), range(20), Processes(2))
    next(results)
    assert active_children()
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt())  # type: ignore[attr-defined]
    assert not active_children()


def killed_never(number: int) -> int:
    return number


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "1.5", "9999"])
def test_a_wrong_number_of_processes(jobs: str) -> None:
    with pytest.raises(Error, match=rf"jobs {jobs}: expected a number of processes, or auto"):
        pool_of(jobs, None)


def test_processes_are_started_where_several_kernels_take_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executors, "cores", lambda: 4)
    assert spread([MUCH, 1]) == Processes(4)
    assert spread([MUCH]) is None
    assert spread([MUCH // 4] * 3) is None


def test_a_sandbox_without_shared_memory_has_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise PermissionError

    monkeypatch.setattr(multiprocessing, "Lock", refused)
    assert spread([MUCH, MUCH]) is None


def test_an_executor_that_is_none() -> None:
    with pytest.raises(Error, match=r"executor spark:x: expected dask:ADDRESS"):
        pool_of("1", "spark:x")
    assert isinstance(pool_of("1", None), Serial)


# --- the cache


def test_a_cached_report_is_the_fresh_one(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [*corpus(), MANY]
    fresh = check(sources)
    assert timeless(check(sources, running=Running(cache=cache))) == timeless(fresh)
    cache._write()
    monkeypatch.setattr(analysis, "outcome_of", lambda task: pytest.fail("analysed again"))
    monkeypatch.setattr(analysis, "parsed_module", lambda source: pytest.fail("parsed again"))
    assert timeless(check(sources, running=Running(cache=cache))) == timeless(fresh)


def analysed_again(cache: Cache, source: Source, options: Options | None = None) -> list[str]:
    """The kernels that are analysed although the cache has results."""
    names: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        real = analysis.outcome_of

        def watched(task: analysis.Task) -> Any:
            names.append(task.head.name)
            return real(task)

        patched.setattr(analysis, "outcome_of", watched)
        check([source], options, running=Running(cache=cache))
    cache._write()
    return names


def test_what_a_kernel_depends_on_is_in_its_key(cache: Cache) -> None:
    source = module("a", "calls")
    assert analysed_again(cache, source) == ["a", "calls"]
    assert analysed_again(cache, source) == []
    assert analysed_again(cache, Source("m.ptx", source.text + "\n// more")) == []
    changed = source.text.replace("add.u32 %out, %in, %in", "add.u32 %out, %in, 1")
    assert analysed_again(cache, Source("m.ptx", changed)) == ["calls"]
    assert analysed_again(cache, source, Options(pedantic=True)) == ["a", "calls"]
    assert analysed_again(cache, source, Options((Contract(block=32),))) == ["a", "calls"]
    assert analysed_again(cache, source, Options(kernel="a")) == []


def elsewhere(source: Source) -> Source:
    """The same kernels in another file, behind two more that stand on several lines, with more
    comments between the items."""
    first = re.search(r"^\.(visible|func|global|entry)", source.text, re.M)
    assert first is not None
    at = first.start()
    more = "".join(
        KERNEL.format(name=name, body="add.u32 %r1, %r1, 1;\n\n") for name in ("grown", "longer")
    )
    rest = re.sub(
        r"^(\.visible|\.func)", r"// a comment\n\n/* and\none */ \n\1", source.text[at:], flags=re.M
    )
    return Source("another/folder/n.ptx", source.text[:at] + more + rest)


def test_a_result_is_found_wherever_the_kernel_stands(cache: Cache) -> None:
    source = module("a", "unknown", "calls")
    assert analysed_again(cache, source) == ["a", "unknown", "calls"]
    assert analysed_again(cache, elsewhere(source)) == ["grown", "longer"]


@pytest.mark.parametrize("source", [*corpus(), MANY], ids=lambda source: Path(source.path).stem)
def test_a_result_that_was_kept_elsewhere_is_the_fresh_one(cache: Cache, source: Source) -> None:
    check([source], running=Running(cache=cache))
    cache._write()
    kept = check([elsewhere(source)], running=Running(cache=cache))
    assert timeless(kept) == timeless(check([elsewhere(source)]))


def test_what_quotes_a_file_of_its_own_name_stays_where_it_is(cache: Cache) -> None:
    located = module("a").text.replace("st.global", ".loc 1 1 1\nst.global") + '.file 1 "m.ptx"\n'
    for path in ("m.ptx", "n.ptx", "other/m.ptx"):
        assert analysed_again(cache, Source(path, located)) == ["a"]
        assert analysed_again(cache, Source(path, located)) == []


def test_a_source_that_is_quoted_is_in_the_key(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    located = module("a").text.replace("st.global", ".loc 1 1 1\nst.global") + '.file 1 "m.cu"\n'
    (tmp_path / "m.cu").write_text("*out = threadIdx.x;\n")
    source = Source("m.ptx", located)
    assert analysed_again(cache, source) == ["a"]
    assert analysed_again(cache, source) == []
    (tmp_path / "m.cu").write_text("*out = threadIdx.y;\n")
    assert analysed_again(cache, source) == ["a"]


@pytest.mark.parametrize("content", [b"no database" * 99, b"SQLite format 3\0" + bytes(4096)])
def test_an_unreadable_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    said: list[str] = []
    opened = Cache(tmp_path, said.append)
    assert analysed_again(opened, module("a")) == ["a"]
    assert analysed_again(opened, module("a")) == []
    opened.close()
    (line,) = said
    assert line.startswith(f"{tmp_path / FILE}: ") and line.endswith("; the cache is made anew")


def test_a_file_of_another_schema_is_made_anew(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / FILE)
    other.execute("PRAGMA user_version = 99")
    other.close()
    said: list[str] = []
    Cache(tmp_path, said.append).close()
    assert said == [f"{tmp_path / FILE}: schema 99, expected 3; the cache is made anew"]


def test_an_entry_of_another_type_is_none(cache: Cache) -> None:
    key = cache.key("x")
    cache.put(key, {"path": 7})
    cache._write()
    assert cache.get([key], ParsedModule) == {}


def test_numbers_of_any_size_are_kept(cache: Cache) -> None:
    """A bound of an offset may have more than 64 bits."""
    key, numbers = cache.key("x"), {"bound": 2**64, "least": -(2**70), "half": 0.5, "zero": -0.0}
    cache.put(key, numbers)
    cache._write()
    assert repr(cache.get([key], dict)[key]) == repr(numbers)


def test_a_file_whose_name_is_no_unicode_is_checked(cache: Cache) -> None:
    source = Source("\udcff.ptx", module("a").text)
    assert analysed_again(cache, source) == ["a"]
    assert analysed_again(cache, source) == ["a"]


def test_the_entries_of_longest_ago_go(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ptxlint.cache.LARGEST", 40_000)
    keys = [cache.key(str(number)) for number in range(40)]
    for day, key in enumerate(keys):
        cache.today = day
        cache.put(key, os.urandom(2000).hex())
        cache._write()
    left = cache.get(keys, str)
    assert keys[0] not in left and keys[-1] in left
    assert (tmp_path / FILE).stat().st_size < 100_000


def test_without_a_folder_there_is_no_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(module("a").text)
    assert called_with([str(path)]) == 0
    assert capsys.readouterr().err == ""  # the user's own: XDG_CACHE_HOME is no folder here
    assert called_with(["--cache-dir", str(path), str(path)]) == 0
    assert capsys.readouterr().err == f"ptxlint: --cache-dir {path}: no cache: file exists\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-j", "x"), "--jobs x: expected a number of processes, or auto"),
        (("--no-cache", "--cache-dir", "x"), "--cache-dir: not with --no-cache"),
        (("-j", "2", "--executor", "dask:x"), "--jobs: not with --executor"),
        (("--executor", "dask"), "--executor dask: expected dask:ADDRESS"),
    ],
)
def test_options_that_cannot_be(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called_with([*options, "k.ptx"]) == 2
    assert said in capsys.readouterr().err
