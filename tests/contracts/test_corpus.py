"""The launch that a kernel of the corpus is written for meets its inferred contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.options import Options
from ptxlint.source import Source
from tests.corpus.judging import contract_of
from tests.sampled import sampled

from .kernels import ROOT, files, source_of, stated, subjects

FILES = sorted((ROOT / "clean").glob("*.ptx"))
STATED = [
    path for path in files() if path.is_relative_to(ROOT) and "\n// contract: " in source_of(path)
]
LONG = {  # as image_blurred_with_clamps and columns_joined are, and take as long as many others
    "greatest_of_windows",
    "rows_joined_in_a_loop",
    "stencil_with_clamped_halo",
}


@pytest.mark.parametrize("path", sampled(FILES, 12), ids=lambda path: path.stem)
def test_the_launch_of_a_kernel_meets_its_contract(path: Path) -> None:
    declared = contract_of(path)
    for subject in subjects(path):
        concrete = resolved([declared], subject.kernel).concrete(subject.kernel)
        assert check_launch(subject.result.contract(), concrete) == []


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=pytest.mark.slow if p.stem in LONG else ()) for p in STATED],
)
def test_a_contract_is_no_stricter_than_its_file_says(path: Path) -> None:
    """But for three they are held by default. The bytes of dynamic shared memory are ``shared``."""
    (subject,) = subjects(path)
    needs, sizes = stated(source_of(path))
    result = subject.result
    found = {**result.buffers, "shared": result.shared}
    assert needs <= {*result.needs}
    assert {name: found[name] for name in sizes} == sizes


def test_pairs_at_doubled_distances_end_with_the_row() -> None:
    """They are powers of two for any number of bits."""
    (subject,) = subjects(ROOT / "compilers/pairs_at_doubled_distances.ptx")
    assert subject.result.shared == "4*2**bits"
    assert not any("%" in need for need in subject.result.needs)


def test_a_guard_bounds_an_index_that_wraps_on_the_way() -> None:
    (subject,) = subjects(ROOT / "clean/numbers_behind_an_offset.ptx")
    assert subject.result.needs == ()
    assert subject.result.buffers["y"] == "4*n@4"


def test_an_unsigned_offset_has_no_limit_of_signed_words() -> None:
    (subject,) = subjects(ROOT / "clean/tiles_of_unsigned.ptx")
    assert subject.result.needs == ()
    assert subject.result.buffers["x"] == "max(256*(n//64) + 4*ntid.x - 256, 4*n)@4"


def test_a_tested_address_is_aligned_wherever_its_buffer_begins() -> None:
    (subject,) = subjects(ROOT / "clean/segments_by_aligned_vectors.ptx")
    assert subject.result.unknown == ()
    assert subject.result.buffers["x"] == "24*start.max@4"


def test_a_part_of_a_loaded_index_speaks_of_the_greatest_one() -> None:
    (subject,) = subjects(ROOT / "regressions/rows_of_pages.ptx")
    assert subject.result.buffers["head"] == "4*(slot.max//size)*dim + 4*dim@4"
    assert subject.result.values == {"slot": "slot.min..slot.max:s32"}


def test_short_indices_name_as_many_bins_as_the_greatest_of_them() -> None:
    (subject,) = subjects(ROOT / "regressions/bins_of_short_keys.ptx")
    assert subject.result.unknown == ()
    assert subject.result.shared == "max(4*bins, 4*key.max + 4)"


def test_a_loop_whose_end_is_loaded_anew_ends_where_any_row_does() -> None:
    (subject,) = subjects(ROOT / "regressions/rows_whose_end_is_loaded_anew.ptx")
    assert subject.result.buffers["value"] == "4*start.max@4"
    assert "start.min >= 0" in subject.result.needs


def test_the_last_group_of_threads_ends_a_buffer() -> None:
    (subject,) = subjects(ROOT / "compilers/rows_by_four_threads.ptx")
    assert subject.result.needs == ()
    assert subject.result.buffers["x"] == "112*((ntid.x + 3)//4) + 4*ntid.x@4"


def test_elements_of_threads_that_take_several_end_with_the_last_one() -> None:
    """Each of the seven is rounded to another remainder, and together they are all elements."""
    (subject,) = subjects(ROOT / "compilers/seven_elements_a_thread.ptx")
    assert subject.result.buffers == {"x": "4*n@4", "y": "4*n@4"}


def test_a_requirement_that_no_thread_would_meet_is_not_offered() -> None:
    """The way back along a column: only without rows does it begin inside of the image, by the
    first bound that is found; by another one it does in all images."""
    (subject,) = subjects(ROOT / "regressions/column_forth_and_back.ptx")
    assert subject.result.unknown == ()
    assert not any("<= 0" in need for need in subject.result.needs)


def test_a_product_of_four_extents_ends_a_buffer() -> None:
    (subject,) = subjects(ROOT / "regressions/four_extents.ptx")
    assert subject.result.buffers == {"x": "4*a*b*c*d@4"}
    assert "a*b*c*d <= 2**31 - 1" in subject.result.needs


def test_a_requirement_that_only_a_negative_size_meets_is_not_offered() -> None:
    """The access is open instead, in the contract and in a check; the other one is not."""
    path = ROOT / "regressions/table_behind_its_end.ptx"
    (subject,) = subjects(path)
    assert subject.result.needs == ()
    assert subject.result.buffers == {"y": "4*ntid.x@4"}
    assert [(one.access, one.reason) for one in subject.result.unknown] == [("table", "nonlinear")]
    report = check([Source(path.name, path.read_text("utf-8"))])
    assert report.summary.accesses.conditional == 1
    assert "n + 44" not in str(report.kernels[0].condition)


def test_steps_by_a_quotient_need_no_sign_of_what_is_divided() -> None:
    (subject,) = subjects(ROOT / "clean/steps_of_sequences.ptx")
    assert "sequences >= 1" in subject.result.needs
    assert "length >= 0" not in subject.result.needs


def test_a_row_ends_where_the_last_iteration_does() -> None:
    (subject,) = subjects(ROOT / "compilers/rows_of_planes_less_their_mean.ptx")
    assert subject.result.buffers == {
        "x": "4*nctaid.x*pitch + 4*nctaid.y*plane + 4*cols - 4*pitch - 4*plane + 4@4",
        "y": "4*cols*nctaid.x*nctaid.y + 4@4",
    }


def test_what_is_left_of_a_choice_is_less_than_the_divisor() -> None:
    (subject,) = subjects(ROOT / "compilers/scales_of_turned_halves.ptx")
    assert subject.result.complete
    assert subject.result.buffers["scale"] == "4*nctaid.x*pitch + 4*by.8 - 4*pitch@4"


def test_the_height_of_a_block_has_the_limit_that_a_segment_gives() -> None:
    """The block has one column in the launches in which attempts are compared."""
    (subject,) = subjects(ROOT / "regressions/scan_by_a_column.ptx")
    assert subject.result.unknown == ()
    assert subject.result.buffers == {"x": "16*nctaid.x*ntid.x + 16*ntid.y - 16*ntid.x@16"}


def test_an_index_buffer_may_hold_zeros() -> None:
    """A limit of the least index that a launch with zeros fails is none to ask for."""
    (subject,) = subjects(ROOT / "regressions/elements_in_paged_rows.ptx")
    assert "table.min >= 0" in subject.result.needs
    assert subject.result.buffers["x"] == "64*table.max + 64@4"


def test_states_of_every_few_steps_are_not_as_many_as_the_steps() -> None:
    """The loop's own counters decide when a state is kept."""
    (subject,) = subjects(ROOT / "regressions/states_of_every_few_steps.ptx")
    assert subject.result.buffers == {}


