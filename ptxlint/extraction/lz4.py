"""Decompression of one LZ4 block (LZ4 Block Format Description).

A block is a series of sequences: literals, then a copy of bytes that are up to 65,535 back. A token
holds both lengths, 4 bits each; 15 continues in bytes, up to one that is not 255.
"""

from __future__ import annotations

SHORTEST = 4
"""Bytes of the shortest copy."""


class CutBlockError(ValueError):
    """A block that ends early, or refers to bytes before its start."""


def decompressed(block: bytes, size: int) -> bytes:
    """The ``size`` bytes in a block. Raises CutBlockError, also where it has more or fewer."""
    out = bytearray()
    at = 0
    try:
        while at < len(block):
            token = block[at]
            literals, at = _length(block, at + 1, token >> 4)
            out += block[at : at + literals]
            at += literals
            if at == len(block):
                break
            distance = block[at] | block[at + 1] << 8
            copied, at = _length(block, at + 2, token & 15)
            _copy(out, distance, copied + SHORTEST, size)
    except IndexError:
        raise CutBlockError("it ends early") from None
    if len(out) != size or at != len(block):
        raise CutBlockError(f"{len(out)} bytes, expected {size}")
    return bytes(out)


def _length(block: bytes, at: int, nibble: int) -> tuple[int, int]:
    """A length, and the place behind it."""
    if nibble < 15:
        return nibble, at
    while (byte := block[at]) == 255:
        nibble, at = nibble + 255, at + 1
    return nibble + byte, at + 1


def _copy(out: bytearray, distance: int, length: int, size: int) -> None:
    """Appends bytes that stand so far back; a copy may overlap what it writes."""
    start = len(out) - distance
    if not distance or start < 0 or len(out) + length > size:
        raise CutBlockError("a copy from outside, or a longer one than is left")
    piece = out[start : start + min(distance, length)]
    out += (piece * (length // len(piece) + 1))[:length]
