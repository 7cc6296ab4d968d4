"""The check of launches against one contract, compiled: a function of Python that says yes in a
few microseconds. Where it does not, ``check_launch`` decides, and says why.

The function is written from the trees of sizes and conditions, never from text of the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range, Triple
from ptxlint.contracts.expression import RELATIONS, Expression, Identifier, Number, Operation
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.contracts.launch_check import check_launch

Given = int | float | tuple[int, int]
"""A number, or the address of an array and its bytes."""

BINARY = ("+", "-", "*", "//", "%")
SHAPES = {f"{kind}.{axis}": f"{kind}_{axis}" for kind in ("ntid", "nctaid") for axis in "xyz"}


HIGHEST_POWER = 64


class NotCompiledError(ValueError):
    """A contract that says something which only ``check_launch`` reads."""


class LaunchGuard(Struct, frozen=True):
    """What launches of one kernel must meet: its parameters in order, of which the ``pointers`` are
    arrays, and the contract. ``surely`` says yes at once to launches that meet it."""

    contract: Contract
    names: tuple[str, ...]
    pointers: frozenset[str]
    surely: Callable[[Triple, Triple, int, Sequence[Given]], bool]

    @classmethod
    def of(cls, contract: Contract, names: Sequence[str], pointers: Sequence[str]) -> LaunchGuard:
        known = tuple(names)
        return cls(contract, known, frozenset(pointers), compiled(contract, known, set(pointers)))

    def refusals(
        self, grid: Triple, block: Triple, shared: int, given: Sequence[Given]
    ) -> list[str]:
        """What of the contract a launch does not meet, each in a line; empty if all is well."""
        try:
            if self.surely(grid, block, shared, given):
                return []
        except (ArithmeticError, TypeError, ValueError):
            pass  # a value that is none, such as a number for an array
        arguments = tuple(
            Allocation(each[1], address=each[0]) if isinstance(each, tuple) else each
            for each in given
        )
        return check_launch(
            self.contract, ConcreteLaunch(grid, block, shared, arguments, self.names)
        )


def compiled(
    contract: Contract, names: Sequence[str], pointers: set[str]
) -> Callable[[Triple, Triple, int, Sequence[Given]], bool]:
    """True if a launch surely meets the contract."""
    try:
        tests = list(_CheckWriter(contract, names, pointers).tests())
    except NotCompiledError:
        return lambda grid, block, shared, given: False
    taken = "".join(
        f"(v{at}, s{at}), " if name in pointers else f"v{at}, " for at, name in enumerate(names)
    )
    lines = [
        "def surely(grid, block, shared, given):",
        "    nctaid_x, nctaid_y, nctaid_z = grid",
        "    ntid_x, ntid_y, ntid_z = block",
        f"    {taken or '()'} = given".replace("() =", "[] ="),
        f"    return {' and '.join(tests) or 'True'}",
    ]
    space: dict[str, Callable[..., bool]] = {}
    exec("\n".join(lines), {"__builtins__": {"min": min, "max": max}}, space)
    return space["surely"]


class _CheckWriter:
    """Writes the tests of one contract."""

    def __init__(self, contract: Contract, names: Sequence[str], pointers: set[str]) -> None:
        self.contract, self.pointers = contract, pointers
        self.place = {name: at for at, name in enumerate(names)}
        self.words: Mapping[str, str] = SHAPES | {
            name: f"v{at}" for name, at in self.place.items() if name not in pointers
        }

    def tests(self) -> Iterator[str]:
        contract = self.contract
        for said, name in ((contract.block, "block"), (contract.grid, "grid")):
            if said is not None:
                yield f"{name} == {tuple(int(each) for each in said)!r}"
        for name, word in self.words.items():
            if name in self.place:
                yield self._typed(word, contract.params.get(name) or "s64")
        for name, allowed in contract.args.items():
            if name not in self.words or not isinstance(allowed, Range | float):
                raise NotCompiledError(name)
            word = self.words[name]
            low, high = (
                (allowed.low, allowed.high) if isinstance(allowed, Range) else (allowed,) * 2
            )
            yield f"{low!r} <= {word} <= {high!r}"
        for need in contract.requires:
            for each in need.conditions:
                if each.relation not in RELATIONS:
                    raise NotCompiledError(each.relation)
                yield f"{self.number(each.left)} {each.relation} {self.number(each.right)}"
        yield from self._apart()
        for name, buffer in contract.buffers.items():
            at = self._pointer(name)
            null = f"not v{at} or " if buffer.optional else ""
            room = f"s{at} >= {self.number(buffer.extent)} and not v{at} % {int(buffer.align)}"
            yield f"({null}{room})"
        if contract.shared is not None:
            yield f"shared >= {self.number(contract.shared.extent)}"

    def _typed(self, word: str, kind: str) -> str:
        """A number that is what its type reads."""
        if kind[0] == "f":
            return "True"
        bits = int(kind[1:])
        low, high = (
            (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        return f"{low} <= {word} <= {high}"

    def _apart(self) -> Iterator[str]:
        pairs = [
            pair for said in self.contract.distinct or () for pair in combinations(said.names, 2)
        ]
        held = [name for name, buffer in self.contract.buffers.items() if buffer.value_range]
        others = self.contract.writes if self.contract.writes is not None else self.pointers
        pairs += [(one, other) for one in held for other in sorted(others) if one != other]
        for one, other in dict.fromkeys(pairs):
            i, j = self._pointer(one), self._pointer(other)
            yield f"(v{i} + s{i} <= v{j} or v{j} + s{j} <= v{i})"

    def _pointer(self, name: str) -> int:
        if name not in self.pointers:
            raise NotCompiledError(name)
        return self.place[name]

    def number(self, tree: Expression) -> str:
        match tree:
            case Number(value):
                return f"({int(value)})"
            case Identifier(text) if text in self.words:
                return self.words[text]
            case Operation(symbol, (left, right)) if symbol in BINARY:
                return f"({self.number(left)} {symbol} {self.number(right)})"
            case Operation("**", (left, Number(power))) if 0 <= power <= HIGHEST_POWER:
                return f"({self.number(left)} ** {int(power)})"
            case Operation("min" | "max" as symbol, operands):
                return f"{symbol}({', '.join(map(self.number, operands))})"
        raise NotCompiledError(str(tree))
