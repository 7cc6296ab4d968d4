"""The kernels' building blocks: generator, closed form, compiler, contract, corpus on disk.

Known answers come first, then a price against the closed form, then what the compiler writes. What
needs CuPy's compiler is skipped, with the reason, where it is not installed; nothing needs a GPU.
"""

from __future__ import annotations

import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pricing_kernels import build, corpus, european, normal
from pricing_kernels.catalogue import kernels
from pricing_kernels.cli import main
from pricing_kernels.gbm import Market, black_scholes
from pricing_kernels.kernel import SHIPPED, EmittedKernel
from pricing_kernels.opcodes import count_opcodes
from pricing_kernels.rng import philox

ROOT = Path(__file__).parents[2] / "corpus"


def compiler_or_reason() -> str:
    """The empty text if kernels can be compiled here, else why not."""
    try:
        build.compiler()
    except build.BuildError as error:
        return str(error)
    return ""


REASON = compiler_or_reason()
needs_compiler = pytest.mark.skipif(bool(REASON), reason=REASON)


@pytest.mark.parametrize(("counter", "key", "result"), philox.VECTORS)
def test_philox_gives_the_published_words(
    counter: tuple[int, ...], key: tuple[int, ...], result: tuple[int, ...]
) -> None:
    assert philox.philox(counter, key).tolist() == list(result)


def test_philox_of_many_counters_is_philox_of_each() -> None:
    counters = np.arange(40, dtype=np.uint32).reshape(10, 4)
    key = (1, 2**32 - 1)
    each = [philox.philox(counter, key).tolist() for counter in counters]
    assert philox.philox(counters, key).tolist() == each


def test_normals_have_the_moments_of_the_normal_law() -> None:
    counters = np.zeros((50_000, 4), np.uint32)
    counters[:, 0] = np.arange(50_000)
    z = normal.normals(philox.philox(counters, (5, 0))).astype(np.float64).ravel()
    moments = [(z**k).mean() for k in (1, 2, 3, 4)]
    deviations = [math.sqrt(v / z.size) for v in (1, 2, 15, 96)]  # of the four means
    scores = [(m - e) / d for m, e, d in zip(moments, (0, 1, 0, 3), deviations, strict=True)]
    assert max(map(abs, scores)) < 4, scores


def test_normals_of_extreme_words_are_finite() -> None:
    words = np.array(list(product((0, 2**31, 2**32 - 1), repeat=2)), np.uint32)
    assert np.isfinite(normal.normals(words)).all()


# J. Hull, "Options, Futures, and Other Derivatives", the example of the Black-Scholes chapter:
# S = 42, K = 40, r = 10 %, sigma = 20 %, half a year; call 4.76, put 0.81 (to the cent).
# The put at 10.3278618 is the European reference of our second paper (seed 002).
@pytest.mark.parametrize(
    ("market", "strike", "maturity", "call", "price", "tolerance"),
    [
        (Market(42.0, 0.10, 0.20), 40.0, 0.5, True, 4.76, 0.005),
        (Market(42.0, 0.10, 0.20), 40.0, 0.5, False, 0.81, 0.005),
        (Market(100.0, 0.03, 0.30), 100.0, 1.0, False, 10.3278618, 5e-8),
    ],
)
def test_black_scholes_gives_published_prices(
    market: Market, strike: float, maturity: float, call: bool, price: float, tolerance: float
) -> None:
    assert black_scholes(market, strike, maturity, call) == pytest.approx(price, abs=tolerance)


@pytest.mark.parametrize(
    ("spot", "strike", "rate", "volatility", "maturity"),
    list(product((80.0, 100.0), (60.0, 100.0, 150.0), (0.0, 0.05), (0.1, 0.6), (0.1, 5.0))),
)
def test_put_and_call_are_in_parity(
    spot: float, strike: float, rate: float, volatility: float, maturity: float
) -> None:
    market = Market(spot, rate, volatility)
    call, put = (black_scholes(market, strike, maturity, c) for c in (True, False))
    assert call - put == pytest.approx(spot - strike * math.exp(-rate * maturity), abs=1e-11)


@pytest.mark.parametrize(("call", "steps"), list(product((True, False), (1, 2, 7))))
def test_simulated_price_is_within_four_standard_errors(call: bool, steps: int) -> None:
    market = Market(100.0, 0.03, 0.3)
    option = european.European(market, 105.0, 1.0, call, paths=100_000, steps=steps, seed=11)
    result = european.estimate(*european.segment_sums(option), option.paths)
    reference = black_scholes(market, 105.0, 1.0, call)
    assert abs(result.price - reference) < 4 * result.stderr, (result, reference)


def test_a_segment_depends_on_its_own_paths_alone() -> None:
    few, many = (
        european.European(Market(100.0, 0.03, 0.3), 100.0, 1.0, call=True, paths=paths)
        for paths in (768, 5000)
    )
    for of_few, of_many in zip(
        european.segment_sums(few), european.segment_sums(many), strict=True
    ):
        assert of_few.tolist() == of_many[:3].tolist()


