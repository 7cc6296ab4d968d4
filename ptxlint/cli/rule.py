"""``ptxlint rule``: the page of a rule, from the rule's own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ptxlint.cli.output import Refusal, write
from ptxlint.errors import did_you_mean

if TYPE_CHECKING:
    from ptxlint.rule import RuleModule


@click.command("rule")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain the rule NAME, with PTX that it reports and PTX that is right. Without NAME, list
    all rules."""
    from ptxlint.rule import load_rule, load_rules, rule_names

    if name is None:
        write(listing(load_rules()))
    elif name in rule_names():
        write(page(load_rule(name)))
    else:
        raise Refusal(f"rule {name}: no such rule{did_you_mean(name, rule_names())}")
    return 0


def listing(rules: dict[str, RuleModule]) -> str:
    """One line for each rule, aligned."""
    width = max((len(name) for name in rules), default=0)
    lines = [
        f"{name:{width}}  {module.rule.severity.value:7}  {module.rule.summary}"
        for name, module in rules.items()
    ]
    return "\n".join([*lines, ""])


def page(module: RuleModule) -> str:
    """The rule's docstring under a title, then its two examples."""
    rule = module.rule
    title = f"{rule.id}: {rule.severity.value}; {', '.join(rule.tags)}"
    parts = [title, "=" * len(title), "", module.page, ""]
    for heading, text in module.examples:
        lines = [f"    {line}".rstrip() for line in text.splitlines()]
        parts += [heading, "-" * len(heading), "", *lines, ""]
    return "\n".join(parts)
