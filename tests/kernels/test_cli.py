"""The commands of pricing-kernels: what they print, and one clear line for bad input."""

from __future__ import annotations

import builtins
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pricing_kernels import engines
from pricing_kernels.catalogue import GENERATORS, shipped
from pricing_kernels.cli import main
from pricing_kernels.normal import METHODS
from pricing_kernels.rng import philox, xorwow
from ptxlint import analysis

from .test_build import needs_compiler


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_every_kernel_is_listed_with_what_it_computes() -> None:
    said = call("list").output.splitlines()
    assert [line.split()[0] for line in said] == list(shipped())
    assert any(line.split(maxsplit=1)[1] == "Numbers of philox." for line in said)


def test_a_contract_is_printed_as_a_command() -> None:
    assert (
        "ptxlint check xorwow_generate.ptx --kernel xorwow_generate --params "
        "state,numbers,count,streams --block 128 --arg count=1..1048576 --arg streams=1..1048576 "
        "--buffer 'state=4*(6*streams)' --buffer 'numbers=4*(count*streams)' "
        "--assume 'nctaid.x*ntid.x >= streams'"
    ) in call("list", "--contracts").output.splitlines()


def test_what_a_multiprocessor_holds_is_printed() -> None:
    said = call("list", "--occupancy", "sm_90").output.splitlines()
    (line,) = [line for line in said if line.startswith("mt19937_fast_generate ")]
    assert line.split(maxsplit=1)[1] == (
        "128 threads and 10240 bytes a block: 16 blocks, 64 of 64 warps (warps), with up to 32 "
        "registers a thread"
    )
    old = call("list", "--occupancy", "sm_10").output
    assert "10240 bytes a block: 1 block, 4 of 24 warps (shared memory), with up to 64 reg" in old


def test_emitted_text_stands_for_itself() -> None:
    said = call("emit", "lcg32_generate").output
    assert "__global__" in said and "#line" not in said


def test_numbers_are_printed_by_turns_and_streams() -> None:
    said = call("run", "philox", "--seed", "5", "--streams", "3", "--count", "6")
    assert said.exit_code == 0, said.output
    rows = [list(map(int, line.split())) for line in said.output.splitlines()]
    assert rows == philox.GENERATOR.numbers(5, 3, 6).tolist()


def test_numbers_are_saved(tmp_path: Path) -> None:
    target = tmp_path / "numbers"
    said = call("run", "xorwow", "--streams", "40", "--count", "9", "--out", str(target))
    assert said.exit_code == 0, said.output
    assert np.array_equal(np.load(target), xorwow.GENERATOR.numbers(0, 40, 9))


@pytest.mark.parametrize("generator", [each.name for each in GENERATORS])
def test_every_generator_runs_as_it_is_named(generator: str) -> None:
    said = call("run", generator)
    assert said.exit_code == 0, said.output
    assert len(said.output.splitlines()) == 8


@pytest.mark.parametrize("method", [each.name for each in METHODS])
def test_every_method_runs_as_it_is_named(method: str) -> None:
    said = call("run", "xorwow", "--normal", method)
    assert said.exit_code == 0, said.output