def test_newer_ptx_is_refused_with_the_remedy() -> None:
    build.check_version(".version 9.0\n", "f.cu")
    with pytest.raises(build.BuildError, match=r"f\.cu: .*9\.5.*ptxlint\[kernels\]"):
        build.check_version("//\n.version 9.5\n.target sm_80\n", "f.cu")


def test_file_entries_lose_their_folders() -> None:
    text = '\t.file\t1 "/some/where/f.cu"\n\t.file\t2 "C:\\a\\g.h"\n\t.file 3 "h.cu"\n'
    assert build.without_folders(text) == '\t.file\t1 "f.cu"\n\t.file\t2 "g.h"\n\t.file 3 "h.cu"\n'


def test_opcodes_are_counted_with_their_modifiers() -> None:
    text = """.version 9.0
    .entry f() { .reg .b32 %r<3>; // add.s32 in a comment
    .loc 1 2 3
    L: @!%p1 add.s32 %r1, %r2, 1; { .reg .b64 t; mov.b64 {%r1, %r2}, t; } @p bra L; ret; }"""
    assert count_opcodes(text) == {"add.s32": 1, "mov.b64": 1, "bra": 1, "ret": 1}


def test_handwritten_ptx_is_not_an_orphan_of_the_compiler() -> None:
    by_hand = [p for p in corpus.sources(ROOT, ".ptx") if not p.with_suffix(".cu").exists()]
    assert [p.name for p in by_hand if "NVVM" in p.read_text("utf-8")] == []


@needs_compiler
def test_compiling_twice_gives_the_same_text_and_no_folder() -> None:
    source = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] = 1; }'
    ptx = build.compile_ptx(source, "f.cu")
    assert ptx == build.compile_ptx(source, "f.cu")
    assert '.file\t1 "f.cu"' in ptx
    assert build.ptx_version(ptx) <= build.NEWEST_PTX


@needs_compiler
def test_an_error_of_the_compiler_names_the_file_and_the_line() -> None:
    with pytest.raises(build.BuildError, match=r"f\.cu\(2\)"):
        build.compile_ptx("\nnonsense", "f.cu")


@needs_compiler
@pytest.mark.parametrize("name", kernels())
def test_an_emitted_kernel_builds_and_needs_no_local_memory(name: str) -> None:
    ptx = kernels()[name].ptx()
    assert f".entry {name}(" in ptx
    assert ".local" not in ptx, "a state that is no longer in registers"
    assert ptx.count(".param .") == len(kernels()[name].contract.params)


@pytest.mark.parametrize("kernel", kernels().values(), ids=lambda kernel: kernel.name)
def test_what_is_installed_was_made_from_the_kernel_as_it_is(kernel: EmittedKernel) -> None:
    """Else it would be compiled, which nobody can who has not the compiler."""
    assert (SHIPPED / f"{kernel.name}.cu").read_text("utf-8") == kernel.cuda(), (
        "python -m pricing_kernels corpus"
    )


@needs_compiler
def test_corpus_on_disk_is_what_its_sources_give() -> None:
    result = CliRunner().invoke(main, ["corpus", "--check", "--root", str(ROOT)])
    assert result.exit_code == 0, result.output


EXPECT = re.compile(r"// expect: ([a-z, -]+)")
OFFENDER = {
    "divergent-barrier": r"bar(rier)?\.",
    "divergent-loop": r"bra\b",
    "accidental-double": r"\w+\.f64",
    "divergent-uniform-branch": r"(bra|call|ret)\.uni",
    "undefined-register": r"\w",
}


@pytest.mark.parametrize("path", list(corpus.sources(ROOT, ".ptx")), ids=lambda p: p.stem)
def test_a_corpus_file_names_its_launch_and_its_offenders_are_in_the_ptx(path: Path) -> None:
    """An optimising compiler deletes planted bugs: the line must still own such an instruction."""
    source = path.with_suffix(".cu") if path.with_suffix(".cu").exists() else path
    text = source.read_text("utf-8")
    launch = re.search(r"^// launch: --grid \S+ --block \S+", text, re.MULTILINE)
    assert launch and re.search(r"^// params: \S+$", text, re.MULTILINE)
    assert ("// expect-none" in text) == ("// expect: " not in text)
    if path.parent.name == "clean":
        assert "// expect: " not in text
    if path.parent.name == "flawed":
        assert "// expect: " in text or "// todo: " in text
    for number, line in enumerate(text.split("\n"), 1):
        for rule in (EXPECT.search(line) or ["", ""])[1].replace(" ", "").split(","):
            offender = OFFENDER.get(rule, r"(ld|st|atom|red)\.")
            assert not rule or instructions_at(path, source, number, offender), (number, rule)


def instructions_at(path: Path, source: Path, number: int, pattern: str) -> list[str]:
    """The instructions of `path` that belong to a line of `source` and begin like `pattern`."""
    at, found = 0, []
    for ptx_number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if located := re.match(r"\s*\.loc\s+\d+\s+(\d+)", line):
            at = int(located[1])
        here = ptx_number if path == source else at
        if here == number and re.match(rf"\s*(@\S+\s+)?{pattern}", line):
            found.append(line.strip())
    return found
