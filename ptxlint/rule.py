"""Rules: the modules of ``ptxlint.rules``, what one contains and how they are found.

A rule's module has

- a docstring: one line, then the headings *What it does*, *Why it is bad*, *How to fix*, *Known
  limitations* and *References*, from which ``ptxlint rule`` prints its page;
- ``RULE``, whose id is the module's name with dashes;
- ``BAD`` and ``GOOD``: PTX that follows ``HEADER``. ``// expect: rule-id`` marks the lines of BAD
  that the rule must report and is dropped from GOOD; ``// launch:`` has launch options. They are
  the rule's tests and its examples;
- ``check(facts)``, which yields claims, made by ``RULE.claim``. Without it, only ``ptxlint run``
  finds what the page describes: a fault of the interpreter with the rule's id.

The folder is the list of rules. A module whose name starts with ``_`` is not a rule.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ptxlint.claim import Claim, Harm, RelatedInstr
from ptxlint.results.finding import Certainty, MemoryAccess, RequestCost, Severity
from ptxlint.results.verdict import Property

if TYPE_CHECKING:
    from analyses.traffic.fixes import ProposedFix
    from ptxlint.ir import PtxInstr

EXPECT = re.compile(r" *// expect: [\w-]+")
HEADER = """
.version 9.0
.target sm_80
.address_size 64
"""
SHOWN_FIRST, SHOWN_LAST = 40, 10  # lines of an example
HEADINGS = ("What it does", "Why it is bad", "How to fix", "Known limitations", "References")


class RuleError(Exception):
    """A module in the rules folder that is not a rule."""


class Rule(Struct, frozen=True):
    """The constants of a rule. Its findings flag subjects of the ``property``, if it is about
    one."""

    id: str
    severity: Severity
    tags: tuple[str, ...]
    summary: str
    property: Property | None = None

    def claim(
        self,
        instr: PtxInstr,
        message: str,
        certain: bool,
        *,
        unless: str | None = None,
        harm: Harm | None = None,
        condition: str | None = None,
        access: MemoryAccess | None = None,
        cost: RequestCost | None = None,
        share: int | None = None,
        related: tuple[RelatedInstr, ...] = (),
        help: str | None = None,
        advice: str | None = None,
        fix: ProposedFix | None = None,
    ) -> Claim:
        """A claim of this rule: proved if ``certain``, else possible, ``unless`` something holds
        that would make it wrong."""
        return Claim(
            rule=self.id,
            severity=self.severity,
            certainty=Certainty.PROVED if certain else Certainty.POSSIBLE,
            message=message,
            instr=instr,
            harm=harm,
            condition=condition,
            access=access,
            cost=cost,
            share=share,
            related=related,
            help=help,
            advice=advice,
            fix=fix,
            reason=None if certain else unless,
            property=self.property,
        )


class RuleModule(Struct, frozen=True):
    """A rule with its page, its examples and its check; without a check, only a run reports it."""

    rule: Rule
    page: str
    bad: str
    good: str
    check: Callable[[Any], Iterable[Claim]] | None = None

    @property
    def id(self) -> str:
        return self.rule.id

    @property
    def examples(self) -> tuple[tuple[str, str], ...]:
        """BAD and GOOD under their headings; of a long one, the first lines and the last."""
        return ("Reported", _abridged(self.bad)), ("Not reported", _abridged(self.good))


def _abridged(text: str) -> str:
    lines = text.strip("\n").splitlines()
    hidden = len(lines) - SHOWN_FIRST - SHOWN_LAST
    if hidden > 1:
        lines[SHOWN_FIRST:-SHOWN_LAST] = [f"    // and {hidden} lines more"]
    return "\n".join(lines)


@cache
def rule_names() -> tuple[str, ...]:
    """The ids of all rules, without importing any."""
    import ptxlint.rules

    found = pkgutil.iter_modules(ptxlint.rules.__path__)
    return tuple(sorted(m.name.replace("_", "-") for m in found if not m.name.startswith("_")))


def load_rule(name: str) -> RuleModule:
    """The rule of this id."""
    return from_module(importlib.import_module(f"ptxlint.rules.{name.replace('-', '_')}"))


def load_rules() -> dict[str, RuleModule]:
    """All rules by id, in order."""
    return {name: load_rule(name) for name in rule_names()}


def from_module(module: ModuleType) -> RuleModule:
    """The rule in a module. Raises RuleError with what is missing."""
    name = module.__name__.rpartition(".")[2].replace("_", "-")
    for attribute in ("RULE", "BAD", "GOOD"):
        if not hasattr(module, attribute):
            raise RuleError(f"rule {name}: the module has no {attribute}")
    if not isinstance(module.RULE, Rule):
        raise RuleError(f"rule {name}: RULE is no Rule")
    if name != module.RULE.id:
        raise RuleError(f"rule {name}: RULE.id is {module.RULE.id}, expected the file's name")
    page = inspect.cleandoc(module.__doc__ or "")
    missing = [heading for heading in HEADINGS if heading not in page]
    if missing:
        raise RuleError(f"rule {name}: the docstring has no heading {', '.join(missing)}")
    bad, good = (HEADER + text.lstrip("\n") for text in (module.BAD, module.GOOD))
    good = EXPECT.sub("", good)
    return RuleModule(module.RULE, page, bad, good, getattr(module, "check", None))
