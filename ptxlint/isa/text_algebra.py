"""The text algebra: the meaning of a row as text.

Every operator of ``Algebra`` answers with its own name and operands: ``add(mul(a, b), c)``. The
width of a result is what the base class says. A long expression gets a name of its own on a line of
its own, once, so that what is used twice is written once.

An example stands for a row: its modifiers are the plainest that the row allows, its operands are
called as in the pattern, a word from memory ``loaded`` or ``old``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from analyses.algebra import Algebra, FloatMode, MatrixProduct, implement
from analyses.program import Effect
from ptxlint.isa import matrix, wmma
from ptxlint.isa.row import TYPES, Form, Row

LONGEST = 56
LITERAL = 0x96
PLAIN = frozenset({"rn", "rni", "lo", "add", "eq", "approx", "idx", "x1", "and", "popc", "2d",
                   "m16n8k8", "s32", "u32", "b32", "f32"})  # fmt: skip


class Text(Struct, frozen=True):
    """A word as text."""

    width: int
    text: str


class Texts(Algebra[Text]):
    """The text algebra with the lines written so far. Its operators are set below."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def width(self, a: Text) -> int:
        return a.width

    def unknown(self, width: int, *operands: Text) -> Text:
        return Text(width, "?")

    def const(self, width: int, bits: int) -> Text:
        return Text(width, str(bits) if -10 <= bits < 100 else f"{bits % (1 << width):#x}")

    def special(self, name: str, width: int) -> Text:
        return Text(width, f"%{name}")

    def short(self, text: str) -> str:
        """The text, or the name of the line that holds it."""
        if len(text) <= LONGEST:
            return text
        if text not in self._names:
            self._names[text] = f"t{len(self._names) + 1}"
            self.lines.append(f"{self._names[text]} = {text}")
        return self._names[text]

    def show(self, operand: object) -> str:
        match operand:
            case Text(_, text):
                return self.short(text)
            case FloatMode(rounding, ftz, sat):
                return ".".join([rounding, *["ftz"] * ftz, *["sat"] * sat])
            case MatrixProduct(m, n, k, a, b, d, _, layouts):
                return " ".join([f"m{m}n{n}k{k}", *layouts, d, a, b])
        return str(operand)


def _operator(name: str) -> Callable[..., Text | tuple[Text, ...]]:
    """The operator that answers with its name and operands."""
    base = getattr(Algebra, name)

    def write(self: Texts, *operands: object, **options: bool) -> Text | tuple[Text, ...]:
        results: Text | tuple[Text, ...] = base(self, *operands, **options)
        listed = [*map(self.show, operands), *(option for option, on in options.items() if on)]
        text = f"{name.rstrip('_')}({', '.join(listed)})"
        if isinstance(results, Text):
            return replace(results, text=text)
        text = self.short(text)
        return tuple(replace(word, text=f"{text}[{i}]") for i, word in enumerate(results))

    return write


implement(Texts, _operator)


def example(row: Row, wanted: Collection[str] = ()) -> Form:
    """The plainest form of a row with the wanted modifiers."""

    def plainest(words: frozenset[str]) -> str:
        return min(words, key=lambda word: (word not in wanted, word not in PLAIN, word))

    chosen = tuple(
        plainest(words)
        for words, mandatory in row.choices
        if mandatory or not words.isdisjoint(wanted)
    )
    types = tuple(TYPES[plainest(words)] for words in row.types)
    selectors = ("",) * sum(role.selector for role in row.roles)
    words = row.required.union(chosen)
    return Form(row, words, types, selectors=selectors, written=chosen)


def meaning(form: Form) -> list[str]:
    """The lines that say what the results are; none where the row has no meaning of its own."""
    row, o = form.row, Texts()
    if row.sem is None:
        return list(moved(form))
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


def moved(form: Form) -> Iterator[str]:
    """What a row that computes nothing takes from memory, or puts there."""
    row, names = form.row, {role.name for role in form.row.roles}
    if row.effects & Effect.LOAD and row.effects & Effect.STORE:
        yield "[a] = the n bytes at b"
    elif row.effects & (Effect.LOAD | Effect.STORE):
        if not form.types:
            yield "[a] = b bytes of value c"
            return
        many, bits = int(form.one_of("v2", "v4", "v8", default="v1")[1:]), form.type.bits
        for part in range(many):
            at = f"a + {part * bits // 8}" if part else "a"
            at, end = f"[{at}]", str(part) if many > 1 else ""
            loads = "d" in names
            yield f"d{end} = {at}, {bits} bits" if loads else f"{at} = b{end}, {bits} bits"


def _operands(form: Form) -> list[Text | int]:
    """One word for each argument of the meaning, called as in the pattern."""
    row = form.row
    given: list[Text | int] = []
    literals: list[Text | int] = []
    if row.effects & Effect.ATOMIC:
        given.append(Text(form.type.bits, "old"))
    elif row.effects & Effect.LOAD:
        given.append(Text(64 if row.opcode == "mbarrier" else 128, "loaded"))
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
        given += [Text(width, name) for name in names]
    if row.carry_in:
        given.append(Text(1, "carry"))
    copies = row.effects & Effect.LOAD and row.effects & Effect.STORE
    return given[:1] if copies else [*given, *literals]


def _registers(form: Form) -> dict[str, int]:
    """How many words each operand of a product of matrices has."""
    fragments = form.row.sem is wmma.multiplied
    if not fragments and form.row.sem is not matrix.mma:
        return {}
    p = wmma.product(form) if fragments else matrix.product(form)
    wide = 64 if p.d == "f64" else 32
    third = p.m * p.n * (16 if p.d == "f16" else wide) // (32 * wide)
    if fragments and p.a == "f16":
        return {"a": wmma.HALF_WORDS, "b": wmma.HALF_WORDS, "c": third}
    return {"a": p.registers_a, "b": p.registers_b, "c": third}