def test_normal_numbers_are_printed() -> None:
    said = call("run", "philox", "--normal", "inverse", "--count", "2")
    assert said.exit_code == 0, said.output
    assert all(abs(float(word)) < 6.34 for word in said.output.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run phlox", "no generator 'phlox'; did you mean philox?"),
        ("run nothing", "no generator 'nothing'; there are: "),
        ("run philox --normal singel", "no method 'singel'; did you mean single?"),
        ("run philox --engine gpu", "no engine 'gpu'; there are: simt, cupy"),
        ("run lcg32 --seed -1", "lcg32: seed -1, expected 0 to 4294967295"),
        ("run lcg32 --seed 4294967296", "lcg32: seed 4294967296, expected 0 to 4294967295"),
        ("run philox --streams 0", "philox: streams 0, expected 1 to 1048576"),
        ("run sobol --streams 1025", "sobol: streams 1025, expected 1 to 1024"),
        ("run philox --count 0", "philox_generate: count: 0 is not in 1..1048576"),
        ("run philox --count 3 --normal single", "requires count % 2 == 0, given count=3"),
        (
            "run philox --streams 33 --normal shuffle",
            "requires streams % 32 == 0, given streams=33",
        ),
        ("list --occupancy 90", "--occupancy 90: expected an architecture, as sm_90"),
        ("list --occupancy sm_01", "compute capability 0.1, known are 1.x to 12.x"),
        ("list --occupancy sm_999", "compute capability 99.9, known are 1.x to 12.x"),
        ("list --occupancy=", "--occupancy : expected an architecture, as sm_90"),
        ("run philox --normal=", "no method ''; there are: single, shared, shuffle, inverse"),
        ("run philox --out none/x.npy", "--out none/x.npy: there is no folder none"),
        ("run mt607 --streams 4097", "mt607: streams 4097, expected 1 to 4096"),
        ("run stored --count 1025", "stored_generate: count: 1025 is not in 1..1024"),
        ("build lcg32_generate --out pyproject.toml/x", "pyproject.toml/x: not a directory"),
        ("lint lcg32_generate --largest 0", "0 is not in the range x>=1"),
        ("emit phlox_generate", "no kernel 'phlox_generate'; did you mean philox_generate"),
        ("lint lcg_generate", "no kernel 'lcg_generate'; did you mean "),
    ],
)
def test_bad_input_gets_one_clear_line(words: str, said: str) -> None:
    result = call(*words.split())
    assert result.exit_code == 2
    errors = [line for line in result.output.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1 and said in errors[0], result.output


def test_without_cupy_the_device_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hide(monkeypatch, "cupy")
    result = call("run", "philox", "--engine", "cupy")
    assert result.exit_code == 2
    assert "pip install 'ptxlint[kernels]'; simt needs neither" in result.output


def test_without_a_compiler_shipped_kernels_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hide(monkeypatch, "cupy")
    monkeypatch.setenv("PRICING_KERNELS_CACHE", str(tmp_path))
    result = call("run", "xorwow", "--streams", "2", "--count", "2")
    assert result.exit_code == 0, result.output
    unusual = call("run", "lfg", "--normal", "single")  # not among the shipped kernels
    assert unusual.exit_code == 2
    assert "pip install 'ptxlint[kernels]'" in unusual.output


def test_a_launch_that_does_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*launch: object) -> None:
        raise MemoryError("Unable to allocate 4.00 TiB")

    monkeypatch.setattr(engines, "engine", lambda name: full)
    result = call("run", "philox", "--streams", "1048576", "--count", "1048576")
    assert result.exit_code == 2
    assert "Error: the launch does not fit in memory: Unable to allocate 4.00 TiB" in result.output


@needs_compiler
def test_a_cache_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PRICING_KERNELS_CACHE", str(tmp_path / "file" / "below"))
    result = call("run", "lfg", "--normal", "single")
    assert result.exit_code == 2
    assert "PRICING_KERNELS_CACHE names another folder" in result.output


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Lets the import of a package fail."""
    real = builtins.__import__

    def refuse(name: str, *rest: object) -> object:
        if name.split(".")[0] == package:
            raise ImportError(f"no module {name}")
        return real(name, *rest)  # type: ignore[arg-type]

    for module in [m for m in sys.modules if m.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", refuse)


@needs_compiler
def test_kernels_are_built(tmp_path: Path) -> None:
    said = call("build", "lcg32_generate", "stored_generate", "--out", str(tmp_path))
    assert said.exit_code == 0, said.output
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"{name}_generate.{suffix}" for name in ("lcg32", "stored") for suffix in ("cu", "ptx")
    ]


@needs_compiler
def test_a_compilation_is_timed() -> None:
    said = call("bench", "lcg32_generate").output.split()
    assert said[0] == "lcg32_generate" and float(said[1]) > 0 and said[2] == "ms"


def test_kernels_are_linted_by_name() -> None:
    said = call("lint", "lcg32_initialise", "--largest", "500", "--strict")
    assert said.exit_code == 0, said.output
    assert said.output.startswith("lcg32_initialise\nno findings\n")


def test_kernels_are_linted_in_processes_and_told_in_order() -> None:
    words = ("lint", "philox_initialise", "lcg32_initialise", "--largest", "500", "--no-cache")
    said = timeless(call(*words, "-j", "2").output)
    assert said.index("philox_initialise\n") < said.index("lcg32_initialise\n")
    assert timeless(call(*words, "-j", "1").output) == said
    assert "jobs x: expected a number of processes, or auto" in call(*words, "-j", "x").output


def test_what_was_linted_before_is_not_analysed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("lint", "lcg32_initialise", "--largest", "500", "--cache-dir", str(tmp_path))
    said = timeless(call(*words).output)
    monkeypatch.setattr(analysis, "outcome_of", lambda task: pytest.fail("analysed again"))
    assert timeless(call(*words).output) == said


def timeless(report: str) -> str:
    return re.sub(r"[\d.]+ s$", "", report, flags=re.MULTILINE)
