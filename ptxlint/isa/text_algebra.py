"""The text algebra: a row's meaning, written down.

Every operator of ``Algebra`` answers with its own name and operands: ``add(mul(a, b), c)``. The
width of a result is what the base class says. A long expression gets a name of its own on a line of
its own, once, so that what is used twice is written once.

An example stands for a row: its modifiers are the plainest that the row allows, its operands are
called as in the pattern, a word from memory ``loaded`` or ``old``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analyses.algebra import Algebra, FloatMode, MatrixProduct
from analyses.program import Effect
from ptxlint.isa import matrix
from ptxlint.isa.row import TYPES, Form, Row

LONGEST = 56
LITERAL = 0x96
PLAIN = frozenset({"rn", "rni", "lo", "add", "eq", "approx", "idx", "x1", "and", "popc", "2d",
                   "m16n8k8", "s32", "u32", "b32", "f32"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Written:
    """A word as text."""

    width: int
    text: str


class _Named(Algebra[Written]):
    """What operators need beside their names: widths, and the lines written so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def width(self, a: Written) -> int:
        return a.width

    def unknown(self, width: int, *operands: Written) -> Written:
        return Written(width, "?")

    def short(self, text: str) -> str:
        """The text, or the name of the line that holds it."""
        if len(text) <= LONGEST:
            return text
        if text not in self._names:
            self._names[text] = f"t{len(self._names) + 1}"
            self.lines.append(f"{self._names[text]} = {text}")
        return self._names[text]

    def show(self, operand: Any) -> str:
        match operand:
            case Written(_, text):
                return self.short(text)
            case FloatMode(rounding, ftz, sat):
                return ".".join([rounding, *["ftz"] * ftz, *["sat"] * sat])
            case MatrixProduct(m, n, k, a, b, d, _):
                return f"m{m}n{n}k{k} {d} {a} {b}"
            case str():
                return operand
            case Sequence():
                return "{" + ", ".join(map(self.show, operand)) + "}"
        return str(operand)


def _operator(name: str) -> Callable[..., Any]:
    base = getattr(Algebra, name)

    def write(self: _Named, *operands: Any, **options: bool) -> Any:
        results = base(self, *operands, **options)
        listed = [*map(self.show, operands), *(option for option, on in options.items() if on)]
        text = f"{name.rstrip('_')}({', '.join(listed)})"
        if isinstance(results, Written):
            return replace(results, text=text)
        text = self.short(text)
        return tuple(replace(word, text=f"{text}[{i}]") for i, word in enumerate(results))

    return write


def _const(self: _Named, width: int, bits: int) -> Written:
    return Written(width, str(bits) if -10 <= bits < 100 else f"{bits % (1 << width):#x}")


def _special(self: _Named, name: str, width: int) -> Written:
    return Written(width, f"%{name}")


OPERATORS = [
    name for name in vars(Algebra) if not name.startswith("_") and name not in ("width", "unknown")
]
Text: Any = type(
    "Text",
    (_Named,),
    {name: _operator(name) for name in OPERATORS} | {"const": _const, "special": _special},
)


def example(row: Row) -> Form:
    """The plainest form of a row."""

    def plainest(words: frozenset[str]) -> str:
        return min(words, key=lambda word: (word not in PLAIN, word))

    chosen = {plainest(words) for words, mandatory in row.choices if mandatory}
    types = tuple(TYPES[plainest(words)] for words in row.types)
    return Form(row, row.required | chosen, types)


def meaning(form: Form) -> list[str]:
    """The lines that say what the results are; none where the row has no meaning of its own."""
    row, o = form.row, Text()
    if row.sem is None:
        return []
    count = sum(role.selector for role in row.roles)
    form = replace(form, selectors=form.selectors or ("",) * count)
    results = [role.name for role in row.roles if role.result]
    if row.effects & (Effect.STORE | Effect.ATOMIC):
        results = ["[a]"]
    words = row.sem(o, form, *_operands(form))
    if row.carry_out:
        results.append("carry")
    listed = words if isinstance(words, tuple) else (words,)
    if "{|p}" in row.pattern and len(listed) == 2:
        results.append("p")
    if len(listed) > len(results) == 1:
        results = [f"{results[0]}{i}" for i in range(len(listed))]
    shown = [f"{name} = {word.text}" for name, word in zip(results, listed, strict=False)]
    return [*o.lines, *shown]


def _operands(form: Form) -> list[Any]:
    """One word for each argument of the meaning, called as in the pattern."""
    row, given, literals = form.row, [], []
    if row.effects & Effect.ATOMIC:
        given.append(Written(form.type.bits, "old"))
    elif row.effects & Effect.LOAD:
        given.append(Written(64 if row.opcode == "mbarrier" else 128, "loaded"))
    counts = _registers(form)
    for role in row.roles:
        if role.result or role.optional or role.name == "policy":
            continue
        if role.address and row.effects & (Effect.LOAD | Effect.STORE | Effect.ATOMIC):
            continue
        if role.type == "int":
            literals.append(LITERAL)
            continue
        width = form.role_type(role).bits if form.types or role.type else 32
        many = counts.get(role.name, 1)
        names = [role.name] if many == 1 else [f"{role.name}{i}" for i in range(many)]
        given += [Written(width, name) for name in names]
    if row.carry_in:
        given.append(Written(1, "carry"))
    copies = row.effects & Effect.LOAD and row.effects & Effect.STORE
    return given[:1] if copies else [*given, *literals]


def _registers(form: Form) -> dict[str, int]:
    if form.row.sem is not matrix.mma:
        return {}
    p = matrix.product(form)
    wide = 64 if p.d == "f64" else 32
    third = p.m * p.n * (16 if p.d == "f16" else wide) // (32 * wide)
    return {"a": p.registers_a, "b": p.registers_b, "c": third}
