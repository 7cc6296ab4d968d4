"""Fat binaries, and files that hold them, as the tests want them."""

from __future__ import annotations

import struct

LZ4, ZSTD = 0x2000, 0x8000
PTX, ELF = 1, 2


def image(
    data: bytes, *, kind: int = PTX, arch: int = 80, flags: int = 0, size: int | None = None
) -> bytes:
    """An image; ``size`` is that of the decompressed text, where it is compressed."""
    packed = flags & (LZ4 | ZSTD)
    header = 80 if packed else 64
    padded = data.ljust(-(-len(data) // 8) * 8, b"\0")
    head = struct.pack(
        "<HHIQIIHHIIIQQQ", kind, 0x101, header, len(padded), len(data) if packed else 0, 64, 0, 9,
        arch, 0, 0, flags | 0x11, 0, (size or 0) if packed else 0,
    )  # fmt: skip
    return head.ljust(header, b"\0") + padded


def fat_binary(*images: bytes) -> bytes:
    body = b"".join(images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def packed_with_lz4(text: bytes) -> bytes:
    """A block of LZ4: greedy, as long copies as there are of what stands before."""
    out, literals, at = bytearray(), bytearray(), 0
    places: dict[bytes, int] = {}
    while at < len(text):
        before = places.get(text[at : at + 4], -1)
        places[text[at : at + 4]] = at
        length, most = 0, len(text) - 5 - at if before >= 0 else 0
        while length < most and text[before + length] == text[at + length]:
            length += 1
        if length < 4 or at - before > 65535:
            literals.append(text[at])
            at += 1
            continue
        out += _sequence(literals, length - 4) + struct.pack("<H", at - before) + _more(length - 4)
        literals, at = bytearray(), at + length
    return bytes(out + _sequence(literals, 0))


def _sequence(literals: bytes, copied: int) -> bytes:
    token = min(len(literals), 15) << 4 | min(copied, 15)
    return bytes([token]) + _more(len(literals)) + literals


def _more(length: int) -> bytes:
    """The bytes of a length that does not fit in a token."""
    if length < 15:
        return b""
    return b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])
