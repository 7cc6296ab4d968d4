"""Names: registers, variables and labels by scope.

PTX scopes nest with braces; a name hides the same name further out (PTX ISA, "State spaces" and
"Identifiers"). ``.reg .b32 %r<5>`` declares %r0 to %r4 without listing them.
"""

from __future__ import annotations

import re
from math import prod

from analyses.program import Constant, Region, Special, Value
from ptxlint.isa.row import TYPES
from ptxlint.syntax import ast, initial_values

NUMBERED = re.compile(r"(.*?)(\d+)$")
MAX_DIGITS = 12  # of a register number

NUMBERED_SPECIAL = re.compile(r"pm[0-7](_64)?|envreg(?:\d|[12]\d|3[01])|reserved_smem_offset_\d")
SPECIAL_64 = frozenset({"clock64", "globaltimer", "gridid", "current_graph_exec"})
AXES = "tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid"
PLAIN = """
    laneid warpid nwarpid smid nsmid clock clock_hi globaltimer_lo globaltimer_hi
    lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt
    is_explicit_cluster cluster_ctarank cluster_nctarank
    dynamic_smem_size total_smem_size aggr_smem_size
    reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap
"""
PREDICATES = frozenset({"is_explicit_cluster"})
SPECIALS = (
    frozenset(f"{name}.{axis}" for name in AXES.split() for axis in "xyz")
    | SPECIAL_64
    | frozenset(PLAIN.split())
)


def special(name: str) -> Special | Constant | None:
    """The special register of that name, or None. ``%tid`` without a member is its x, and the
    fourth element of a vector is 0 (PTX ISA 9.4, "Special Registers")."""
    bare = name.removeprefix("%")
    if not name.startswith("%"):
        return None
    if f"{bare}.x" in SPECIALS:
        bare += ".x"
    if bare in SPECIALS:
        return Special(bare, 64 if bare in SPECIAL_64 else 1 if bare in PREDICATES else 32)
    if bare.removesuffix(".w") in AXES.split():
        return Constant(32, 0)
    if found := NUMBERED_SPECIAL.fullmatch(bare):
        return Special(bare, 64 if found[1] else 32)
    return None


def size_in_bytes(type_name: str, vector: str | None, shape: tuple[int | None, ...]) -> int | None:
    """Bytes of a variable; None where an extent is left open, as in ``extern .shared x[]``."""
    extents = [extent for extent in shape if extent is not None]
    return None if len(extents) < len(shape) else element_bytes(type_name, vector) * prod(extents)


def element_bytes(type_name: str, vector: str | None) -> int:
    """Bytes of one element of an array; an opaque type, such as ``texref``, has 8."""
    element = TYPES[type_name].bits // 8 if type_name in TYPES else 8
    return element * (int(vector[1:]) if vector else 1)


DECLARED = frozenset(f"{kind}{bits}" for kind in "usb" for bits in (8, 16, 32, 64)).union(
    ["b128", "f16", "f16x2", "f32", "f64", "pred", "texref", "samplerref", "surfref"]
)
"""The types of variables (PTX ISA 9.4, "Fundamental Types"); the others are an instruction's."""
MOST_PARAMETERS = 4096  # that one declaration of .param p<N> makes


def mistake(
    type_name: str,
    shape: tuple[int | None, ...],
    count: int | None = None,
    align: int | None = None,
) -> str | None:
    """The error in a declaration, if any: an unknown type, a negative number, an alignment."""
    if type_name not in DECLARED:
        return f"found .{type_name}, expected the type of a variable"
    if any(extent is not None and extent < 0 for extent in shape):
        return "the array has a negative extent"
    if count is not None and count < 0:
        return f"expected a count, found {count}"
    if align is not None and (align < 1 or align & (align - 1)):
        return f".align {align}: expected a power of two"
    return None


def mistake_of(variable: ast.Variable, declarator: ast.Declarator) -> str | None:
    """The error in a declaration of a variable, if any."""
    found = mistake(variable.type, declarator.shape, declarator.count, variable.align)
    if found is None and overfull(variable, declarator):
        found = "more initial values than elements"
    return found


def overfull(variable: ast.Variable, declarator: ast.Declarator) -> bool:
    """True if a list of initial values has more than what it initialises, or initialises one
    word. A row of several dimensions is a list of its own, as ptxas has it."""
    initial = declarator.initial
    if not isinstance(initial, str | tuple):
        return False
    elements = (int(variable.vector[1:]),) if variable.vector else ()
    extents = (*declarator.shape, *elements)
    if isinstance(initial, str):
        count = initial.count(",") + 1
        return not extents or (extents[0] is not None and count > extents[0])
    return _beyond(initial, extents)


