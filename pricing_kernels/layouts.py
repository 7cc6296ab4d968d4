"""Layouts: where the elements of an array are in memory. A kernel reads them through a fragment, so
that its text is the same for each layout.

Records have several numbers. They lie together by element, as ``aos`` (an array of structures), or
by field, as ``soa`` (a structure of arrays). An array with *holes* has a flag for each element that
says whether it is there: ``all`` has none, ``holes`` a word for each element, ``bits`` a bit of a
word for each of 32.

Source: the thesis, chapter VI, section 3.3, "strategies of representation".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.link import Fragment

WORD: Final = 32  # flags in a word of ``bits``

_AOS: Final = """\
__device__ float field(const float* records, unsigned number, unsigned element, unsigned count)
{
    return records[FIELDS * element + number];
}
"""

_SOA: Final = """\
__device__ float field(const float* records, unsigned number, unsigned element, unsigned count)
{
    return records[number * count + element];
}
"""

_ALL: Final = """\
__device__ bool there(const unsigned* flags, unsigned element) { return true; }
"""

_HOLES: Final = """\
__device__ bool there(const unsigned* flags, unsigned element) { return flags[element] != 0; }
"""

_BITS: Final = """\
__device__ bool there(const unsigned* flags, unsigned element)
{
    return flags[element / 32] >> element % 32 & 1;
}
"""

FLAGS: Final[Mapping[str, tuple[Fragment, str]]] = {
    "all": (Fragment("no_flags", __file__, _ALL), "1"),
    "holes": (Fragment("flag_words", __file__, _HOLES), "count"),
    "bits": (Fragment("flag_bits", __file__, _BITS), f"(count + {WORD - 1})//{WORD}"),
}
"""By name, the fragment that reads a flag, and how many words there are of ``count`` elements."""


def records(layout: str, fields: int) -> Fragment:
    """The fragment that reads a field of a record."""
    text = {"aos": _AOS, "soa": _SOA}[layout]
    return Fragment(layout, __file__, text, {}, {"FIELDS": fields} if layout == "aos" else {})


def structures(layout: str, fields: int) -> str:
    """The layout in ptxlint's words; empty for what is no array of structures."""
    return f"aos:{','.join(['4'] * fields)}" if layout == "aos" else ""


def stored(numbers: NDArray[np.float32], layout: str) -> NDArray[np.float32]:
    """Numbers by field and element, as they lie in memory."""
    return np.ascontiguousarray(numbers.T if layout == "aos" else numbers).ravel()


def flagged(there: NDArray[np.bool_], flags: str) -> NDArray[np.uint32]:
    """The words that say which elements are there."""
    if flags == "all":
        return np.ones(1, np.uint32)
    if flags == "holes":
        return there.astype(np.uint32)
    padded = np.zeros(-(-len(there) // WORD) * WORD, np.uint8)
    padded[: len(there)] = there
    return np.packbits(padded, bitorder="little").view(np.dtype("<u4")).astype(np.uint32)
