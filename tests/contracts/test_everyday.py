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

from .kernels import ROOT, subjects

FILES = sorted((ROOT / "clean").glob("*.ptx"))
COSTLY = sorted((ROOT / "compilers").glob("*.ptx"))
ROWS = "((rows + 31)//32)"
EXACT: dict[str, tuple[str | None, dict[str, str]]] = {
    "added_rows_by_fours": (
        "cols % 4 == 0",
        {"x": "4*batch*cols*length@16", "row": "4*cols*length@16"},
    ),
    "axes_turned": (
        "a*b*c + nctaid.x*ntid.x <= 2**31",
        {"x": "4*a*b*c@4", "y": "4*a*b*c@4"},
    ),
    "batched_product_of_small": ("ntid.x <= 64", {"a": "64*batch@4"}),
    "behind_a_product": ("columns*own <= 2**63 - 1", {"y": "4*n - 4*columns*own@4"}),
    "between_neighbours": ("n >= 1", {"x": "min(4*((out + 4)//2), 4*n)@4", "y": "4*out@4"}),
    "bias_repeated_by_fours": ("width % 4 == 0", {"bias": "4*width@16"}),
    "bits_of_a_mask": (None, {"x": "4*n@4", "mask": "4*((n + 31)//32)@4"}),
    "bits_of_neighbours": (
        "64*nctaid.x <= n + 64",
        {"bits": "8*((n + 63)//64)*n + 8*nctaid.x - 8*((n + 63)//64)@8", "x": "4*n@4"},
    ),
    "block_on_a_diagonal": (
        "side*start + 15*side + start >= 0",
        {
            "x": "max(4*side*start + 4*ntid.x + 60*side + 4*start,"
            " 4*side*start + 4*ntid.x + 4*start)@4"
        },
    ),
    "block_sum_by_doubling": ("1024 % ntid.x == 0", {"x": "4*n@4"}),
    "bodies_by_tiles_of_a_block": (
        "n + ntid.x <= 2**31",
        {"body": "max(16*nctaid.x*ntid.x, 16*((n + ntid.x - 1)//ntid.x)*ntid.x)@16"},
    ),
    "borders_reflected": ("border + 1 <= n", {"x": "4*n@4", "y": "8*border + 4*n@4"}),
    "boxes_of_four_axes": (
        "depth >= 1",
        {"weights": "8*boxes@4", "y": "4*boxes*depth*height*width@4"},
    ),
    "bricks_in_turns": (
        "ntid.x + 33*ntid.y <= 296",
        {"x": "1024*nctaid.x + 4*ntid.x + 128*ntid.y - 1152@4"},
    ),
    "butterflies_by_bits": ("2**31 % n == 0", {"x": "8*(n//2)@4"}),
    "bytes_behind_groups": (None, {"in": "n@16", "out": "n@16"}),
    "bytes_of_permuted_threads": ("ntid.x <= 64", {"x": "4*n@4"}),
    "bytes_of_rows_by_fours": (
        "pitch % 4 == 0",
        {"x": "pitch*rows + 4*((width + 3)//4) - pitch@4", "sums": "4*((width + 3)//4)@4"},
    ),
    "cells_of_a_torus": (
        "height*width <= 2**31",
        {"x": "4*height*width@4", "y": "4*height*width@4"},
    ),
    "cells_between_nodes": (
        "nx*ny*nz + nx + ny + nz <= nx*ny + nx*nz + ny*nz + 2**32 + 1",
        {
            "node": "4*nx*ny*nz@4",
            "cell": "4*nx*ny*nz - 4*nx*ny - 4*nx*nz - 4*ny*nz + 4*nx + 4*ny + 4*nz - 4@4",
        },
    ),
    "cells_between_points": (
        "height >= 2",
        {"at": "8*n@8", "field": "4*height*width@4", "out": "4*n@4"},
    ),
    "cells_of_whole_steps": (
        "(h//step)*(w//step) <= 2**31 - 1",
        {"y": "4*(h//step)*(w//step)@4"},
    ),
    "channels_of_a_block": (
        "(channels//nctaid.x)*area <= 2**31 - 512",
        {
            "x": "4*(channels//nctaid.x)*area*nctaid.x + 4*area*channels*nctaid.y"
            " - 4*area*channels@4"
        },
    ),
    "chunks_behind_a_guard": ("chunk >= 1", {"x": "4*n@4", "y": "4*((n - 1)//chunk) + 4@4"}),
    "chunks_of_eight_bytes": ("length % 8 == 0", {"x": "chunks*length@8"}),
    "chunks_of_threads": ("nctaid.x*ntid.x*own <= 2**31", {"x": "4*n@4"}),
    "codes_of_four_bits_in_blocks": (
        None,
        {
            "blocks": "((n - 1)//2) + 4*((n - 1)//32) + 5@4",
            "y": "4*((n - 1)//2) + 64*((n - 1)//32) + 68@4",
        },
    ),
    "colours_from_a_palette": ("nctaid.x*ntid.x <= 2**31", {"palette": "64@4"}),
    "colours_of_fractions": ("nctaid.x*ntid.x <= 2**31", {"x": "4*n@4", "colours": "1024@4"}),
    "column_by_subtraction": (
        "cols >= 1",
        {"x": "min(4*cols, 4*n)@4", "y": "4*n@4"},
    ),
    "columns_for_rows_of_threads": ("ntid.y <= 8", {"x": "4*w@4"}),
    "columns_joined": ("first >= 0", {"x": "4*first*rows@4", "y": "4*rows*second@4"}),
    "columns_mirrored_twice": ("n >= 3", {"x": "4*n@4", "y": "4*n@4"}),
    "columns_of_up_to_eight": (
        "pitch >= 0",
        {"x": "min(4*n + 28*pitch, 4*height*pitch + 4*n - 4*pitch)@4"},
    ),
    "columns_scanned_from_either_end": (
        "pitch >= 0",
        {"x": "4*pitch*rows + 4*cols - 4*pitch@4", "y": "4*pitch*rows + 4*cols - 4*pitch@4"},
    ),
    "columns_solved": ("nctaid.x*ntid.x <= 2**31", {"u": "max(4*nx, 4*nx*ny)@4"}),
    "constant_weights_of_a_filter": ("nctaid.x*ntid.x <= 2**31 - 4", {"x": "4*n@4"}),
    "corner_of_a_tile": (
        "pitch >= 0",
        {"x": "min(60*pitch + 64, 4*n*pitch + 4*n - 4*pitch)@4", "y": "1024@4"},
    ),
    "corners_of_a_picture": (
        "width >= 1",
        {"x": "4*height*pitch + 4*width - 4*pitch@4", "y": "4*oh*ow@4"},
    ),
    "corners_of_padded_rows": (
        "pitch >= 0",
        {"in": "4*height*pitch + 4*width - 4*pitch@4"},
    ),
    "diagonal_of_a_table": (
        "nctaid.x*ntid.x <= 2**31 - 1",
        {"table": "4*m*n + 4*diagonal + 4@4", "b": "m@1"},
    ),
    "diagonal_of_packed_rows": (None, {"x": "4*((n*n + n)//2)@4"}),
    "differences_in_rows": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "max(4*columns*rows - 4*columns + 8, 4*columns*rows)@4", "y": "4*columns*rows@4"},
    ),
    "differences_of_rows_in_planes": ("width >= 1", {"x": "4*height*planes*width@4"}),
    "digits_of_all_passes": (
        "end <= begin + 32",
        {"bins": "1024*((end - begin + 7)//8)@4", "keys": "4*n@4"},
    ),
    "digits_of_a_pass": ("2**bits <= 256", {"keys": "4*n@4", "counts": "4*2**bits@4"}),
    "distances_of_pairs": ("ntid.y <= 17", {"distances": "4*((n*n - n)//2)@4", "x": "4*n@4"}),
    "distances_of_pairs_condensed": (
        "n*n <= 3*n + 2**31 - 3",
        {"x": "4*dim*n@4", "distances": "4*((n*n - n + 1)//2)@4"},
    ),
    "echo_of_a_ring": ("delay <= size", {"out": "4*n*nctaid.y@4"}),
    "edges_between_columns": (
        "nctaid.x*ntid.x <= 2**31",
        {"flow": "4*cols*rows - 4*rows@4", "x": "4*cols*rows - 4@4"},
    ),
    "edges_of_pitched_bytes": ("pitch >= 0", {"x": "height*pitch + width - pitch@1"}),
    "elements_drawn_at_random": (
        "elements >= 1",
        {"sample": "4*elements@4", "out": "4*n@4"},
    ),
    "elements_left_to_a_block": ("64*nctaid.x <= n + 64", {"x": "4*n@4", "y": "4*n@4"}),
    "embedding_of_tokens": (
        "length >= 1",
        {
            "out": "4*batch*channels*length@4",
            "token": "4*batch*length@4",
            "place": "4*channels*length@4",
        },
    ),
    "equal_keys_counted": ("nctaid.x*ntid.x <= 2**31", {"table": "4*n@4"}),
    "factors_of_pairs": (
        "nctaid.x*ntid.x <= 2**30",
        {"factor": "min(4*((n + 1)//2), 4*((scaled + 1)//2))@4", "y": "4*((n + 1)//2)@4"},
    ),
    "filter_of_three_loops": (
        "depth*height*width <= 2**31",
        {"weights": "108@4", "x": "4*depth*height*width@4"},
    ),
    "filtered_inside": (
        "side >= 0",
        {
            "x": "4*height*width@4",
            "weights": "4*side*side@4",
            "y": "4*side*side + 4*height*width - 4*height*side - 4*side*width + 4*height"
            " + 4*width - 8*side + 4@4",
        },
    ),
    "first_halves_of_rows": ("cols >= 0", {"x": "4*cols*rows + 4*(cols//2) - 4*cols@4"}),
    "flag_by_a_mask": ("nctaid.x*ntid.x <= 2**31", {"keys": "4*n@4", "table": "4*mask + 4@4"}),
    "flag_raised_in_a_loop": (None, {"y": "4*n@4"}),
    "fours_and_what_is_left": ("n >= 4", {"in": "4*n@16", "sum": "4*nctaid.x*ntid.x@4"}),
    "fours_packed_in_bytes": ("cols % 8 == 0", {"y": "(cols*nctaid.x)//2@4"}),
    "gate_on_a_bit": (
        "n >= 1",
        {"states": "16*((2**(n - 1) - 1)//2**bit)*2**bit + 16*2**bit@8"},
    ),
    "greatest_in_turn": ("columns >= 0", {"at": "4*count*nctaid.x@4"}),
    "greatest_in_turns": ("ntid.x <= 128", {"x": "4*n*nctaid.x@4"}),
    "greatest_of_columns": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*columns*rows@4", "at": "4*columns@4"},
    ),
    "greatest_of_windows": ("oh >= 1", {"x": "4*h*planes*w@4", "y": "4*oh*ow*planes@4"}),
    "groups_in_half_bytes": ("elements % 8 == 0", {"out": "(elements*groups)//2@4"}),
    "groups_of_channels": (
        "(channels//groups)*pixels + ntid.x <= 2**31",
        {"x": "4*(channels//groups)*nctaid.x + 4*channels*pixels - 4*channels@4"},
    ),
    "half_warp_rows_aligned": (
        "pitch >= 16",
        {"x": "4*((nctaid.x*ntid.x*pitch - pitch + 16)//16)@4"},
    ),
    "hash_insert": ("nctaid.x*ntid.x <= 2**31", {"keys": "4*n@4", "slots": "4*mask + 4@4"}),
    "haversine": ("nctaid.x*ntid.x <= 2**31", {"from": "16*n@16", "distance": "8*n@8"}),
    "heads_exchanged": (
        "parts >= 1",
        {
            "in": "4*hidden*length*nctaid.x + 4*(heads//parts)*(hidden//heads)*parts"
            " + 4*((nctaid.y - 1)//parts)*hidden + 4*(hidden//heads)*ntid.y"
            " - 4*(heads//parts)*(hidden//heads) - 4*hidden*length + 4*ntid.x"
            " - 4*(hidden//heads)@4"
        },
    ),
    "heads_packed_in_eights": ("width >= 1", {"row": "2*heads*nctaid.x*width@2"}),
    "heads_shared": (
        "shared >= 1",
        {
            "in": "max(4*(heads//parts)*(width//heads)*parts + 4*(width//heads)*ntid.y"
            " - 4*(heads//parts)*(width//heads) + 4*ntid.x - 4*(width//heads),"
            " 4*((nctaid.z - 1)//parts)*(width//heads)*others"
            " + 4*(((heads//parts)*parts + ntid.y - (heads//parts) - 1)//shared)*(width//heads)"
            " - 4*(width//heads)*others + 4*ntid.x + 4*width)@4"
        },
    ),
    "heads_that_share_keys": (
        "shared <= heads",
        {
            "k": "4*depth*length*nctaid.y*shared + 4*((nctaid.x - 1)//(heads//shared))*depth*length"
            " - 4*depth*length*shared + 4*depth*length@4"
        },
    ),
    "image_between_pixels": (
        "width >= 1",
        {"in": "4*height*width@4", "x": "4*n@4", "y": "4*n@4", "out": "4*n@4"},
    ),
    "image_blurred_with_clamps": ("h*w <= 2**31", {"x": "4*h*w@4"}),
    "image_enlarged": (
        "columns >= 1",
        {"x": "4*height*planes*width@4", "y": "4*columns*planes*rows@4"},
    ),
    "image_moved_over_zeros": ("h*w <= 2**31", {"x": "4*h*w@4"}),
    "image_scaled": ("height >= 1", {"in": "4*height*width@4"}),
    "index_of_three_axes": (
        "a*b*c <= 2**63 - 1",
        {"y": "4*n@4", "x": "4*((n - 1)//(a*b))*a + 4*a@4"},
    ),
    "keys_probed": ("mask <= 2**31 - 1", {"keys": "4*mask + 4@4", "values": "4*mask + 4@4"}),
    "largest_of_rows_by_warps": (
        "ntid.x <= 32",
        {"x": "4*ntid.x + 256*rows - 128@4", "columns": "4*picks*rows@4"},
    ),
    "left_neighbour_on_a_ring": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*n@4", "y": "4*n@4"},
    ),
    "lesser_of_two_heads": ("nctaid.x*ntid.x <= 2**31", {"x": "4*n@4", "y": "4*m@4"}),
    "letters_of_texts": ("start.min >= 0", {"text": "start.max@1", "found": "4*texts@4"}),
    "levels_of_bytes": ("nctaid.x*ntid.x <= 2**31", {"table": "256@4", "x": "n@1"}),
    "lists_followed": (
        "next.min >= 0",
        {"next": "max(4*next.max + 4, 4*next.min + 4, 4*n)@4"},
    ),
    "lists_that_end": ("next.min >= -1", {"x": "max(4*next.max + 4, 4*head.max + 4)@4"}),
    "loop_unrolled_by_eight": (
        "n*nctaid.x <= 2**31",
        {"x": "4*n*nctaid.x@4", "y": "4*rows@4"},
    ),
    "loop_unrolled_from_a_start": ("nctaid.x*ntid.x <= 2**31", {"x": "4*n@4", "y": "4*rows@4"}),
    "mask_of_rows_in_bytes": ("w <= 2**31 - 8", {"mask": "((w + 7)//8)*nctaid.y@1"}),
    "matrix_if_wanted": ("n <= 238609295", {"x": "12*n@4", "out": "36*n@4 or null"}),
    "nearest_by_tiles": ("n <= 2**30", {"points": "8*n@4", "xs": "4*rows@4"}),
    "neighbours_in_planes": ("n + width <= 2**31", {"weights": "36*planes@4", "y": "4*n@4"}),
    "neighbours_on_a_ring": ("nctaid.x*ntid.x <= 2**31", {"x": "4*n@4", "y": "4*n@4"}),
    "ninth_of_a_ring": ("n <= 2**31 - 6", {"y": "4*nctaid.x*ntid.x@4"}),
    "numba_range_loop": ("nctaid.x*ntid.x <= 2**32 - 1", {"x": "4*n@4"}),
    "numbers_in_both_rows": (
        "nctaid.x*ntid.x <= 2**31",
        {"a": "4*m*rows@4", "b": "4*n*rows@4", "count": "4*rows@4"},
    ),
    "numbers_kept_in_rows": (
        "n*rows <= 2**31",
        {"x": "4*n*rows@4", "kept": "4*n*rows@4", "count": "4*rows@4"},
    ),
    "one_weight_of_nine": ("n + shift <= 2**31", {"weights": "4*((n + shift + 8)//9)@4"}),
    "pairs_aligned_or_all": (
        "m*n >= -2**31",
        {"x": "4*n@4", "y": "max(4*n, 4*m)@4", "out": "4*m*n@4"},
    ),
    "pairs_at_a_distance": (
        "2**31 % apart == 0",
        {"x": "8*((nctaid.x*ntid.x - 1)//apart)*apart + 8*apart@4"},
    ),
    "pairs_at_doubled_distances": ("2**bits <= 2**30", {"x": "4*2**bits*nctaid.x@4"}),
    "pairs_of_pitched_rows": (
        "from >= 0",
        {
            "x": "4*((from*height + width - from)//2)@4",
            "y": "4*((height*to + width - to)//2)@4",
        },
    ),
    "part_of_an_image": (
        "cols*rows <= 2**31",
        {"in": "min(4*rows*width, 4*height*width)@4"},
    ),
    "parts_of_a_row_by_lanes": ("n >= 0", {"x": "4*n@4", "sums": "4*ntid.x@4"}),
    "parts_weighed_by_a_warp": (
        "parts >= 0",
        {"x": "4*parts*rows + 4*nctaid.x - 4*rows@4", "y": "4*nctaid.x@4"},
    ),
    "pass_over_whole_tiles": (
        "ntid.x <= 128",
        {"in": "min(4*n + 512, 1024*((n + 255)//256) + 4*ntid.x - 512)@4"},
    ),
    "permuted_by_reciprocals": ("plan.24 >= 0", {"y": "4*plan.36@4"}),
    "picture_on_a_screen": (
        "nctaid.x*ntid.x + left <= 2**31",
        {"screen": "4*columns*rows@4", "picture": "4*h*w@4"},
    ),
    "pixels_by_short_products": (
        "nctaid.x*ntid.x <= 2**32",
        {"x": "4*height*width@4", "y": "4*height*width@4"},
    ),
    "pixels_clamped_twice": ("width >= 1", {"in": "height*width@1"}),
    "pixels_from_those_above": ("c*h*w <= 2**31", {"x": "4*c*h*nctaid.z*w@4"}),
    "pixels_inside_of_a_map": (None, {"picture": "height*pitch + width - pitch@1"}),
    "pixels_to_channels": (
        "nctaid.x*ntid.x <= 2**30",
        {"x": "4*cols*planes*rows*s*s@4", "y": "4*cols*planes*rows*s*s@4"},
    ),
    "place_by_upper_bits": ("bits >= 0", {"keys": "4*n@4", "counts": "4*2**bits@4"}),
    "place_found_in_a_loop": (None, {"key": "4*n@4", "y": "4*n@4"}),
    "places_by_subtraction": (
        "size + stride <= 2**31",
        {"x": "4*size@4", "y": "4*n@4"},
    ),
    "places_by_sums_of_warps": ("ntid.x <= 256", {"x": "4*n@4"}),
    "places_in_a_tree": (None, {"key": "max(4*left.max + 4, 4*right.max + 4, 4)@4"}),
    "places_of_a_moving_square": (
        "w >= 8",
        {"y": "4*((h - 8)//step)*((w - 8)//step) + 4*((h - 8)//step) + 4*((w - 8)//step) + 4@4"},
    ),
    "planes_doubled": (
        "nctaid.x*ntid.x + n <= 2**31",
        {"x": "4*(((n - 1)//(2*width))//(2*height))*height*width + 4*height*width@4"},
    ),
    "planes_halved_with_mirrors": (
        "ow*step + 3 <= step + 2*w",
        {"x": "4*h*nctaid.y*w@4", "y": "4*nctaid.y*oh*ow@4"},
    ),
    "planes_last": (
        "height*planes*width <= 2**31 - 1",
        {"y": "4*((n - 1)//(height*planes*width))*height*planes*width + 4*height*planes*width@4"},
    ),
    "planes_moved": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*height*planes*width@4", "y": "4*height*planes*width@4"},
    ),
    "planes_pooled": (
        "rows >= 1",
        {"x": "4*(((n - 1)//columns)//rows)*height*width + 4*height*width@4"},
    ),
    "planes_reflected": ("right + 1 <= width", {"x": "4*height*nctaid.z*width@4"}),
    "planes_up_to_a_count": (
        "pitch >= 0",
        {"x": "min(4*n + 28*pitch, 4*pitch*planes + 4*n - 4*pitch)@4", "y": "4*n@4"},
    ),
    "product_by_fragments": (
        "k % 8 == 0",
        {
            "a": "32*((m + 15)//16)*k + 32*((k + 15)//16) - 2*k@16",
            "b": "32*((n + 15)//16)*k + 32*((k + 15)//16) - 2*k@16",
            "c": "64*((m + 15)//16)*n + 64*((n + 15)//16) - 4*n@16",
        },
    ),
    "product_of_the_sample": (
        "ntid.x <= 16",
        {
            "a": "64*nctaid.y*width + 4*ntid.y*width + 64*((width + 15)//16) + 4*ntid.x - 68*width"
            " - 64@4",
            "b": "64*((width + 15)//16)*columns + 4*columns*ntid.y + 64*nctaid.x + 4*ntid.x"
            " - 68*columns - 64@4",
        },
    ),
    "products_of_pairs": (
        "n*n + n <= 2**31 - 1",
        {"x": "4*((n*n + n)//2)@4", "y": "4*((n*n + n)//2)@4"},
    ),
    "rank_two_update_packed": (
        "n*n <= n + 2**31 - 1",
        {"a": "8*((n*n + n)//2)@8", "x": "8*n@8", "y": "8*n@8"},
    ),
    "ranks_of_digits": (
        "begin + 1 <= end",
        {"ranks": "2*nctaid.x*ntid.x@2", "keys": "4*n@4"},
    ),
    "rates_of_each_step": ("rates <= 40", {"weight": "max(12, 4*rates)@4"}),
    "records_of_a_grid": (
        "nctaid.y*width + nctaid.x + steps <= width + 2**28 + 1",
        {"record": "32*nctaid.y*width + 32*nctaid.x + 32*steps - 32*width - 32@4"},
    ),
    "residual_up_to_n": (
        "nctaid.x*ntid.x <= 2**31",
        {"out": "min(4*n + 4, 4*nctaid.x*ntid.x)@4"},
    ),
    "ring_read_backwards": (
        "head + 1 <= taps",
        {"ring": "4*channels*taps@4", "x": "4*channels*samples@4"},
    ),
    "roots_of_a_stage": ("stage <= 64", {"root": "8*2**stage@4", "x": "4*n@4"}),
    "row_by_lanes_from_a_start": ("n <= 2**31 - 128", {"x": "4*n@4", "y": "4*ntid.x@4"}),
    "row_kept_in_an_array": (
        "((n - 1)//ntid.x) <= 63",
        {"x": "4*n*nctaid.x@4", "y": "4*n*nctaid.x@4", "scale": "4*n@4"},
    ),
    "row_moved_to_its_start": ("start >= 0", {"x": "4*end - 4*start@4", "y": "4*end@4"}),
    "row_of_the_greatest": (
        "n*width <= 2**31",
        {"rows": "max(4*n*width - 4*n + 4, 4*n*width)@4"},
    ),
    "row_parted_from_both_ends": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*n*rows@4"},
    ),
    "row_repeated_on_both_sides": (
        "left + right + 1 <= n",
        {"x": "4*n - 4*left - 4*right@4", "y": "4*n@4"},
    ),
    "row_scaled_by_a_ring": ("n <= 2**31 - 128", {"weight": "4*m@4", "y": "4*n*nctaid.x@4"}),
    "rows_above_the_diagonal": (
        "n*n <= n + 2**32 - 1",
        {"a": "4*n*n - 4*n@4", "packed": "4*((n*n - n)//2)@4"},
    ),
    "rows_added_in_pairs": (
        "height*pitch + width <= 2**31",
        {
            "x": "8*((height + 1)//2)*pitch + 4*width - 4*pitch@4",
            "y": "4*((height + 1)//2)*width@4",
        },
    ),
    "rows_below_a_pivot": (
        "step + 1 <= side",
        {"factor": "4*side*side + 4*step - 4*side + 4@4"},
    ),
    "rows_by_subtraction": (
        "cols + ntid.x <= 2**31",
        {"x": "4*pitch*rows + 4*cols - 4*pitch@4", "y": "4*cols*rows@4"},
    ),
    "rows_by_warps_of_a_grid": (
        "ntid.x*ntid.y*ntid.z + 2048*nctaid.x <= 2**36 + 1024",
        {"x": "128*rows@4", "y": "128*rows@4"},
    ),
    "rows_copied_to_their_ends": (
        "pitch >= 0",
        {"x": "4*pitch*rows + 4*n - 4*pitch@4", "y": "4*pitch*rows + 4*n - 4*pitch@4"},
    ),
    "rows_counted_down": (
        "nctaid.x <= height",
        {"x": "4*height*width + 4*ntid.x - 4*width@4"},
    ),
    "rows_filled_by_a_pointer": (
        "nctaid.x*ntid.x <= 2**31",
        {"out": "4*cols*rows*width@4"},
    ),
    "rows_in_eight_parts": (
        "cols <= 2**31 - 256",
        {"x": "4*cols*rows + 1024*((cols + 255)//256) - 4*cols@4"},
    ),
    "rows_joined_in_a_loop": (
        "width >= 1",
        {"x": "4*columns*rows@4", "y": "4*rows*width - 4*columns*rows@4"},
    ),
    "rows_merged": (
        "m >= 0",
        {"a": "4*m*rows@4", "b": "4*n*rows@4", "merged": "4*m*rows + 4*n*rows@4"},
    ),
    "rows_moved_up": (
        "h*pitch + w <= pitch + 2**31",
        {"in": "4*h*pitch + 4*w - 4*pitch@4", "out": "4*h*pitch + 4*w - 8*pitch@4"},
    ),
    "rows_of_32_by_a_pitch": (
        "n*pitch <= pitch + 2**37 - 993",
        {"x": "4*((n + 31)//32)*pitch - 4*pitch + 128@4"},
    ),
    "rows_of_a_band": ("pitch >= 1", {"x": "8*n@8", "y": "8*n@8"}),
    "rows_of_a_power_of_two": (
        "2**bits*rows <= 2**31 - 1",
        {"a": "4*2**bits*rows@4", "out": "4*2**bits*rows@4"},
    ),
    "rows_of_a_short_table": ("rows <= 4", {"x": "4*n*rows@4"}),
    "rows_of_a_triangle": (
        "nctaid.x*ntid.x <= 2**31",
        {"a": "4*((n*n + n)//2)@4", "x": "4*n@4"},
    ),
    "rows_of_a_triangle_by_warps": ("nctaid.x*ntid.x <= 2**36", {"x": "4*n*n@4", "y": "4*n@4"}),
    "rows_of_copies": (
        "pitch % 4 == 0",
        {"in": "((threads - 1)//copies)*pitch + 8@4", "out": "((threads - 1)//copies)*pitch + 4@4"},
    ),
    "rows_of_eights_unrolled": ("cols % 8 == 0", {"in": "2*cols*rows@16"}),
    "rows_of_half_a_block": (
        "plane >= 0",
        {"out": "4*nctaid.x*ntid.z*plane + 8*ntid.y*width + 4*ntid.x - 4*plane - 4*width@4"},
    ),
    "rows_of_packed_thirds": (None, {"x": "4*((32*rows - 29)//3)*cols@4"}),
    "rows_of_warps_up_to_n": (
        "cols*n <= 2**31 - 128",
        {"in": "min(4*cols*n + 4*cols, 4*((ntid.x + 31)//32)*cols*nctaid.x)@4"},
    ),
    "rows_scaled_by_fours": (
        "cols % 4 == 0",
        {"x": "4*cols*rows@16", "gamma": "4*cols@16"},
    ),
    "rows_solved_backwards": (
        "n*n <= 2**31 + 1",
        {"x": "4*n*n - 4@4", "a": "4*n*n - 8@4"},
    ),
    "rows_sorted_by_merging": ("ntid.x <= 128", {"data": "4*nctaid.x*row@4"}),
    "rows_up_to_the_diagonal": (
        "side >= 1",
        {"x": "4*side*side*squares@4", "y": "4*side*side*squares@4"},
    ),
    "runs_expanded": (
        "nctaid.x*ntid.x <= 2**31",
        {"first": "4*runs@4", "values": "max(4*runs, 4)@4"},
    ),
    "runs_of_rows": (
        "n*rows <= 2**31",
        {"x": "4*n*rows@4", "values": "4*n*rows@4", "lengths": "4*n*rows@4"},
    ),
    "samples_between_pixels": ("height >= 1", {"image": "4*height*width@4"}),
    "samples_inside_an_image": ("height*width <= 2**31", {"image": "4*height*width@4"}),
    "samples_of_a_phase": ("down >= 0", {"x": "4*n@4", "h": "4*taps*up@4", "y": "4*outputs@4"}),
    "samples_of_blocks": ("size >= 4", {"y": "4*blocks*size - 14*blocks@2"}),
    "samples_of_each_channel": (
        None,
        {"x": "4*channels*samples*sums@4", "y": "4*channels*sums@4"},
    ),
    "scale_of_four_words": (
        "words <= 2**31 - 64",
        {"scale": "4*(words//4)*rows + 4*((words + 3)//4) - 4*(words//4)@4"},
    ),
    "scales_of_groups": (
        "group >= 1",
        {"scale": "4*(columns//group)*rows + 4*((columns - 32)//group) - 4*(columns//group) + 4@4"},
    ),
    "scales_of_groups_by_warps": (
        "cols <= 2**31 - 32",
        {"scale": "4*((cols + 31)//32)*rows@4"},
    ),
    "scales_of_groups_in_rows": (
        "rows <= 2**26",
        {"scale": "4*(columns//32)*rows + 4*(((columns//4) + 7)//8) - 4*(columns//32)@4"},
    ),
    "scan_of_quarter_segments": (
        "((ntid.x - 1)//(length//4))*(length//4) + (length//4) <= 128",
        {"x": "16*nctaid.x*ntid.x@16"},
    ),
    "scan_of_quarters": ("8*ntid.x + size <= 775", {"x": "4*nctaid.x*ntid.x@4"}),
    "scan_of_segments": (
        "((ntid.x - 1)//length)*length + length <= 128",
        {"x": "4*nctaid.x*ntid.x@4"},
    ),
    "sections_of_a_filter": (
        None,
        {
            "own": "min(64, 8*sections)@8",
            "state": "min(8*channels*sections - 8*sections + 64, 8*channels*sections)@8",
        },
    ),
    "sign_by_a_bit_of_the_block": ("nctaid.x <= 2**24", {"table": "256@4", "y": "12800@4"}),
    "signal_at_another_rate": (
        "up >= 1",
        {"x": "8*((down*n - down)//up) + 8@8", "weights": "4*taps*up@4"},
    ),
    "sines_of_upper_halves": ("nctaid.x*ntid.x <= 2**31", {"x": "2*n@2", "y": "4*n@4"}),
    "slots_of_a_thread": ("ntid.x <= 32", {"x": "4*n@4"}),
    "some_planes_kept": (
        "first + 1 <= behind",
        {"x": "4*(((n - 1)//pixels)//(behind - first))*pixels*planes + 4*behind*pixels@4"},
    ),
    "sort_of_tiles_by_pairs": (
        "256 % length == 0",
        {"in": "1024*nctaid.x + 4*ntid.x - 512@4"},
    ),
    "sparse_rows_checked": (
        "entries <= 2**31 - 4",
        {"column": "4*entries@4", "value": "4*entries@4"},
    ),
    "split_of_two_rows": (
        "2*m + 2*n <= 2**31 - 1",
        {"x": "4*n@4", "y": "4*m@4", "split": "min(4*parts + 4, 4*nctaid.x*ntid.x)@4"},
    ),
    "squares_left_of_a_triangle": ("ntid.x <= 64", {"y": "4*n@4"}),
    "squares_of_one_colour": (
        "columns >= 2",
        {"mine": "(columns//2)*rows@1", "other": "(columns//2)*rows@1"},
    ),
    "stage_of_a_transform": (
        "2**31 % done == 0",
        {
            "x": "4*n*nctaid.y@4",
            "y": "max(8*(((n//2) - 1)//done)*done + 4*n*nctaid.y + 8*done - 4*n, "
            "4*n*nctaid.y - 4)@4",
        },
    ),
    "state_if_there_is_one": (None, {"state": "4*nctaid.x*ntid.x@4 or null"}),
    "states_of_a_table": (None, {"next": "max(512*next.max + 2*text.max + 2, 2*text.max + 2)@2"}),
    "stencil_with_clamped_halo": ("height >= 1", {"in": "4*height*width@4"}),
    "steps_of_sequences": (
        "sequences >= 1",
        {"x": "4*(length//sequences)*channels*nctaid.x + 4*ntid.x - 4*channels@4"},
    ),
    "strips_up_to_the_last_row": (None, {"x": "4*height*pitch + 4*width - 4*pitch@4"}),
    "sum_by_a_given_stride": ("step >= 1", {"x": "4*cols*nctaid.x@4"}),
    "sums_behind_macroblocks": (
        "height*width <= 78375",
        {
            "sad": "max(4384*nctaid.y*width + 4384*nctaid.x - 4384*width,"
            " 4384*nctaid.y*width + 54800*height*width + 4384*nctaid.x - 4384*width - 2192)@2"
        },
    ),
    "sums_by_label_of_short_rows": (
        None,
        {"sums": "min(4*dims*label.max + 128, 4*dims*label.max + 4*dims)@4"},
    ),
    "sums_of_moving_windows": (
        "width <= n + 1",
        {
            "x": "max(4*n*rows + 4*width - 4*n, 4*n*rows)@4",
            "y": "max(4*n*rows - 4*rows*width + 4*rows + 4*width - 4*n,"
            " 4*n*rows - 4*rows*width + 4*rows)@4",
        },
    ),
    "sums_of_quads": ("k*m <= 2**33 + 3", {"a": "4*((k*m)//4)@4", "sum": "4*m@4"}),
    "sums_of_sixteen_rows": (
        "k*m <= 2**31",
        {"a": "64*((m + 15)//16)*k@4", "sum": "4*((m + 15)//16)*k@4"},
    ),
    "sums_of_sparse_rows": ("start.min >= 0", {"value": "4*start.max@4"}),
    "sums_of_the_last_block": ("cols*nctaid.x <= 2**31", {"part": "4*cols*nctaid.x@4"}),
    "sums_of_warps_behind_rows": (
        "rows >= 0",
        {"x": "4*nctaid.x*rows*width@4", "y": "4*nctaid.x@4"},
    ),
    "sums_over_a_triangle": (
        "degrees*degrees + 3*degrees <= 2**32 - 1",
        {
            "c": "4*((degrees*degrees + 3*degrees + 2)//2)@4",
            "values": "4*((degrees*degrees*n + 3*degrees*n)//2) + 4*n@4",
        },
    ),
    "taps_apart": ("h*w <= 2**31", {"x": "4*h*w@4", "y": "4*cols*rows@4"}),
    "taps_to_an_end": (
        "channels*taps <= 2**31 - 1",
        {"x": "4*channels*taps@4", "weight": "4*channels*taps@4"},
    ),
    "template_of_tile": ("17*ntid.x + ntid.y <= 289", {"out": "8*columns*rows@8"}),
    "third_behind_if_there": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*n + 16@4", "y": "4*n@4"},
    ),
    "thirds_in_turns": ("n <= 2**30 - 2", {"x": "4*n*nctaid.x + 4*nctaid.x@4"}),
    "thirds_interleaved": ("n <= 920350135", {"x": "4*n@4", "y": "4*((7*n - 4)//3)@4"}),
    "tile_by_short_products": (
        "pitch <= 2**23 - 1",
        {
            "x": "16*nctaid.y*pitch + 4*ntid.y*pitch + 32*nctaid.x + 4*ntid.x - 20*pitch - 32@4",
        },
    ),
    "tile_turned_by_any_block": (
        "32 % ntid.y == 0",
        {"x": "4*cols*rows@4", "y": "4*cols*rows@4"},
    ),
    "tiles_by_flat_threads": (
        "pitch >= 0",
        {"out": "64*nctaid.y*pitch + 4*((ntid.x + 15)//16)*pitch + 64*nctaid.x - 68*pitch@4"},
    ),
    "tiles_by_tickets": (
        "height*width <= 2**31",
        {"picture": "2*height*width@2", "ticket": "4@4"},
    ),
    "tiles_in_groups_of_any_size": (
        "m*n + 31*m + 31*n + 1024*nctaid.x <= 2**41 + 62",
        {"c": "4*m*pitch + 4*n - 4*pitch@4"},
    ),
    "tiles_in_groups_of_rows": ("nctaid.x <= 24", {"c": "512*((nctaid.x + 168)//8)@4"}),
    "tiles_in_layers": (
        "height >= 1",
        {"x": "4*((nctaid.z - 1)//((height + 3)//4))*height*width + 4*height*width@4"},
    ),
    "tiles_less_a_halo": (
        "halo <= 48",
        {
            "u": "max(4*n, 4*halo + 384*nctaid.x + 4*ntid.x - 8*halo*nctaid.x - 4*n - 384)@4",
            "v": "4*n@4",
        },
    ),
    "tiles_of_a_long_count": (
        "256*nctaid.x*per_thread <= n + 256*per_thread + 2**31",
        {"x": "4*n@4", "out": "4*n@4"},
    ),
    "tiles_of_a_ragged_group": (
        "nctaid.x <= 48",
        {"c": "max(512*((nctaid.x + 30)//2), 12288)@4"},
    ),
    "tiles_of_a_row_unrolled": ("n <= 2**31 - 32", {"x": "128*((n + 31)//32) + 4*ntid.x - 128@4"}),
    "tiles_of_an_antidiagonal": (
        "nctaid.x*width + 1 <= tiles*width + nctaid.x",
        {
            "score": "max(4*ntid.x*width + 64*tiles*width - 64*width + 4,"
            " 64*tiles*width + 4*ntid.x + 4)@4"
        },
    ),
    "tiles_of_rows_by_fours": (
        "stride % 4 == 0",
        {
            "c": "16*((ntid.x + 15)//16)*n + 256*n*nctaid.y + 4*nctaid.z*stride + 256*nctaid.x"
            " - 260*n - 4*stride@16"
        },
    ),
    "tiles_of_what_is_left": (
        "1024*first + 1024*nctaid.x <= n + 1024",
        {"x": "4*n@4", "y": "4*n@4"},
    ),
    "tiles_that_overlap": (
        "height*width <= 2**31",
        {"x": "4*height*width@4", "y": "4*height*width@4"},
    ),
    "transpose_swizzled_ragged": ("ntid.y <= 32", {"in": "4*n*n@4"}),
    "triangle_scaled_by_strides": ("pitch >= 0", {"x": "4*cols*pitch + 4*rows - 4*pitch@4"}),
    "triton_add_vectors": ("nctaid.x <= 2**22", {"x": "16*((n + 3)//4)@16"}),
    "values_of_parents": ("parent.min >= -1", {"x": "4*parent.max + 4@4"}),
    "vector_at_a_tested_address": (
        "first >= 0",
        {"x": "min(16*fours + 4, 4*first + 16*fours)@1"},
    ),
    "vector_of_any_step": (
        "step <= n*step + 2**31 - 1",
        {"x": "max(4*step + 4 - 4*n*step, 4*n*step - 4*step + 4)@4", "y": "4*n@4"},
    ),
    "waves_of_rows": ("cols*nctaid.x <= 2**31", {"y": "4*cols*nctaid.x@4"}),
    "weights_of_four_outputs": ("outs >= 1", {"w": "36*ins*outs@4", "y": "4*nctaid.z@4"}),
    "window_cut_at_both_ends": ("nctaid.x*ntid.x <= 2**31", {"in": "4*width@4", "out": "4*n@4"}),
    "windows_before_each_element": (None, {"x": "8*n@8", "y": "8*n@8"}),
    "windows_from_their_ends": (
        "nctaid.x*ntid.x <= 2**31",
        {"x": "4*n@4", "y": "4*n@4"},
    ),
    "windows_of_planes": ("width <= 2**31 - 2", {"x": "4*width@4", "y": "4*n@4"}),
    "windows_written_in_turn": (
        "width >= 1",
        {"y": "4*n*rows - 4*rows*width + 4*rows@4"},
    ),
    "words_behind_an_offset": ("left + offset <= 4", {"x": "16@16", "y": "16 - 4*offset@4"}),
    "words_of_bits_turned": (
        None,
        {
            "out": f"128*{ROWS}*nctaid.x + 4*{ROWS}*ntid.x - 128*{ROWS}@4",
        },
    ),
    "zigzag_by_a_table": ("ntid.x <= 64", {"y": "256*nctaid.x@4"}),
}
"""A requirement and sizes of buffers, none greater than it has to be."""