def _beyond(values: tuple[ast.Initial, ...], extents: tuple[int | None, ...]) -> bool:
    if not extents or (extents[0] is not None and len(values) > extents[0]):
        return True
    return any(_beyond(one, extents[1:]) for one in values if isinstance(one, tuple))


def region_of(variable: ast.Variable, declarator: ast.Declarator) -> Region:
    shape = declarator.shape
    if shape and shape[0] is None and declarator.initial is not None:
        shape = (len(initial_values(declarator)), *shape[1:])  # int x[] = {1, 2, 3};
    size = size_in_bytes(variable.type, variable.vector, shape)
    align = variable.align or element_bytes(variable.type, variable.vector)
    return Region(variable.space, declarator.name, size, align)


Meaning = Value | Region


class Names:
    """The names of one scope; other names are looked up in the enclosing scope."""

    def __init__(self, outer: Names | None = None) -> None:
        self.outer = outer
        self._names: dict[str, Meaning] = {}
        self._elements: dict[Meaning, int] = {}  # bytes of an element of a variable
        self._ranges: dict[str, tuple[int, int, str]] = {}  # prefix: count, width, type
        self._declared: set[tuple[str, bool]] = set()
        self.labels: dict[str, str] = {}
        self.functions: frozenset[str] = outer.functions if outer else frozenset()
        self.types: dict[Value, str] = outer.types if outer else {}  # of registers, as declared

    def declare(self, name: str, meaning: Meaning) -> None:
        self._names[name] = meaning

    def declare_variable(self, variable: ast.Variable, name: str, region: Region) -> None:
        self.declare(name, region)
        self._elements[region] = element_bytes(variable.type, variable.vector)

    def element_of(self, region: Region) -> int | None:
        """The bytes of an element of a variable; None if the region is none."""
        scope: Names | None = self
        while scope is not None and region not in scope._elements:
            scope = scope.outer
        return None if scope is None else scope._elements[region]

    def mistake(self, variable: ast.Variable, declarator: ast.Declarator) -> str | None:
        """The error in a declaration here, if any; a scope declares a name once."""
        found = mistake_of(variable, declarator)
        key = declarator.name, declarator.count is not None
        twice = key in self._declared or self._overlaps(declarator)
        if found is None and twice and "extern" not in variable.linkage:
            found = "declared twice"
        if found is None and variable.space != "reg" and (declarator.count or 0) > MOST_PARAMETERS:
            found = f"expected a count from 0 to {MOST_PARAMETERS}, found {declarator.count}"
        self._declared.add(key)
        return None if found is None else f"{declarator.name}: {found}"

    def _overlaps(self, declarator: ast.Declarator) -> bool:
        """True if a register is one of a numbered range of the same scope, or the range has it.
        ptxas minds neither two ranges that overlap nor %r05 beside %r<9>."""
        name, count = declarator.name, declarator.count
        if count is None:
            return not re.search(r"\D0\d+$", name) and self._numbered(name) is not None
        tails = [each.removeprefix(name) for each, ranged in self._declared
                 if not ranged and each.startswith(name)]  # fmt: skip
        plain = (tail for tail in tails if re.fullmatch(r"0|[1-9]\d{0,11}", tail))
        return any(int(tail) < count for tail in plain)

    def declare_registers(self, variable: ast.Variable) -> None:
        width = TYPES[variable.type].bits if variable.type in TYPES else 64
        for declarator in variable.declarators:
            if declarator.count is not None:
                self._ranges[declarator.name] = (declarator.count, width, variable.type)
            elif variable.vector:
                for member in "xyzw"[: int(variable.vector[1:])]:
                    self._register(f"{declarator.name}.{member}", width, variable.type)
            else:
                self._register(declarator.name, width, variable.type)

    def _register(self, name: str, width: int, type_name: str) -> Value:
        value = Value(name, width)
        self._names[name] = value
        self.types[value] = type_name
        return value

    def find(self, name: str) -> Meaning | None:
        scope: Names | None = self
        while scope is not None:
            found = scope._names.get(name) or scope._numbered(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def _numbered(self, name: str) -> Meaning | None:
        match = NUMBERED.match(name) if self._ranges else None
        if match is None:
            return None
        prefix, digits = match[1], match[2]
        while digits and prefix not in self._ranges:  # %r1<4> declares %r10 to %r13
            prefix, digits = prefix + digits[0], digits[1:]
        if not digits or len(digits) > MAX_DIGITS:
            return None
        count, width, type_name = self._ranges[prefix]
        if int(digits) >= count:
            return None
        plain = f"{prefix}{int(digits)}"  # ptxas takes %r05 for %r5
        value = self._names.get(plain) or self._register(plain, width, type_name)
        self._names[name] = value
        return value

    def label(self, name: str) -> str | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.outer
        return None
