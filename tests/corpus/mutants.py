"""Small wrongs done to a kernel: each mutant differs from its text in one word of one statement.

They are the slips that people and compilers make: a bound off by one, a comparison that lets the
end in or takes the sign wrongly, a guard forgotten or turned round, `and` for `or` between guards,
an index scaled twice, an upper clamp for a lower one, the next element's offset, the other axis, a
branch called uniform that is not, a barrier out of its place.
Nothing here knows whether a mutant is harmful: the interpreter says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

STATEMENT = re.compile(
    r"^[ \t]*(?P<guard>@!?[%$\w]+\s+)?(?P<op>[a-z][\w.:]*)(?P<rest>[^;{}]*|[^;]*\}[^;]*);",
    re.MULTILINE,
)
NEIGHBOURS = {
    "lt": "le gt", "le": "lt", "gt": "ge lt", "ge": "gt", "eq": "ne le", "ne": "eq lt",
    "lo": "ls", "ls": "lo", "hi": "hs", "hs": "hi",
}  # fmt: skip
SIGNS = {"s16": "u16", "u16": "s16", "s32": "u32", "u32": "s32", "s64": "u64", "u64": "s64"}
AXES = {"x": "y", "y": "z", "z": "x"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """The text after the change, and the change in words."""

    kind: str
    change: str
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its statements."""
    for statement in STATEMENT.finditer(text):
        if statement["op"].startswith((".", "ld.param")):
            continue
        line = text.count("\n", 0, statement.start("op")) + 1
        for kind, change in KINDS.items():
            for start, end, new in change(statement):
                old = text[start:end]
                said = f"line {line}: {statement.group().strip()}: {old!r} -> {new!r}"
                yield Mutant(kind, said, text[:start] + new + text[end:])


Change = Callable[[re.Match[str]], Iterator[tuple[int, int, str]]]


def comparison(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """``setp.lt`` becomes ``setp.le``: a neighbour, or the other way."""
    match = re.match(r"setp\.(\w+)\.", statement["op"])
    if match is not None:
        for other in NEIGHBOURS.get(match[1], "").split():
            yield *at(statement, "op", match, 1), other


def sign(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """The other signedness, where it matters: comparisons, products, conversions, shifts."""
    if statement["op"].startswith(("setp", "mul.wide", "mad.wide", "cvt", "shr", "div", "rem")):
        for match in re.finditer(r"\.([su](?:16|32|64))\b", statement["op"]):
            yield *at(statement, "op", match, 1), SIGNS[match[1]]


def guard(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Dropped, or turned round; a guarded branch may also go with its guard."""
    start, end = statement.span("guard")
    if start < 0:
        return
    word = statement["guard"]
    yield start, end, ""
    yield start, end, word.replace("@!", "@") if "!" in word else word.replace("@", "@!")
    if statement["op"].startswith("bra"):
        yield start, statement.end(), ""


def scale(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """A shift by one more or one less, a product by twice or half."""
    shift = statement["op"].startswith(("shl", "shr"))
    if not (shift or statement["op"].startswith(("mul.wide", "mul.lo", "mad"))):
        return
    for match in re.finditer(r"(?<=[ \t,])([1-9]\d*)(?=\s*(?:,|$))", statement["rest"]):
        number = int(match[1])
        for other in (number + 1, number - 1) if shift else (2 * number, number // 2):
            yield *at(statement, "rest", match, 1), str(other)


def number(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """A decimal constant one greater, one less, nothing."""
    if statement["op"].startswith(("bar", "shl", "shr", "mul", "shfl")):
        return
    for match in re.finditer(r"(?<=[ \t,])(-?\d+)(?=\s*(?:,|$))", statement["rest"]):
        value = int(match[1])
        for other in sorted({value + 1, value - 1, 0} - {value}):
            yield *at(statement, "rest", match, 1), str(other)


def offset(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """An address four bytes or one further."""
    for match in re.finditer(r"\[\s*([%$\w]+)(?:\+(-?\d+))?\s*\]", statement["rest"]):
        for step in (4, -4, 1):
            there = int(match[2] or 0) + step
            start, end = at(statement, "rest", match, 0)
            yield start, end, f"[{match[1]}{there:+d}]".replace("+-", "-").replace("-", "+-")


def axis(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Another axis, or the block's number for the thread's."""
    for match in re.finditer(r"%(n?(?:tid|ctaid))\.([xyz])", statement["rest"]):
        yield *at(statement, "rest", match, 2), AXES[match[2]]
        other = {"tid": "ctaid", "ctaid": "tid", "ntid": "nctaid", "nctaid": "ntid"}[match[1]]
        yield *at(statement, "rest", match, 1), other


def uniform(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """``bra`` says ``.uni``."""
    if statement["op"] == "bra" and statement["guard"]:
        yield statement.end("op"), statement.end("op"), ".uni"


def space(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Another state space, or none."""
    match = re.match(r"(?:ld|st)(?:\.volatile)?(\.(?:global|shared|local))\b", statement["op"])
    if match is not None:
        for other in sorted({".global", ".shared", ".local", ""} - {match[1]}):
            yield *at(statement, "op", match, 1), other


def sum_(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """``add`` for ``sub`` and the other way."""
    match = re.match(r"(add|sub)\.[su]", statement["op"])
    if match is not None:
        yield *at(statement, "op", match, 1), "sub" if match[1] == "add" else "add"


def connective(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """``and`` for ``or`` between predicates, and the other way."""
    match = re.match(r"(and|or)\.pred", statement["op"])
    if match is not None:
        yield *at(statement, "op", match, 1), "or" if match[1] == "and" else "and"


def clamp(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """``min`` for ``max``, and the other way."""
    match = re.match(r"(min|max)\.[su]", statement["op"])
    if match is not None:
        yield *at(statement, "op", match, 1), "max" if match[1] == "min" else "min"


def barrier(statement: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """A barrier under the last predicate that was written before it."""
    if statement["op"].startswith("bar") and not statement["guard"]:
        known = re.findall(r"setp[\w.]+\s+([%$\w]+)", statement.string[: statement.start()])
        for predicate in known[-1:]:
            yield statement.start("op"), statement.start("op"), f"@{predicate} "


KINDS: dict[str, Change] = {
    "comparison": comparison,
    "sign": sign,
    "guard": guard,
    "scale": scale,
    "number": number,
    "offset": offset,
    "axis": axis,
    "uniform": uniform,
    "space": space,
    "sum": sum_,
    "connective": connective,
    "clamp": clamp,
    "barrier": barrier,
}


def at(statement: re.Match[str], group: str, match: re.Match[str], inner: int) -> tuple[int, int]:
    """The place in the text of a match inside a group of the statement."""
    return statement.start(group) + match.start(inner), statement.start(group) + match.end(inner)
