"""The assumptions of the analyses about a launch: ranges of special registers and parameters, the
regions of pointers, sizes and conditions as polynomials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations

from msgspec import Struct

from analyses.domains.strided_interval import StridedInterval, interval
from analyses.domains.uniformity import Level
from analyses.hardware import WARP
from analyses.loaded_ranges import Content
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case
from analyses.program import Region
from analyses.scalar_evolution import SymbolicValues
from ptxlint.contracts.declaration import Range, Triple, extreme
from ptxlint.contracts.expression import ExpressionError, known, polynomial
from ptxlint.contracts.expression import interval as interval_of
from ptxlint.contracts.grids import few, grid_limits
from ptxlint.contracts.launch import EXTENTS, MAX_GRID, SHAPE, Extent, Launch
from ptxlint.contracts.powers import powers
from ptxlint.contracts.reciprocals import reciprocals
from ptxlint.contracts.tables import tables
from ptxlint.ir import Kernel, KernelParameter


def pointers(kernel: Kernel, launch: Launch) -> Iterator[tuple[str, Region]]:
    """The regions of pointer parameters, under the user's names."""
    for parameter in kernel.words:
        if parameter.index in launch.interior:
            base = kernel.arguments[launch.interior[parameter.index].base]
            yield parameter.word, target(base, launch)
        elif launch.is_pointer(parameter):
            yield parameter.word, target(parameter, launch)


def target(parameter: KernelParameter, launch: Launch) -> Region:
    name = parameter.name
    if parameter.index < len(launch.names):
        name = launch.names[parameter.index]
    space = parameter.pointer_space or "global"
    extent = launch.buffers.get(parameter.index)
    if extent is None:
        return Region(space, name, None, parameter.pointer_align or 1)
    return Region(space, name, extent.bytes.low, extent.align)


def specials(kernel: Kernel, launch: Launch) -> Iterator[tuple[str, StridedInterval]]:
    """Ranges of special registers and integer parameters."""
    grid = dict(zip(EXTENTS, MAX_GRID, strict=True))
    for extent, most in (*grid_limits(launch.conditions), *formula_limits(kernel, launch)):
        grid[extent] = max(1, min(most, grid[extent]))  # no launch meets a limit below 1
    threads = [min(most, launch.max_threads) for most in launch.largest]
    shapes = ("tid", launch.block, threads), ("ctaid", launch.grid, [*grid.values()])
    for index, declared, largest in shapes:
        for axis, low, high in zip("xyz", declared or (1, 1, 1), declared or largest, strict=True):
            yield f"n{index}.{axis}", interval(32, low, high)
            yield f"{index}.{axis}", interval(32, 0, high - 1)
    yield "laneid", interval(32, 0, WARP - 1)
    limited = few(launch.conditions)
    for parameter in kernel.words:
        value = launch.values.get(parameter.index)
        if parameter.index in launch.interior:
            value = launch.interior[parameter.index].offset.bytes
        if parameter.index in launch.counts:
            value = Range(0, launch.most(parameter))
        if parameter.name in limited and not isinstance(value, (int, float)):
            value = counted(parameter, launch, value, *limited[parameter.name])
        if isinstance(value, Range) and parameter.size in (1, 2, 4, 8):
            width = 8 * parameter.size
            if value.high - value.low + 1 == 1 << width:
                continue  # declares nothing
            yield parameter.word, interval(width, value.low, value.high)


def formula_limits(kernel: Kernel, launch: Launch) -> Iterator[tuple[str, int]]:
    """The extents of the grid that are declared as formulas, each with a number than which it is
    not greater. An integer that is not declared may be read as a signed or an unsigned one."""
    ranges = {name: (extent, extent) for name, extent in shape_of(launch.block)}
    for parameter in kernel.arguments:
        said = launch.values.get(parameter.index)
        whole = 2 ** (8 * min(parameter.size, 8))
        least = 0 if parameter.index in launch.counts | launch.unsigned else -whole // 2
        ranges[parameter.name] = (
            (said.low, said.high) if isinstance(said, Range) else (least, whole - 1)
        )
    for extent, size in launch.formulas.items():
        with suppress(ExpressionError, KeyError):  # one that may be too great, or has no value
            yield extent, interval_of(size, lambda name: ranges[name])[1]


def shape_of(block: Triple | None) -> Iterator[tuple[str, int]]:
    """The extents of a declared block."""
    yield from () if block is None else zip(AXES, block, strict=True)


def counted(
    parameter: KernelParameter, launch: Launch, value: Range | None, high: int, low: int | None
) -> Range | None:
    """The range of an integer parameter that conditions limit; as it is ``value`` if its least
    value may be negative."""
    if low is None and (parameter.index in launch.unsigned or parameter.index in launch.counts):
        low = 0
    if low is None or parameter.type.startswith("f"):
        return value
    if value is not None:
        low, high = max(low, value.low), min(high, value.high)
    return Range(low, high) if low <= high else value


def levels(launch: Launch) -> Iterator[tuple[str, Level]]:
    """Thread coordinates that a known block fixes, or that a warp shares."""
    if launch.block is None:
        return
    x, y, z = launch.block
    rows = x % WARP == 0
    for axis, extent, shared in (
        ("x", x, False),
        ("y", y, rows),
        ("z", z, rows or x * y % WARP == 0),
    ):
        if extent == 1:
            yield f"tid.{axis}", Level.GRID
        elif shared:
            yield f"tid.{axis}", Level.WARP


# --- as polynomials

AXES = tuple(f"ntid.{axis}" for axis in "xyz")