DYNAMIC = {
    "halves_at_a_distance": "4*apart + 4*ntid.x",
    "row_twice_in_shared": "8*n",
    "bias_kept_by_fours": "16*((cols + 3)//4)",
    "block_sum_by_doubling": "4*ntid.x",
    "greatest_in_turns": "max(4*n, 4)",
    "greatest_of_the_warps": "4*((ntid.x + 31)//32) + 4*n",
    "halves_of_warps": "128*((ntid.x + 31)//32)",
    "history_backwards": "4*ntid.x",
    "neighbour_in_dynamic_shared": "4*ntid.x",
    "rows_of_an_odd_pitch": "8*(n//2)*n + 8*n - 8*(n//2) - 4",
    "scan_of_warp_sums": "4*(ntid.x//32)",
    "stages_of_dynamic_shared": "4*ntid.x*stages",
    "sums_of_warps_behind_others": "4*((ntid.x + 15)//16)",
    "sums_of_warps_by_fours": "4*ntid.x",
    "sums_by_growing_strides": "8*ntid.x",
    "tree_rolled_back": "max(4*ntid.x, min(4*ntid.x + 4, 4*steps + 4))",
    "values_padded_to_fours": "16*((n + 3)//4)",
    "weights_of_a_group_staged": "4*(ins//groups)*(outs//groups)",
}
"""Bytes of dynamic shared memory, none greater than they have to be."""


