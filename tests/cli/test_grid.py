"""Grids whose size is an expression: ``--grid '(n+255)/256'`` holds for every n."""

from __future__ import annotations

import pytest

import ptxlint
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.resolution import resolved
from tests.observation.launches import kernels_of

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y, .param .u32 n)
{
.reg .b32 %r<6>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [y];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.s32 %r4, %r2, 256, %r1;
mul.wide.s32 %rd2, %r4, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r4;
ret;
}
"""


def found(*requires: str, n: int | str = "1..100000") -> list[str]:
    launch = Contract(
        block=256, grid="(n+255)/256", args={"n": n}, buffers={"y": "4*n"}, requires=requires
    )
    report = ptxlint.check(PTX, contract=launch, select="out-of-bounds")
    return [finding.rule for finding in report.findings]


def test_an_index_without_a_guard_leaves_the_buffer_unless_blocks_fit() -> None:
    assert found() == ["out-of-bounds"]
    assert found("n % 256 == 0") == []
    assert (found(n=1000), found(n=1024)) == (["out-of-bounds"], [])


@pytest.mark.parametrize(
    ("grid", "shape"),
    [
        ("(n+255)/256", (4, 1, 1)),
        ("(n+255)//256, n/500, 3", (4, 2, 3)),
        ("2*4,n", (8, 1000, 1)),
        ("8x8", (8, 8, 1)),
        ("(32, 8)", (32, 8, 1)),
    ],
)
def test_with_a_number_for_every_name_it_is_a_number(
    grid: str, shape: tuple[int, int, int]
) -> None:
    assert Contract(grid=grid, args={"n": 1000}).grid == shape


def test_without_it_is_a_condition_along_each_axis() -> None:
    conditions = [each.text for each in Contract(grid="(n+255)/256,m").requires]
    assert conditions == ["nctaid.x == (n+255)//256", "nctaid.y == m", "nctaid.z == 1"]


GUARDED = PTX.replace("mul.wide", "setp.gt.s32 %p, %r4, %r5; @%p bra DONE; mul.wide")
GUARDED = GUARDED.replace(".reg .b32", ".reg .pred %p; .reg .b32").replace("ret;", "DONE: ret;")
GUARDED = GUARDED.replace("mov.u32 %r1", "ld.param.u32 %r5, [n]; mov.u32 %r1", 1)


def test_a_guard_that_is_off_by_one_is_found_in_the_grid_of_a_formula() -> None:
    """The grids that a search tries are those of the numbers that it tries."""
    launch = Contract(block=256, grid="(n+255)/256", buffers={"y": "4*n"})
    (finding,) = ptxlint.check(GUARDED, contract=launch, select="out-of-bounds").findings
    assert finding.witness is not None
    n = int(finding.witness.arguments["n"])
    assert finding.witness.grid == (-(-n // 256), 1, 1)


def test_a_divisor_that_is_zero_makes_no_launch() -> None:
    launch = Contract(block=256, grid="n/m", args={"n": "1..4096", "m": "0..8"},
                      buffers={"y": "4*n"}, params="y,n,m")  # fmt: skip
    text = PTX.replace(".param .u32 n", ".param .u32 n, .param .u32 m")
    report = ptxlint.check(text, contract=launch)
    assert not report.diagnostics
    assert [finding.rule for finding in report.findings] == ["out-of-bounds"]


@pytest.mark.parametrize("grid", ["(n+255)/256", "(n + ntid.x - 1)/ntid.x"])
def test_it_is_a_number_too_where_another_contract_has_the_numbers(grid: str) -> None:
    (kernel,) = kernels_of(PTX)
    launch = resolved([Contract(args={"n": 1000}), Contract(block=256, grid=grid)], kernel)
    assert launch.grid == (4, 1, 1)
    none = resolved([Contract(args={"n": 0}), Contract(block=256, grid=grid)], kernel)
    assert none.grid is None


@pytest.mark.parametrize("grid", ["n+", "1,2,3,n", "n/0", "n-1000", ""])
def test_refused(grid: str) -> None:
    with pytest.raises(ContractError, match="grid"):
        Contract(grid=grid, args={"n": 1000})


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("nope+1", "grid nope+1: no kernel has a parameter nope, this kernel's are y, n"),
        ("0*n", "grid 0*n: no launch meets this and all else that is declared"),
        ("2**65*n", "grid 2**65*n: the right side of ** must be a number from 0 to 64"),
    ],
)
def test_refused_in_the_words_of_the_grid(grid: str, message: str) -> None:
    with pytest.raises(ContractError) as error:
        ptxlint.check(PTX, contract=Contract(grid=grid))
    assert str(error.value) == message


def test_a_grid_that_is_empty_in_some_launches_alone_is_not_refused() -> None:
    def checked(n: str) -> list[str]:
        launch = Contract(block=256, grid="(n+255)/256", args={"n": n}, buffers={"y": 4})
        return [each.rule for each in ptxlint.check(PTX, contract=launch).findings]

    assert "out-of-bounds" in checked("-100..1")
    with pytest.raises(ContractError, match=r"grid \(n\+255\)/256: no launch meets this"):
        checked("-100..0")
