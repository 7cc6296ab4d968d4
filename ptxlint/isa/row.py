"""A row of the instruction table: how PTX writes an instruction and what it means.

A row has the syntax as the manual prints it, and a meaning::

    def sad(o: Algebra[V], f: Form, a: V, b: V, c: V) -> V:
        less = (o.lt_s if f.type.signed else o.lt_u)(a, b)
        return o.add(c, o.select(less, o.sub(b, a), o.sub(a, b)))

    op("sad.type d, a, b, c", at="integer-arithmetic-instructions-sad",
       types="u16 u32 u64 s16 s32 s64", sem=sad)

- A dotted word that a keyword names (``mode``) is a choice among the keyword's words; ``type`` and
  ``dtype atype btype ctype stype`` choose among types; every other word is literal. ``{.word}`` is
  optional. Words match in any order, as in ptxas; only types keep theirs.
- Operands: ``d`` and ``p q`` are results, ``[a]`` an address (``[a, c]`` with coordinates), the
  rest arguments; ``d{|p}`` and ``{, b}`` are optional. ``name:type`` gives a type of its own: a
  type word, ``wide`` (twice the instruction's), ``dtype atype btype``, ``int`` for a literal that
  the meaning wants as a number, or ``words`` for a list of whole registers (64 bits each where the
  type is ``f64``, else 32). ``a{.sel}`` may have a selector of bytes or halves, ``{-}a`` a sign:
  ``f`` has them.
- ``sem(o, f, ...)`` computes the results over any algebra ``o``; ``f`` is the decoded form. Without
  ``sem`` results are unknown; where no other effect explains that, the row is ``UNMODELLED``.
- ``memory`` lists what an ``UNMODELLED`` row does to memory: ``load global, store shared a:16``. An
  operand and a number of bytes say where; without them the address is unknown, but ``a:inside``
  says that it does not leave the object of ``[a]``. Without a state space it is the one that the
  instruction names. A row that has an address must have it.

The anchor ``at`` is the section's anchor in NVIDIA's "PTX ISA" manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from analyses.algebra import Algebra, FloatMode, V
from analyses.program import AccessKind, Effect


class Type(Struct, frozen=True):
    """A type of PTX; ``kind`` is one of ``u s b f bf p`` (p: predicate), ``bits`` its width. A
    packed type holds ``parts`` values of its ``element``."""

    name: str
    kind: str
    bits: int
    element: Type | None = None

    @property
    def signed(self) -> bool:
        return self.kind == "s"

    @property
    def floating(self) -> bool:
        return self.kind in ("f", "bf")

    @property
    def parts(self) -> int:
        return self.bits // self.element.bits if self.element else 1


TYPES = {
    f"{kind}{bits}": Type(f"{kind}{bits}", kind, bits)
    for kind, widths in {
        "u": (8, 16, 32, 64),
        "s": (8, 16, 32, 64),
        "b": (8, 16, 32, 64, 128),
        "f": (16, 32, 64),
        "bf": (16,),
    }.items()
    for bits in widths
} | {"pred": Type("pred", "p", 1)}
TYPES |= {
    f"{name}x{parts}": Type(f"{name}x{parts}", "b", bits * parts, TYPES[name])
    for name, parts, bits in (
        ("f16", 2, 16), ("bf16", 2, 16), ("u16", 2, 16), ("s16", 2, 16), ("f32", 2, 32),
        ("u8", 4, 8), ("s8", 4, 8),
    )
}  # fmt: skip
# Formats without arithmetic: known as types so that opcodes decode; conversions know the rest.
TYPES |= {
    name: Type(name, name[0] if name[1:].isdigit() else "b", bits)
    for bits, names in {
        32: "tf32 e4m3x4 e5m2x4 e2m3x4 e3m2x4",
        16: "e4m3x2 e5m2x2 e2m3x2 e3m2x2 ue8m0x2 s2f6x2 ue5m3x2 e2m1x4",
        8: "e2m1x2 e4m3 e5m2 e3m2 e2m3 ue8m0 ue4m3",
        4: "e2m1 s4 u4",
        2: "s2 u2",
        1: "b1",
    }.items()
    for name in names.split()
}

TYPED = ("type", "dtype", "atype", "btype", "ctype", "stype")  # words that stand for types

CHOICES = {
    "rnd": "rn rz rm rp",
    "irnd": "rni rzi rmi rpi",
    "sem": "weak relaxed acquire release acq_rel volatile mmio",
    "scope": "cta cluster gpu sys",
    "space": "const global local param shared",
    "cop": "ca cg cs lu cv wb wt nc",
    "vec": "v2 v4 v8",
    "hint": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::evict_last L2::evict_normal L2::evict_first L2::cache_hint "
    "L2::64B L2::128B L2::256B",
    "sub": "shared::cta shared::cluster param::entry param::func",
}  # fmt: skip


class Semantics(Protocol):
    """A function that computes the results of an instruction over any algebra, from its operands
    and then its literals."""

    def __call__(
        self, o: Algebra[V], f: Form, /, *operands: Any, **options: Any
    ) -> V | tuple[V, ...]: ...


class WordSemantics(Protocol):
    """A meaning with one result."""

    def __call__(self, o: Algebra[V], f: Form, /, *operands: Any, **options: Any) -> V: ...


def primitive(operator: Callable[..., object]) -> WordSemantics:
    """The meaning that is one operator of the algebra: ``primitive(Algebra.add)``."""
    name = operator.__name__

    def meaning(o: Algebra[V], f: Form, *operands: V) -> V:
        word: V = getattr(o, name)(*operands)
        return word

    return meaning


class Role(Struct, frozen=True):
    """One operand of a pattern."""

    name: str
    result: bool = False
    address: bool = False
    optional: bool = False
    type: str = ""  # "" means the instruction's own
    selector: bool = False
    sign: bool = False


class MemoryEffect(NamedTuple):
    """Accesses of an unmodelled instruction: so many ``bytes`` from the address of an ``operand``,
    at unknown addresses inside of its object if there are 0, or anywhere; in the space that the
    instruction names if none is given."""

    kind: AccessKind
    space: str
    operand: str
    bytes: int


class Row(Struct, frozen=True, eq=False):
    opcode: str
    pattern: str
    at: str
    required: frozenset[str]
    choices: tuple[tuple[frozenset[str], bool], ...]  # the words; True if one must be there
    types: tuple[frozenset[str], ...]
    roles: tuple[Role, ...]
    sem: Semantics | None
    effects: Effect
    carry_in: bool
    carry_out: bool
    memory: tuple[MemoryEffect, ...]

    @property
    def modelled(self) -> bool:
        return not self.effects & Effect.UNMODELLED


class Form(Struct, frozen=True, eq=False):
    """A row with its modifiers chosen. ``parts`` is the number of elements of a vector result;
    ``selectors`` what follows the operands that have one, in their order; ``negated`` the names of
    operands behind a minus, and ``written`` the modifiers in their order."""

    row: Row
    words: frozenset[str]
    types: tuple[Type, ...]
    parts: int = 1
    selectors: tuple[str, ...] = ()
    negated: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()

    @property
    def type(self) -> Type:
        return self.types[0]

    def has(self, word: str) -> bool:
        return word in self.words

    def one_of(self, *words: str, default: str = "") -> str:
        for word in words:
            if word in self.words:
                return word
        return default

    @property
    def mode(self) -> FloatMode:
        rounding = self.one_of("rn", "rz", "rm", "rp") or self.one_of(
            "rni", "rzi", "rmi", "rpi", default="rn"
        )
        return FloatMode(rounding[:2], "ftz" in self.words, "sat" in self.words)

    def role_type(self, role: Role) -> Type:
        match role.type:
            case "":
                return self.types[0]
            case "dtype" | "atype" | "btype":
                place = ("dtype", "atype", "btype").index(role.type)
                return self.types[min(place, len(self.types) - 1)]
            case "wide":
                own = self.types[0]
                return TYPES[f"{own.kind}{2 * own.bits}"]
            case "words":
                return TYPES["b64" if self.types and self.types[0].name == "f64" else "b32"]
            case name:
                return TYPES[name]

    def vector(self, parts: int) -> Form:
        return self if parts == self.parts else _variant(self, parts=parts)

    def of(self, *types: Type) -> Form:
        """The same modifiers for other types."""
        return _variant(self, types=types)

    def selecting(self, selectors: tuple[str, ...], negated: frozenset[str]) -> Form:
        return _variant(self, selectors=selectors, negated=negated)


@cache
def _variant(form: Form, **changes: Any) -> Form:
    """Equal forms are the same object: caches are keyed by the form."""
    return replace(form, **changes)


def op(
    pattern: str,
    *,
    at: str,
    sem: Semantics | None = None,
    effects: Effect = Effect.NONE,
    carry: str = "",
    memory: str | None = None,
    **words: str,
) -> Row:
    """A row of the table. Raises ValueError where no types are given for a pattern's ``.type``, and
    where an unmodelled row has an address and does not say what it does to memory."""
    head, _, operands = pattern.partition(" ")
    opcode, *elements = re.findall(r"^[\w]+|\{\.[\w:]+\}|\.[\w:]+", head)
    required: set[str] = set()
    chosen: list[tuple[frozenset[str], bool]] = []
    ordered: list[frozenset[str]] = []
    for element in elements:
        optional, word = element[0] == "{", element.strip("{}.")
        if word in TYPED:
            given = words.get("types" if word == "type" else word)
            if not given:
                raise ValueError(f"{pattern}: no words for .{word}")
            ordered.append(frozenset(given.split()))
        elif listed := words.get(word) or CHOICES.get(word):
            chosen.append((frozenset(listed.split()), not optional))
        elif word in TYPES:
            ordered.append(frozenset([word]))
        elif optional:
            chosen.append((frozenset([word]), False))
        else:
            required.add(word)
    if memory is None and "[" in operands and effects & Effect.UNMODELLED:
        raise ValueError(f"{pattern}: no memory effects")
    return Row(
        opcode, pattern, at, frozenset(required), tuple(chosen), tuple(ordered),
        _roles(operands), sem, effects, "in" in carry, "out" in carry, _memory(memory or ""),
    )  # fmt: skip


def _memory(listed: str) -> tuple[MemoryEffect, ...]:
    found = []
    for one in filter(None, listed.split(", ")):
        match = re.fullmatch(r"(load|store|atomic)(?: (\w+))?(?: (\w+):(\d+|inside))?", one)
        if match is None:
            raise ValueError(f"{one!r}: expected a kind, a space, an operand and its bytes")
        kind, space, operand, size = match.groups(default="")
        whole = int(size) if size.isdecimal() else 0
        found.append(MemoryEffect(cast(AccessKind, kind), space, operand, whole))
    return tuple(found)


def _roles(operands: str) -> tuple[Role, ...]:
    roles = []
    for optional, bracket, sign, name, selector, kind in re.findall(
        r"(\{[,|]\s*)?(\[)?(\{-\})?([a-zA-Z]\w*)(\{\.\w+\})?(?::(\w+))?(?(2)[^\]]*\])", operands
    ):
        if optional.startswith("{|"):  # the second half of a pair, written in one operand
            continue
        result = not bracket and name in ("d", "p", "q")
        kind = kind or ("pred" if name in ("p", "q") else "")
        roles.append(Role(name, result, bool(bracket), bool(optional), kind, bool(selector),
                          bool(sign)))  # fmt: skip
    return tuple(roles)