@pytest.mark.parametrize("path", sampled(FILES, 12), ids=lambda path: path.stem)
def test_the_launch_of_a_kernel_meets_its_contract(path: Path) -> None:
    declared = contract_of(path)
    for subject in subjects(path):
        concrete = resolved([declared], subject.kernel).concrete(subject.kernel)
        assert check_launch(subject.result.contract(), concrete) == []


LONG = {  # as image_blurred_with_clamps and columns_joined are, and take as long as many others
    "greatest_of_windows",
    "rows_joined_in_a_loop",
    "stencil_with_clamped_halo",
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LONG else ()) for n in EXACT]
)
def test_a_requirement_is_no_stricter_than_it_has_to_be(name: str) -> None:
    """But for two they are held by default."""
    path = next(file for file in (*FILES, *COSTLY) if file.stem == name)
    (subject,) = subjects(path)
    need, sizes = EXACT[name]
    assert need is None or need in subject.result.needs
    assert {buffer: subject.result.buffers[buffer] for buffer in sizes} == sizes


@pytest.mark.parametrize("name", DYNAMIC)
def test_dynamic_shared_memory_ends_with_the_block(name: str) -> None:
    (subject,) = subjects(next(p for p in (*FILES, *COSTLY) if p.stem == name))
    assert subject.result.shared == DYNAMIC[name]


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
