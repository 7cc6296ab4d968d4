"""Powers of two: ``1024 % n == 0`` declares that n is one, up to 1024."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlint.contracts.expression import Condition, Identifier, Number, Operation, names, value

TEXT = "{most} % {name} == 0"


def powers(said: Iterable[Condition]) -> Iterator[tuple[str, int]]:
    """The names that conditions declare to be powers of two, each with the greatest. A number that
    is not positive divides none: a launch with such a one does not meet the condition."""
    for one in said:
        match one:
            case Condition(Operation("%", (whole, Identifier(name))), "==", Number(0)):
                most = 0 if names(whole) else value(whole, int)
                if most > 0 and not most & (most - 1):
                    yield name, most
