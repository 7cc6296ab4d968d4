"""Writes the generated pages of this folder: run ``python docs/generate.py``.

``instructions.md`` comes from the table of instructions, ``rules.md`` from the rules, ``cli.md``
from what ``--help`` prints, ``report.schema.json`` from the classes of a report. A test fails where
a page is not what this prints.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import click  # noqa: E402

from ptxlint.cli import COMMANDS, commands, explain  # noqa: E402
from ptxlint.results.schema import report_schema  # noqa: E402
from ptxlint.rule import HEADINGS, RuleModule, load_rules  # noqa: E402

NOTE = "Generated: see `docs/generate.py`."


def rules() -> str:
    """Every rule: its docstring, then what it reports and what not."""
    parts = [line for module in load_rules().values() for line in rule(module)]
    return "\n".join(["# Rules", "", NOTE, "", *parts])


def rule(module: RuleModule) -> Iterator[str]:
    known = module.rule
    yield from (f"## {known.id}", "", f"{known.severity.value}; {', '.join(known.tags)}", "")
    for block in module.page.strip().split("\n\n"):
        heading, _, rest = block.partition("\n")
        if heading in HEADINGS:
            yield from (f"### {heading}", "", dedent(rest), "")
        else:
            yield from (dedent(block), "")
    for heading, text in (("Reported", module.bad), ("Not reported", module.good)):
        yield from (f"### {heading}", "", "```ptx", text.strip("\n"), "```", "")


def cli() -> str:
    """What ``--help`` says, of ptxlint and of each command."""
    parts = ["# Command line", "", NOTE, ""]
    size = {"terminal_width": 80, "max_content_width": 80}
    context = click.Context(commands, info_name="ptxlint", **commands.context_settings, **size)
    parts += ["```text", commands.get_help(context), "```", ""]
    for name in COMMANDS:
        found = commands.get_command(context, name)
        assert found is not None
        inner = click.Context(found, info_name=name, parent=context, **size)
        parts += [f"## ptxlint {name}", "", "```text", found.get_help(inner), "```", ""]
    return "\n".join(parts)


def schema() -> str:
    """The schema of ``--output-format json``."""
    return json.dumps(report_schema(), indent=1) + "\n"


PAGES = {
    "instructions.md": explain.page,
    "rules.md": rules,
    "cli.md": cli,
    "report.schema.json": schema,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page())
