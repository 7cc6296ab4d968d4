"""Consistency of declarations with each other, and with the kernel that they are about."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from math import lcm, prod
from typing import TYPE_CHECKING

from analyses.budget import TRIED_NUMBERS
from analyses.hardware import MAX_THREADS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.inequalities import InequalitySystem as Inequalities
from ptxlint.contracts.declaration import (
    FLOAT_FORMATS,
    NULL_POINTER,
    ContractError,
    Range,
    Triple,
    shown,
)
from ptxlint.contracts.expression import (
    LARGEST,
    Condition,
    ExpressionError,
    Identifier,
    Number,
    Operation,
    known,
)

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter


def contradictory(
    conditions: Sequence[Condition], bounds: Callable[[str], tuple[int, int]]
) -> bool:
    """True if it is shown that no values within the bounds meet the conditions."""
    symbols: dict[str, Polynomial] = {}
    facts: list[Inequality] = []

    def named(word: str) -> Polynomial:
        low, high = bounds(word)
        symbol = symbols.setdefault(word, Polynomial.of(Symbol(word, low, high)))
        return Polynomial.of(low) if low == high else symbol

    for condition in conditions:
        decided = all(low == high for low, high in map(bounds, condition.names))
        if decided and not meets(condition, lambda word: bounds(word)[0]):
            return True
        facts += map(Inequality, known(condition, named, lambda symbol, parts: None))
    inequalities = Inequalities(facts)
    if inequalities.contradictory or inequalities.entails(Polynomial.of(-1)) is not None:
        return True
    alone = [condition for condition in conditions if len(condition.names) == 1]
    words = {word for condition in alone for word in condition.names}
    return any(unmet([c for c in alone if word in c.names], *bounds(word)) for word in words)


def unmet(conditions: Iterable[Condition], low: int, high: int) -> bool:
    """True if no number from ``low`` to ``high`` meets conditions on it alone. All are tried
    that bounds leave, or one period where the rest speaks of remainders; False where that would be
    too many."""
    period, open_ = 1, []
    for condition in conditions:
        bound = ends(condition)
        if bound is not None:
            low, high = max(low, bound[0]), min(high, bound[1])
        else:
            open_.append(condition)
            period = lcm(period, repeats(condition))
    count = min(high - low + 1, period or TRIED_NUMBERS + 1)
    return count <= TRIED_NUMBERS and not any(
        all(
            meets(condition, dict.fromkeys(condition.names, number).__getitem__)
            for condition in open_
        )
        for number in range(low, low + count)
    )


def ends(condition: Condition) -> tuple[int, int] | None:
    """The least and the greatest number that a comparison with a number leaves."""
    left, relation, right = condition.left, condition.relation, condition.right
    if isinstance(left, Number):
        left, right = right, left
        relation = relation.translate({ord("<"): ">", ord(">"): "<"})
    if not isinstance(left, Identifier) or not isinstance(right, Number) or relation == "!=":
        return None
    number, strict = right.value, len(relation) == 1
    low = number + strict if relation[0] in ">=" else -LARGEST
    high = number - strict if relation[0] in "<=" else LARGEST
    return low, high


def repeats(condition: Condition) -> int:
    """The period of a condition, 0 if it has none that is seen."""
    match condition.left, condition.right:
        case Operation("%", (Identifier(), Number(by))), Number():
            return by
    return 0


def meets(condition: Condition, of: Callable[[str], int]) -> bool:
    try:
        return condition.holds(of)
    except ExpressionError:  # it has no value
        return False


def directives(kernel: Kernel, block: Triple | None) -> tuple[Triple | None, int, bool]:
    """The block given by directives, the most threads, and true if there are any."""
    if kernel.required_threads:
        x, y, z = (*kernel.required_threads, 1, 1)[:3]
        if block not in (None, (x, y, z)):
            raise ContractError(
                f"--block {shown(block)}: kernel {kernel.name} requires {shown((x, y, z))}"
                " (.reqntid); --kernel selects others"
            )
        return (x, y, z), min(MAX_THREADS, x * y * z), True
    if not kernel.max_threads:
        return block, MAX_THREADS, False
    most = min(MAX_THREADS, prod(kernel.max_threads))
    if block is not None and prod(block) > most:
        raise ContractError(
            f"--block {shown(block)}: {prod(block)} threads, kernel {kernel.name} allows {most}"
            " (.maxntid); --kernel selects others"
        )
    return block, most, True


def fitted(name: str, value: Range | float, parameter: KernelParameter) -> Range | float:
    """The value as the parameter's type can hold it. Raises ContractError."""
    kind = f"{name} is .{parameter.type}"
    if parameter.declared_pointer and value != NULL_POINTER:
        raise ContractError(f"--arg {name}: {name} is a pointer, declare it with --buffer")
    if parameter.size > 8:
        raise ContractError(f"--arg {name}: {name} has {parameter.size} bytes, it is no number")
    if parameter.type.startswith("f") and not isinstance(value, float):
        if not value.single:
            raise ContractError(f"--arg {name}: {kind}, a range needs an integer parameter")
        value = float(value.low)
    if isinstance(value, float):
        if parameter.type[0] in "fb" and parameter.size in FLOAT_FORMATS:
            try:
                struct.pack(FLOAT_FORMATS[parameter.size], value)
            except OverflowError:
                wrong = f"the value does not fit in a float of {8 * parameter.size} bits"
                raise ContractError(f"--arg {name}={value}: {kind}, {wrong}") from None
            return value
        raise ContractError(f"--arg {name}={value}: {kind}, expected an integer")
    bits = 8 * parameter.size
    if value.low < -(2 ** (bits - 1)) or value.high >= 2**bits:
        raise ContractError(f"--arg {name}: {kind}, the value does not fit in {bits} bits")
    return value
