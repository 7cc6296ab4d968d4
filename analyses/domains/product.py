"""The reduced product of domains: every operator runs in each member, then reduces.

The operators are made from the signatures of ``Algebra`` and never listed twice: an operand is an
argument that is a ``ProductValue``, anything else (a width, a mode, a name) is passed on. A
reduction refines one member by another; it must keep every element that both admit (Cousot &
Cousot, POPL 1979, section 10.1). ``widen`` does not reduce: that could undo the widening that makes
chains finite.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from analyses.algebra import OPERATORS, Algebra, has_several_results, implement
from analyses.lattice import Domain, Relation


class ProductValue(tuple[Any, ...]):
    """The abstract values of one word, one for each member."""

    __slots__ = ()

    def __str__(self) -> str:
        return " & ".join(str(fact) for fact in self)


class Reduction(NamedTuple):
    """``refine`` refines the values of the members at two indices by each other."""

    first: int
    second: int
    refine: Callable[[Any, Any], tuple[Any, Any]]


class Product(Domain[ProductValue]):
    """The product of ``members``; reductions apply in order, once, after every operator."""

    def __init__(
        self, members: tuple[Domain[Any], ...], reductions: tuple[Reduction, ...] = ()
    ) -> None:
        self.members = members
        self.reductions = reductions
        self._each = {
            name: tuple(getattr(member, name) for member in members)
            for name in (*OPERATORS, *_LATTICE)
        }

    def reduced(self, facts: Sequence[Any]) -> ProductValue:
        if not self.reductions:
            return ProductValue(facts)
        refined = list(facts)
        for i, j, refine in self.reductions:
            refined[i], refined[j] = refine(refined[i], refined[j])
        return ProductValue(refined)

    def width(self, a: ProductValue) -> int:
        return self.members[0].width(a[0])

    def unknown(self, width: int, *operands: ProductValue) -> ProductValue:
        each = zip(self.members, *operands, strict=True)
        return self.reduced([member.unknown(width, *facts) for member, *facts in each])

    # --- the lattice

    def bottom(self, width: int) -> ProductValue:
        return ProductValue(member.bottom(width) for member in self.members)

    def is_bottom(self, a: ProductValue) -> bool:
        for f, x in zip(self._each["is_bottom"], a, strict=True):  # noqa: SIM110 (twice as fast)
            if f(x):
                return True
        return False

    def leq(self, a: ProductValue, b: ProductValue) -> bool:
        each = zip(self._each["leq"], a, b, strict=True)
        return all(f(x, y) for f, x, y in each) or self.is_bottom(a)

    def join(self, a: ProductValue, b: ProductValue) -> ProductValue:
        if self.is_bottom(a):
            return b
        if self.is_bottom(b):
            return a
        return self._both("join", a, b)

    def meet(self, a: ProductValue, b: ProductValue) -> ProductValue:
        return self._both("meet", a, b)

    def _both(self, name: str, a: ProductValue, b: ProductValue) -> ProductValue:
        return self.reduced([f(x, y) for f, x, y in zip(self._each[name], a, b, strict=True)])

    def widen(
        self, old: ProductValue, new: ProductValue, thresholds: Sequence[int] = ()
    ) -> ProductValue:
        if self.is_bottom(old):
            return new
        if self.is_bottom(new):
            return old
        each = zip(self._each["widen"], old, new, strict=True)
        return ProductValue(f(x, y, thresholds) for f, x, y in each)

    def assume(
        self, a: ProductValue, relation: Relation, b: ProductValue
    ) -> tuple[ProductValue, ProductValue]:
        each = zip(self._each["assume"], a, b, strict=True)
        left, right = zip(*(f(x, relation, y) for f, x, y in each), strict=True)
        return self.reduced(left), self.reduced(right)

    def bounds(self, a: ProductValue) -> tuple[int, int] | None:
        known = [bounds for bounds in self._bounds(a) if bounds]
        if not known or self.is_bottom(a):
            return None
        return max(lo for lo, _ in known), min(hi for _, hi in known)

    def _bounds(self, a: ProductValue) -> Iterator[tuple[int, int] | None]:
        return (f(x) for f, x in zip(self._each["bounds"], a, strict=True))

    def admits(self, fact: ProductValue, words: Any) -> Any:
        first, *rest = (f(x, words) for f, x in zip(self._each["admits"], fact, strict=True))
        for admitted in rest:
            first = first & admitted
        return first


_LATTICE = ("is_bottom", "leq", "join", "meet", "widen", "assume", "bounds", "admits")


def _memberwise(name: str) -> Callable[..., Any]:
    """The operator in each member, then reduced."""

    def of_two(self: Product, a: ProductValue, b: ProductValue) -> ProductValue:
        return self._both(name, a, b)

    def of_any(self: Product, *arguments: Any, **options: Any) -> Any:
        results = [
            f(*(x[i] if type(x) is ProductValue else x for x in arguments), **options)
            for i, f in enumerate(self._each[name])
        ]
        if several:
            return tuple(self.reduced(part) for part in zip(*results, strict=True))
        return self.reduced(results)

    signature = inspect.signature(getattr(Algebra, name))
    several = has_several_results(name)
    kinds = [(p.annotation, p.kind) for p in list(signature.parameters.values())[1:]]
    plain = kinds == [("V", inspect.Parameter.POSITIONAL_OR_KEYWORD)] * 2
    return of_two if plain and not several else of_any


implement(Product, _memberwise)