class Terms(Struct, frozen=True):
    """Names are those of the PTX: ``k_param_2``, ``ntid.x``."""

    kernel: Kernel
    launch: Launch
    symbolic: SymbolicValues

    def named(self, name: str) -> Polynomial | None:
        if name in SHAPE:
            return self.symbolic.named(name, 32)
        owner, end = extreme(name) or (name, None)
        for parameter in self.kernel.words:
            if parameter.name == owner:
                word, width = parameter.word, 8 * parameter.size
                return self.symbolic.named(word if end is None else f"{word}.{end}", width)
        return None

    def combined(self, symbol: str, parts: list[Polynomial]) -> Polynomial | None:
        integers = self.symbolic.integers
        if symbol == "//":
            (low, _), (least, _) = parts[0].range(), parts[1].range()
            rounds_down = parts[1].constant is not None or low >= 0
            if least > 0 and rounds_down:
                return integers.quotient(parts[0], parts[1])
            divided = None if parts[1].constant is not None else integers.launch_quotient(*parts)
            return None if divided is None else Polynomial.of(divided)
        if symbol == "**":
            return integers.power_of_two(parts[1]) if parts[0].constant == 2 else None
        if symbol == "min":
            return -integers.choice("max", tuple(Case(-part) for part in parts), greatest=True)
        return integers.choice("max", tuple(Case(part) for part in parts), greatest=True)

    def limits(self) -> Iterator[Inequality]:
        """The inequalities of every launch: its conditions, non-negative sizes, and the threads of
        a block."""
        for condition in self.launch.conditions:
            declared = dict(powers([condition]))
            for name, most in declared.items():
                if (power := self.named(name)) is not None:
                    yield from (Inequality(power - 1, name), Inequality(-power + most, name))
            for fact in () if declared else known(condition, self.named, self.combined):
                yield Inequality(fact, condition)
        for one in reciprocals(self.launch.conditions):
            if (divisor := self.named(one.divisor)) is not None:
                yield Inequality(divisor - 1, one)  # else the product would not be positive
        for index, into in self.launch.interior.items():
            size = self.size(into.offset)
            formal = self.kernel.arguments[index]
            offset = self.symbolic.named(formal.word, 8 * formal.size)
            if size is not None:
                yield from (Inequality(offset - size, into), Inequality(size - offset, into))
        for extent in (*self.launch.buffers.values(), self.launch.shared):
            size = self.size(extent) if extent is not None else None
            if size is not None and size.range()[0] < 0:
                yield Inequality(size, extent)
        if self.launch.block is None:
            axes = [axis for axis in AXES if (axis, 32) in self.symbolic.specials]
            for count in range(2, len(axes) + 1):
                for chosen in combinations(axes, count):
                    threads = Polynomial.of(1)
                    for axis in chosen:
                        threads = threads * self.symbolic.named(axis, 32)
                    yield Inequality(-threads + self.launch.max_threads, "the threads of a block")

    def size(self, extent: Extent) -> Polynomial | None:
        if extent.size is None:
            return None
        return polynomial(extent.size, self.named, self.combined)

    def extents(self, pointers: Mapping[str, Region]) -> dict[Region, Polynomial]:
        """The sizes that depend on the launch. One that is no polynomial is a number of its own."""
        sized = [
            (pointers[self.kernel.arguments[index].word], extent)
            for index, extent in self.launch.buffers.items()
        ]
        if self.launch.shared is not None:
            sized += [(region, self.launch.shared) for region in self.kernel.regions
                      if region.space == "shared" and region.size is None]  # fmt: skip
        found = {}
        for region, extent in sized:
            if not extent.bytes.single:
                opaque = Symbol(region.name, extent.bytes.low, extent.bytes.high)
                found[region] = self.size(extent) or Polynomial.of(opaque)
        return found

    def contents(self, pointers: Mapping[str, Region]) -> dict[Region, Content]:
        """The declared value ranges of buffers, for words at multiples of their size; and those of
        tables of the module."""
        declared = [
            (index, extent.aligned_range, False)
            for index, extent in self.launch.buffers.items()
            if extent.aligned_range is not None
        ]
        assumed = [(index, held, True) for index, held in self.launch.contents.items()]
        found = dict(tables(self.kernel, self.symbolic)) if self.launch.tables else {}
        for index, held, in_bounds in (*declared, *assumed):
            low, high = (polynomial(e, self.named, self.combined) for e in (held.low, held.high))
            region = pointers[self.kernel.arguments[index].word]
            found[region] = Content(held.bits, held.signed, low, high, in_bounds)
        return found


def names_of(kernel: Kernel, launch: Launch, symbolic: SymbolicValues) -> dict[Symbol, str]:
    """The symbols that the launch decides as a whole, and what the user calls them."""
    called = {name: name for name in SHAPE}
    widths = dict.fromkeys(SHAPE, 32)
    for parameter in kernel.words:
        for end in ("", ".min", ".max"):
            called[f"{parameter.word}{end}"] = f"{launch.names[parameter.index]}{end}"
            widths[f"{parameter.word}{end}"] = 8 * parameter.size
    found = {
        symbol: called[name]
        for (name, width), word in symbolic.specials.items()
        if name in called and widths[name] == width and (symbol := word.alone) is not None
    }
    integers = symbolic.integers
    quotients = (*integers.parts_of_launch, *integers.launch_quotients.values())
    for symbol in (*integers.powers.values(), *quotients):
        if symbol.parts - {symbol} <= found.keys():
            found[symbol] = symbol.text(found)
    return found
