"""The domains under judgement: a module of samples for each module that defines a domain.

``tests/domains/NAME.py`` gives ``JUDGED`` for the domain in ``analyses/*/NAME.py``; nothing lists
it. The laws of a lattice (``tests/laws``) are asked of its samples, the concrete machine judges its
operators (``tests/oracle``). A domain whose elements do not say word by word what they cover, such
as polynomials over symbols, has a judge of its own, ``tests/oracle/test_NAME.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyses import domains, lanes, polynomials
from analyses.algebra import Algebra
from analyses.concrete.machine import BitVector
from analyses.lattice import Domain

FOLDERS = (domains, polynomials, lanes)
ORACLE = Path(__file__).parents[1] / "oracle"


@dataclass(frozen=True, eq=False)
class Judged:
    """A domain with some elements of one width, for the laws, and with all elements of any small
    width, for the judge of operators: None if that is a module of its own."""

    domain: Domain[Any]
    samples: Sequence[Any]
    elements: Callable[[int], Sequence[Any]] | None = None
    widths: tuple[int, ...] = (1, 2, 3, 4, 5)
    unary_widths: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    budget: int = 10_000  # operand tuples for one case at one width

    def every(self, width: int) -> Sequence[Any]:
        assert self.elements is not None
        return self.elements(width)

    @cache  # noqa: B019 - lives as long as the module
    def members(self, width: int) -> NDArray[np.bool_]:
        """Which element admits which word."""
        return covered(self.domain, self.every(width), every_word(width))


def every_word(width: int) -> BitVector:
    return BitVector.of(width, range(1 << width))


def covered(domain: Domain[Any], facts: Sequence[Any], words: BitVector) -> NDArray[np.bool_]:
    return np.array([domain.admits(fact, words) for fact in facts], bool)


def defined() -> Iterator[tuple[str, type[Algebra[Any]]]]:
    """The classes that interpret words abstractly, by the name of their module."""
    for folder in FOLDERS:
        for info in iter_modules(folder.__path__):
            module = import_module(f"{folder.__name__}.{info.name}")
            for found in vars(module).values():
                here = isinstance(found, type) and found.__module__ == module.__name__
                if here and issubclass(found, Algebra):
                    yield info.name, found


def judged() -> dict[str, Judged]:
    names = sorted(info.name for info in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").JUDGED for name in names}


def unjudged(name: str, found: type[Algebra[Any]], known: dict[str, Judged]) -> str | None:
    """What is missing before the class is judged."""
    own = ORACLE / f"test_{name}.py"
    by_itself = own.exists() and found.__name__ in own.read_text("utf-8")
    samples = known.get(name)
    if samples is None or not isinstance(samples.domain, found):
        if issubclass(found, Domain):
            return f"tests/domains/{name}.py with samples of {found.__name__}"
        return None if by_itself else f"{own.name} with a judge of {found.__name__}"
    if samples.elements is None and not by_itself:
        return f"the elements of {found.__name__}, or {own.name} with a judge of it"
    return None