def test_what_is_left_of_a_matrix_has_rows_where_it_has_elements() -> None:
    """An index below the square of a number is divided by that: no thread divides by zero."""
    (subject,) = subjects(ROOT / "compilers/rest_of_a_matrix.ptx")
    assert subject.result.complete
    assert subject.result.needs == ("n >= 1",)


def test_an_operand_of_another_edge_bounds_nothing() -> None:
    """The index of a loop for no features has no value in one that runs for some."""
    (subject,) = subjects(ROOT / "regressions/nearest_of_two_loops.ptx")
    assert [one.reason for one in subject.result.unknown] == ["loop"]
    assert subject.result.buffers == {}


LIST = """
// launch: --grid 2 --block 64 --arg n=100 --arg steps=6 --buffer next=400 --buffer y=400
// launch: --values next=0..99:s32
// params: next,y,n,steps
"""


def test_a_list_that_is_followed_as_often_as_declared_stays_inside() -> None:
    """Of the loop that is unrolled by four there is one iteration, which begins where the list
    does."""
    path = ROOT / "compilers/lists_followed.ptx"
    launch = Options(contracts=(Contract.from_comments(LIST),))
    accesses = check([Source(path.name, path.read_text("utf-8"))], launch).summary.accesses
    assert accesses.proved == accesses.total == 6
