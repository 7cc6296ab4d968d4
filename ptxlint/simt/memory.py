"""The memories of the SIMT machine: regions with bounds, separated by unmapped bytes.

A space is a list of pieces (buffers, arrays, parameters), each followed by at least ``GAP``
unmapped bytes, so an access past the end of an array is detected even where the hardware would
access a neighbour. Storage is packed: gaps cost nothing. Shared memory is stored once a CTA, local
memory once a thread.

A global address is its own generic address. Each other space counts from 0 and has a window of
generic addresses (PTX ISA 9.4, "Generic Addressing"); offsets inside a space differ from hardware.
A buffer of undeclared extent spans 4 GiB of addresses; of it, and of one of more than ``LARGEST``
bytes, the first ``DENSE`` bytes are stored, and each other page that is accessed, up to
``UNDECLARED`` bytes in all. Not supported: cluster windows, textures, memory allocated by a kernel.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from analyses.concrete.bitvectors import Array
from analyses.program import Region
from ptxlint.contracts.declaration import FLOAT_FORMATS
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch, PointerArgument
from ptxlint.ir import Kernel, KernelParameter, PtxInstr
from ptxlint.isa.row import TYPES
from ptxlint.syntax import ast
from ptxlint.syntax.initial_bytes import initial_bytes

Bytes = NDArray[np.uint8]

GAP = 256
UNDECLARED = 1 << 24
DENSE = 1 << 22
PAGE = 1 << 9  # bytes, by address: an aligned access lies in one
UNDECLARED_INSIDE = 1 << 12  # of a pointer to shared, local or constant memory
ENDING = ("shared", "local")
LARGEST = 1 << 30
MAX_BYTES = 1 << 32  # of one space
SLOT = 1 << 32
APART = 1 << 36  # bytes between buffers: more than the error of a wrapped 32-bit index
GLOBAL = range(0x6000_0000_0000, 0x7F00_0000_0000)
VARIABLES = 0x6800_0000_0000
FIRST_BUFFER = 0x7000_0000_0000
WINDOWS: Mapping[str, range] = {
    space: range(0x7F00_0000_0000 + i * SLOT, 0x7F00_0000_0000 + (i + 1) * SLOT)
    for i, space in enumerate(("shared", "local", "const", "param"))
}
WORDS: Mapping[int, type[np.unsignedinteger[Any]]] = {
    1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """``size`` bytes from the address ``base`` on; the first is byte ``start`` of the storage,
    which holds ``stored`` of them. If that is less, ``far`` maps the pages behind ``DENSE`` that
    were accessed to places in the storage, both counted in pages."""

    name: str
    base: int
    size: int
    start: int
    stored: int
    far: dict[int, int] = field(default_factory=dict, compare=False)

    def distance(self, address: int) -> int:
        """The bytes between an address and the piece."""
        return max(self.base - address, address - self.base - self.size + 1, 0)

    def places(self, addresses: Array, size: int) -> tuple[Array, Array]:
        """The place in the storage of each access; and true for each that lies in the piece."""
        offsets = addresses - np.uint64(self.base)
        inside = offsets < np.uint64(max(self.size - size + 1, 0))
        places: Array = offsets.view(np.int64)
        if self.stored < self.size:
            places = np.where(inside, places, 0)
            behind = places >= self.dense
            if behind.any():
                places[behind] = self._paged(places[behind], size)
        return places + self.start, inside

    def _paged(self, offsets: Array, size: int) -> Array:
        """The places of accesses behind the dense part, from the first byte. Raises MemoryError if
        the storage is full."""
        lead = self.base % PAGE
        pages, inner = np.divmod(offsets + lead, PAGE)
        if int(inner.max()) + size > PAGE:
            raise MemoryError(f"an access to {self.name} across two pages")
        distinct, which = np.unique(pages, return_inverse=True)
        for page in distinct.tolist():
            self.far.setdefault(page, DENSE // PAGE + len(self.far))
        if DENSE + len(self.far) * PAGE > self.stored:
            raise MemoryError(f"more than {self.stored:,} bytes of {self.name}")
        stored = np.array([self.far[page] for page in distinct.tolist()], np.int64)
        placed: Array = stored[which.reshape(-1)] * PAGE + inner - lead
        return placed

    @property
    def dense(self) -> int:
        """The bytes that are stored in order: all, or whole pages."""
        return self.size if self.stored == self.size else DENSE - self.base % PAGE

    def offset(self, place: int) -> int:
        """The offset from the base of a byte of the storage."""
        lead = self.base % PAGE
        slot, inner = divmod(place - self.start + lead, PAGE)
        page = next((page for page, stored in self.far.items() if stored == slot), slot)
        return page * PAGE + inner - lead


class Space:
    """One state space: pieces, stored once for each of ``instances``; ``skip`` is the offset of
    each lane's instance."""

    def __init__(self, name: str, pieces: Sequence[Piece], instances: int = 1) -> None:
        self.name = name
        self.pieces = sorted(pieces, key=lambda piece: piece.base)
        self.bases = [piece.base for piece in self.pieces]
        self.first_bytes = np.array(self.bases, np.uint64)
        self.stride = max((_align_up(piece.start + piece.stored) for piece in pieces), default=16)
        if self.stride * instances > MAX_BYTES:
            raise MemoryError(f"{self.stride * instances:,} bytes of {name} memory")
        self.storage: Bytes = np.zeros(self.stride * instances, np.uint8)
        self.skip: Array | None = None

    def inside(self, addresses: Array, size: int, lanes: Array | None) -> tuple[Array, Array]:
        """The place in the storage of each access; and true for each that lies in one piece."""
        found = bisect_right(self.bases, int(addresses[0])) - 1
        if found < 0:
            return self._inside_any(addresses, size, lanes)
        starts, inside = self.pieces[found].places(addresses, size)
        if len(self.pieces) > 1 and not inside.all():
            return self._inside_any(addresses, size, lanes)
        return self._placed(starts, lanes), inside

    def _inside_any(self, addresses: Array, size: int, lanes: Array | None) -> tuple[Array, Array]:
        starts = np.zeros(addresses.size, np.int64)
        inside = np.zeros(addresses.size, np.bool_)
        before = np.searchsorted(self.first_bytes, addresses, side="right")  # pieces, by address
        for number in np.flatnonzero(np.bincount(before)).tolist():
            if number:
                here = before == number
                starts[here], inside[here] = self.pieces[number - 1].places(addresses[here], size)
        return self._placed(starts, lanes), inside

    def _placed(self, starts: Array, lanes: Array | None) -> Array:
        if self.skip is None:
            return starts
        placed: Array = starts + (self.skip if lanes is None else self.skip[lanes])
        return placed

    def load(self, starts: Array, width: int) -> Array:
        """The words of ``width`` bits at these aligned places of the storage."""
        size = width // 8
        if size == 16:
            halves = self.storage.view(np.uint64)
            return np.stack((halves[starts >> 3], halves[(starts >> 3) + 1]))
        words: Array = self.storage.view(WORDS[size])[starts // size]
        return words

    def store(self, starts: Array, width: int, bits: Array) -> None:
        """If several lanes store one word, the last one wins."""
        size = width // 8
        if size == 16:
            halves = self.storage.view(np.uint64)
            halves[starts >> 3], halves[(starts >> 3) + 1] = bits
        else:
            self.storage.view(WORDS[size])[starts // size] = bits

    def nearest(self, address: int, used_as: str) -> tuple[str | None, int | None]:
        """The name of the piece nearest to an address used in space ``used_as``, and the distance
        from its start."""
        if used_as == "generic" and self.name != "global":
            address -= WINDOWS[self.name].start
        signed = address - (1 << 64) if address >> 63 else address
        piece = min(self.pieces, key=lambda piece: piece.distance(signed), default=None)
        return (None, None) if piece is None else (piece.name, signed - piece.base)

    def write(self, piece: Piece, data: Bytes) -> None:
        data = data[: piece.dense]
        self.storage[piece.start : piece.start + data.size] = data

    def read(self, piece: Piece) -> Bytes:
        return self.storage[piece.start : piece.start + piece.dense]


class Part(Struct, frozen=True, eq=False):
    """The accesses of so many bytes to one space: ``which`` of those requested (None: all), and
    their places."""

    space: Space
    which: Array | None
    starts: Array
    bytes: int

    def of(self, which: Array) -> Part:
        """The same accesses, where ``which`` were requested of others."""
        own = which if self.which is None else which[self.which]
        return Part(self.space, own, self.starts, self.bytes)

    def those(self, chosen: Array) -> Part:
        """The accesses for which ``chosen`` is true, as if no others were requested."""
        return Part(self.space, None, self.starts[chosen], self.bytes)


Watch = Callable[[PtxInstr, Part, Array | None, Sequence[Array]], None]
"""Called before an access with the lanes (None: all) and the words to be stored."""


class Refused(Struct, frozen=True, eq=False):
    """Faulting accesses: their kind, which of those requested, and the intended space."""

    kind: str
    which: Array
    space: Space | None
    bytes: int

    def of(self, which: Array) -> Refused:
        return Refused(self.kind, which[self.which], self.space, self.bytes)


class Memory:
    """All spaces of one launch. ``addresses`` gives each region's first byte in its own space."""

    def __init__(self, kernel: Kernel, launch: ConcreteLaunch) -> None:
        self.addresses: dict[Region, int] = {}
        self.watch: Watch | None = None
        self.lanes = 0
        self.buffers: list[Piece] = []
        pointed = {i: region for i, region in pointees(kernel, launch) if region.space in WINDOWS}
        own = (*kernel.regions, *(p.region for p in kernel.parameters), *pointed.values())
        regions = list(dict.fromkeys(own))
        by_space = {
            space: self._pieces([r for r in regions if r.space == space], launch.shared)
            for space in WINDOWS
        }
        variables = [region for region in regions if region.space == "global"]
        in_global = self._pieces(variables, UNDECLARED, VARIABLES)
        self._place_buffers(kernel, launch, in_global)
        buffers = list(self.buffers)
        self.homes = ["global"] * len(self.buffers)
        for i, region in pointed.items():
            here, self.homes[i] = by_space[region.space], region.space
            self.buffers[i] = next(p for p in here if p.base == self.addresses[region])
        self.spaces = {
            "global": Space("global", [*in_global, *buffers]),
            "const": Space("const", by_space["const"]),
            "param": Space("param", by_space["param"]),
        }
        self._per_cta, self._per_thread = by_space["shared"], by_space["local"]
        self.static_shared = sum(r.size or 0 for r in regions if r.space == "shared")
        self._initialise(kernel, launch)

    def _pieces(self, regions: Iterable[Region], open_size: int, base: int = 0) -> list[Piece]:
        """Pieces for regions one after the other; those of open extent share the place after the
        others."""
        pieces: list[Piece] = []
        start, shared_place = 0, None
        for region in sorted(regions, key=lambda r: r.size is None):
            if region.size is None and shared_place is not None:
                self.addresses[region] = shared_place
                continue
            base = _align_up(base, max(region.align, GAP))
            size = open_size if region.size is None else region.size
            pieces.append(Piece(region.name, base, size, start, size))
            self.addresses[region] = base
            if region.size is None:
                shared_place = base
            base, start = base + size + GAP, _align_up(start + size)
        return pieces

    def _place_buffers(
        self, kernel: Kernel, launch: ConcreteLaunch, before: Sequence[Piece]
    ) -> None:
        start = max((_align_up(piece.start + piece.stored) for piece in before), default=0)
        base = FIRST_BUFFER
        for i, (formal, buffer) in enumerate(zip(kernel.arguments, launch.arguments, strict=False)):
            if isinstance(buffer, Allocation):
                first = base + buffer.align % GAP
                start += first % 16  # a word that is aligned in memory is so in the storage
                size = base + SLOT - first if buffer.size is None else buffer.size
                stored = size if size <= LARGEST else UNDECLARED
                name = launch.names[i] if i < len(launch.names) else formal.name
                self.buffers.append(Piece(name, first, size, start, stored))
                base, start = _align_up(first + size, SLOT) + APART, _align_up(start + stored)

    def _initialise(self, kernel: Kernel, launch: ConcreteLaunch) -> None:
        given = [argument for argument in launch.arguments if isinstance(argument, Allocation)]
        for buffer, piece, home in zip(given, self.buffers, self.homes, strict=True):
            if buffer.data is not None and home in self.spaces:
                self.spaces[home].write(piece, buffer.data)
        buffers = dict(zip(launch.allocated, self.buffers, strict=True))
        param = self.spaces["param"]
        words = {formal.region: bytearray() for formal in kernel.parameters}
        for formal, argument in zip(kernel.arguments, launch.arguments, strict=False):
            value = argument
            if isinstance(argument, Allocation):
                value = buffers[formal.index].base
            elif isinstance(argument, PointerArgument):
                value = buffers[argument.base].base + argument.offset
            assert isinstance(value, int | float)
            end = formal.offset + formal.size
            words[formal.region][formal.offset : end] = argument_bytes(formal, value)
        for region, bytes_ in words.items():
            param.write(self._piece(param, region), np.frombuffer(bytes_, np.uint8))
        for region, (variable, declarator) in kernel.initials.items():
            if declarator.initial is not None and region.space in ("global", "const"):
                space = self.spaces[region.space]
                data = initial_contents(variable, declarator, self.addresses)
                space.write(self._piece(space, region), np.frombuffer(data, np.uint8))

    def _piece(self, space: Space, region: Region) -> Piece:
        return space.pieces[space.bases.index(self.addresses[region])]

    def contents(self) -> tuple[Bytes, ...]:
        """The bytes of each buffer, in the order of the arguments; a view, not a copy. Shared and
        local memory end with the run."""
        kept = zip(self.buffers, self.homes, strict=True)
        gone = np.zeros(0, np.uint8)
        return tuple(gone if at in ENDING else self.spaces[at].read(piece) for piece, at in kept)

    def begin_batch(self, cta: Array) -> None:
        """Fresh shared and local memory for lanes of these CTAs (numbered from 0)."""
        self.lanes = cta.size
        for name, pieces, instance in (
            ("shared", self._per_cta, cta),
            ("local", self._per_thread, np.arange(cta.size)),
        ):
            space = Space(name, pieces, int(instance[-1]) + 1)
            space.skip = instance.astype(np.int64) * space.stride
            self.spaces[name] = space

    def find(
        self, space: str, addresses: Array, size: int, align: int, lanes: Array | None
    ) -> tuple[list[Part], list[Refused]]:
        """The places of the accesses by ``lanes`` to these addresses, and the faulting ones."""
        if space != "generic":
            own = self.spaces[space]
            found = _in_space(own, addresses, size, align, lanes, None)
            if not found[1]:
                return found
            foreign = ~_within(GLOBAL, addresses) if space == "global" else _elsewhere(addresses)
            return _in_space(own, addresses, size, align, lanes, foreign)
        parts: list[Part] = []
        refused: list[Refused] = []
        unmapped = np.ones(addresses.size, np.bool_)
        for name, window in (("global", GLOBAL), *WINDOWS.items()):
            here = _within(window, addresses)
            if not here.any():
                continue
            unmapped &= ~here
            which = np.flatnonzero(here)
            local = addresses[which] - np.uint64(0 if name == "global" else window.start)
            users = which if lanes is None else lanes[which]
            for_these = _in_space(self.spaces[name], local, size, align, users, None)
            parts += [part.of(which) for part in for_these[0]]
            refused += [each.of(which) for each in for_these[1]]
        if unmapped.any():
            which = np.flatnonzero(unmapped)
            refused.append(Refused("address-space-mismatch", which, None, size))
        return parts, refused


def overlapping(launch: ConcreteLaunch, one: int, other: int, shift: int = 0) -> ConcreteLaunch:
    """The launch in which the buffer of the second parameter begins ``shift`` bytes into that of
    the first one; the same launch if the first points into that of the second."""
    first = launch.arguments[one]
    base, start = (first.base, first.offset) if isinstance(first, PointerArgument) else (one, 0)
    if base == other:
        return launch

    def moved(at: int, argument: Argument) -> Argument:
        if at == other:
            return PointerArgument(base, start + shift)
        if isinstance(argument, PointerArgument) and argument.base == other:
            return PointerArgument(base, start + shift + argument.offset)
        return argument

    arguments = tuple(moved(at, argument) for at, argument in enumerate(launch.arguments))
    return replace(launch, arguments=arguments)


def _in_space(
    space: Space,
    addresses: Array,
    size: int,
    align: int,
    lanes: Array | None,
    foreign: Array | None,
) -> tuple[list[Part], list[Refused]]:
    starts, inside = space.inside(addresses, size, lanes)
    misaligned = (addresses & np.uint64(align - 1)) != 0
    good = inside & ~misaligned
    if good.all():
        return [Part(space, None, starts, size)], []
    mismatch = np.zeros(inside.shape, np.bool_) if foreign is None else ~inside & foreign
    kinds = {
        "address-space-mismatch": mismatch,
        "misaligned-access": misaligned & ~mismatch,
        "out-of-bounds": ~inside & ~misaligned & ~mismatch,
    }
    refused = [
        Refused(kind, np.flatnonzero(lanes_), space, size)
        for kind, lanes_ in kinds.items()
        if lanes_.any()
    ]
    which = np.flatnonzero(good)
    return ([Part(space, which, starts[which], size)] if which.size else []), refused


def _within(window: range, addresses: Array) -> Array:
    within: Array = addresses - np.uint64(window.start) < np.uint64(len(window))
    return within


def _elsewhere(addresses: Array) -> Array:
    """True for generic addresses: in no space but global are addresses that high."""
    return _within(range(GLOBAL.start, max(w.stop for w in WINDOWS.values())), addresses)


def _align_up(place: int, align: int = 16) -> int:
    return -(-place // align) * align


def generic(region: Region, address: int) -> int:
    """The generic address of an address in a region's space."""
    return address if region.space == "global" else address + WINDOWS[region.space].start


# --- bytes of arguments and initial values


def pointees(kernel: Kernel, launch: ConcreteLaunch) -> Iterator[tuple[int, Region]]:
    """What the arguments that are memory point to, numbered, in the space that ``.ptr`` declares
    (PTX ISA 9.4, "Kernel Function Parameter Attribute: .ptr")."""
    pairs = zip(kernel.arguments, launch.arguments, strict=False)
    memory = ((formal, each) for formal, each in pairs if isinstance(each, Allocation))
    for i, (formal, each) in enumerate(memory):
        space = formal.pointer_space or "global"
        size = UNDECLARED_INSIDE if each.size is None else each.size
        yield i, Region(space, formal.name, size, each.align, parameter=True)


def argument_bytes(formal: KernelParameter, value: int | float) -> bytes:
    """The bytes of a parameter. A float in an untyped word is a float of that size."""
    kind = TYPES.get(formal.type, TYPES["b8"])
    if formal.size == kind.bits // 8 and (
        kind.floating or (isinstance(value, float) and kind.kind == "b")
    ):
        return struct.pack(FLOAT_FORMATS[formal.size], value)
    return (int(value) % (1 << (8 * formal.size))).to_bytes(formal.size, "little")


def initial_contents(
    variable: ast.Variable, declarator: ast.Declarator, addresses: Mapping[Region, int]
) -> bytes:
    """The initial contents of a module-scope variable. A name of none is the address 0."""
    symbols = {region.name: (region, base) for region, base in addresses.items()}

    def address(name: str, is_generic: bool) -> int:
        region, base = symbols.get(name, (None, 0))
        return generic(region, base) if region and is_generic else base

    found = initial_bytes(variable, declarator, address)
    if found is None:
        raise TypeError(f"no initial value: {declarator.initial!r}")
    return found
