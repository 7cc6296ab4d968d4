"""PTX in fat binaries, alone or in whatever file holds them: objects, libraries, archives,
executables.

A fat binary is a header and a series of images, each for an architecture: PTX, or code of a GPU.
Sections are not asked for: wherever a header of a fat binary stands, its images follow. The layout
is that of the files which ``fatbinary`` of CUDA 13.0 writes; all numbers are little-endian:

    header   magic u32 = 0xBA55ED50, version u16 = 1, bytes of the header u16, bytes of images u64
    image    kind u16, version u16, bytes of the header u32, bytes of the image u64, of which
             compressed u32, ..., architecture u32 at 28, flags u64 at 40, and
             decompressed bytes u64 at 56
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ptxlint.extraction.errors import ExtractionError
from ptxlint.extraction.lz4 import CutBlockError
from ptxlint.extraction.lz4 import decompressed as from_lz4
from ptxlint.reading import LARGEST
from ptxlint.source import Source

if TYPE_CHECKING:
    from mmap import mmap

MAGIC = struct.pack("<I", 0xBA55ED50)
HEADER = struct.Struct("<4sHHQ")
IMAGE = struct.Struct("<HHIQI8xI8xQ8xQ")
SHORTEST_IMAGE = 48
"""Bytes of the header of an image that is not compressed, at least."""

TARGET = re.compile(r"^\s*\.target\s+(\w+)", re.M)

PTX = 1
LZ4, ZSTD = 0x2000, 0x8000
BINARIES = (b"\x7fELF", MAGIC, b"!<arch>\n", b"MZ")
"""What files begin with in which fat binaries are looked for."""

SUFFIXES = (".fatbin", ".o", ".so", ".a")
"""The files of a folder in which they are looked for."""


class Image(Struct, frozen=True):
    """One image of a fat binary: where its bytes stand, and how many they are decompressed."""

    kind: int
    arch: int
    start: int
    size: int
    flags: int
    decompressed: int


def is_binary(data: bytes) -> bool:
    """True if a file that begins so may hold fat binaries."""
    return data.startswith(BINARIES)


def sources(path: str, data: bytes | mmap) -> list[Source]:
    """The PTX in a file, each text once, named as ``cuobjdump -xptx`` names it:
    ``libk.1.sm_80.ptx``. Raises ExtractionError where there is
    none, and for a broken image."""
    found: dict[str, Source] = {}
    place, total = Path(path), 0
    for number, image in enumerate((i for i in images(path, data) if i.kind == PTX), 1):
        total += image.decompressed
        if total > LARGEST:
            raise ExtractionError(path, f"more than {LARGEST >> 20} MiB of PTX")
        try:
            text = text_of(data, image)
        except ValueError as error:
            message = f"PTX image {number} cannot be decompressed: {error}"
            raise ExtractionError(path, message) from None
        target = TARGET.search(text)
        arch = target[1] if target else f"sm_{image.arch}"
        name = place.with_name(f"{place.stem}.{number}.{arch}.ptx")
        found.setdefault(text, Source(str(name), text, image=True))
    if not found:
        message = (
            "this is a compiled binary without PTX: build it with -gencode"
            " arch=compute_80,code=compute_80"
        )
        raise ExtractionError(path, message)
    return list(found.values())


def has_ptx(path: str, data: bytes | mmap) -> bool:
    """True if there is an image of PTX; also where the first image is broken, so that it is
    reported."""
    try:
        return any(image.kind == PTX for image in images(path, data))
    except ExtractionError:
        return True


def images(path: str, data: bytes | mmap) -> Iterator[Image]:
    """The images of all fat binaries in a file, in its order. Raises ExtractionError."""
    at = data.find(MAGIC)
    while at >= 0:
        end = at + 1
        if at + HEADER.size <= len(data):
            _, version, header, size = HEADER.unpack_from(data, at)
            if version == 1 and header == HEADER.size and size:
                end = at + header + size
                if end > len(data):
                    raise ExtractionError(
                        path, f"a cut fat binary: {end - len(data)} bytes are missing"
                    )
                yield from _images(path, data, at + header, end)
        at = data.find(MAGIC, end)


def _images(path: str, data: bytes | mmap, at: int, end: int) -> Iterator[Image]:
    while at + SHORTEST_IMAGE <= end:
        head = data[at : min(at + IMAGE.size, end)].ljust(IMAGE.size, b"\0")
        kind, _, header, size, compressed, arch, flags, whole = IMAGE.unpack(head)
        after = at + header + size
        if header < SHORTEST_IMAGE or after > end or compressed > size:
            raise ExtractionError(path, f"a broken fat binary: no image at byte {at}")
        packed = flags & (LZ4 | ZSTD)
        length = compressed if packed else size
        yield Image(kind, arch, at + header, length, packed, whole if packed else size)
        at = after


def text_of(data: bytes | mmap, image: Image) -> str:
    """The PTX of an image. Raises ValueError where it cannot be decompressed."""
    plain = data[image.start : image.start + image.size]
    if image.flags == LZ4:
        plain = from_lz4(plain, image.decompressed)
    elif image.flags:
        plain = from_zstd(plain, image.decompressed)
    return plain.rstrip(b"\0").decode("utf-8", "replace")


def from_zstd(packed: bytes, size: int) -> bytes:
    """Raises ValueError, also where nothing is installed that can."""
    try:
        import zstandard
    except ImportError:
        raise ValueError("it needs zstd, pip install 'ptxlint[zstd]'") from None
    try:
        if zstandard.frame_content_size(packed) > size:
            raise CutBlockError(f"more than {size} bytes")
        plain: bytes = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise CutBlockError(str(error)) from None
    if len(plain) != size:
        raise CutBlockError(f"{len(plain)} bytes, expected {size}")
    return plain
