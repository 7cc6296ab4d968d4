"""Arrays that a command line names: files of numpy, or generated ones.

``x=data.npy``, ``x=data.npz:name``, ``x=zeros``, ``x=arange:i4``, ``x=random:7:f8``. Generated
arrays fill the buffer that ``--buffer`` declares and hold 32-bit floats unless a type says
otherwise; random floats are in [0, 1). ``y[:8]:i4`` names a piece of an array. Pickled objects are
never read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from zipfile import BadZipFile

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ptxlint.errors import Error
from ptxlint.reading import reason
from ptxlint.simt.memory import Bytes

Array = NDArray[Any]

TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
PLAIN = "f4"
PIECE = re.compile(r"([\w$%.]+)(?:\[(-?\d*)(:?)(-?\d*)\])?(?::(\w+))?")


class ArrayError(Error, ValueError):
    """An array that cannot be had, in one line."""


class Input(Struct, frozen=True):
    """``text`` as it stood on the command line, for messages; ``source`` is a file or a word."""

    name: str
    text: str
    source: str
    rest: str

    @staticmethod
    def of(text: str) -> Input:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals or not value:
            raise ArrayError(f"--input {text}: expected NAME=FILE.npy or NAME=zeros, like x=x.npy")
        found = re.fullmatch(r"(.*\.npz):(\w+)|(.*\.np[yz])|([^:]*):?(.*)", value)
        assert found is not None
        source, rest = found[1] or found[3] or found[4], found[2] or found[5] or ""
        return Input(name, f"--input {name}={value}", source, rest)

    @property
    def generated(self) -> bool:
        return not self.source.endswith((".npy", ".npz"))

    def array(self, size: int | None) -> Array:
        """The array; ``size`` is the declared extent in bytes. Raises ArrayError."""
        return self._generated(size) if self.generated else self._read(size)

    def _read(self, size: int | None) -> Array:
        try:
            loaded = np.load(self.source, allow_pickle=False)
            array = loaded if isinstance(loaded, np.ndarray) else self._member(loaded)
        except ArrayError:
            raise
        except OSError as error:
            raise ArrayError(f"{self.text}: {reason(error)}") from None
        except (ValueError, EOFError, BadZipFile, MemoryError, KeyError):
            raise ArrayError(f"{self.text}: holds no array of numbers that can be read") from None
        return fitting(array, size, self.text)

    def _member(self, archive: Any) -> Array:
        names = list(archive.files)
        name = self.rest or (self.name if self.name in names else "")
        if not name and len(names) == 1:
            name = names[0]
        if name not in names:
            known = ", ".join(names[:8]) or "none"
            missing = f"no array {name or self.name}, there is {known}"
            raise ArrayError(f"{self.text}: {missing}; name one: {self.source}:NAME")
        array: Array = archive[name]
        return array

    def _generated(self, size: int | None) -> Array:
        makers: dict[str, Callable[[int, np.dtype[Any]], Array]] = {
            "zeros": np.zeros,
            "ones": np.ones,
            "arange": lambda n, kind: np.arange(n).astype(kind),
            "random": lambda n, kind: randoms(n, kind, seed),
        }
        if self.source not in makers:
            raise ArrayError(f"{self.text}: expected a file .npy or .npz, or one of"
                             f" {', '.join(makers)}")  # fmt: skip
        seed, rest = 0, self.rest
        if self.source == "random":
            word, _, rest = rest.partition(":")
            if not word.isdecimal():
                raise ArrayError(f"{self.text}: expected random:SEED, like random:1 or random:1:f8")
            seed = int(word)
        if size is None:
            raise ArrayError(f"{self.text}: how long? Give --buffer {self.name}=BYTES too")
        kind = dtype_of(rest or PLAIN, self.text)
        if size % kind.itemsize:
            raise ArrayError(f"{self.text}: {size} bytes are no whole number of {kind.name}")
        try:
            return makers[self.source](size // kind.itemsize, kind)
        except MemoryError:
            raise ArrayError(f"{self.text}: no memory for {size} bytes") from None


class GivenArray(Struct, frozen=True):
    """A given array, for the parameter of that name."""

    name: str
    values: Array

    @property
    def text(self) -> str:
        return f"array {self.name}"

    def array(self, size: int | None) -> Array:
        """The array; ``size`` is the declared extent in bytes. Raises ArrayError."""
        return fitting(np.asarray(self.values), size, self.text)


def fitting(array: Array, size: int | None, text: str) -> Array:
    """The array as a machine holds it. Raises ArrayError unless it holds numbers, and fits."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ArrayError(f"{text}: holds {array.dtype}, expected numbers of up to 8 bytes")
    if size is not None and array.nbytes != size:
        raise ArrayError(f"{text}: has {array.nbytes} bytes, expected {size}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def randoms(number: int, kind: np.dtype[Any], seed: int) -> Array:
    generator = np.random.default_rng(seed)
    if kind.kind == "f":
        return generator.random(number).astype(kind)
    limits = np.iinfo(kind)
    return generator.integers(limits.min, limits.max, number, kind.type, endpoint=True)


def dtype_of(word: str, text: str) -> np.dtype[Any]:
    if word not in TYPES:
        raise ArrayError(f"{text}: {word} is no type, expected one of {' '.join(TYPES)}")
    return np.dtype(word)


class ArrayPiece(Struct, frozen=True):
    """``y[:8]:i4``: a piece of a buffer and how its bytes are read."""

    name: str
    label: str
    slice: slice
    type: str

    @property
    def text(self) -> str:
        return f"--print {self.label}"

    @staticmethod
    def of(text: str) -> ArrayPiece:
        found = PIECE.fullmatch(text.strip())
        if found is None:
            raise ArrayError(f"--print {text}: expected NAME, NAME[0:8] or NAME[0:8]:TYPE")
        name, low, colon, high, kind = found.groups()
        first, last = (int(word) if word else None for word in (low, high))
        if low and not colon:
            last = None if first == -1 else int(low) + 1
        return ArrayPiece(name, text.strip(), slice(first, last), kind or "")

    def kind(self, plain: np.dtype[Any]) -> np.dtype[Any]:
        """The type of its elements. Raises ArrayError."""
        return dtype_of(self.type, self.text) if self.type else plain

    def inside(self, size: int, plain: np.dtype[Any]) -> None:
        """Raises ArrayError unless a buffer of so many bytes has elements there."""
        count = size // self.kind(plain).itemsize
        if self.slice != slice(None, None) and not range(count)[self.slice]:
            elements = "1 element" if count == 1 else f"{count} elements"
            raise ArrayError(f"{self.text}: nothing is there, {self.name} has {elements}")

    def read(self, data: Bytes, plain: np.dtype[Any]) -> Array:
        return viewed(data, self.kind(plain))[self.slice]


def viewed(data: Bytes, kind: np.dtype[Any]) -> Array:
    """The bytes as whole elements; what is left over at the end is left out."""
    return data[: data.size // kind.itemsize * kind.itemsize].view(kind)
