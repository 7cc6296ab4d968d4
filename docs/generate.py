"""Writes the generated pages of this folder: run ``python docs/generate.py``.

``instructions.md`` comes from the table of instructions, ``rules/`` from the rules, ``cli.md`` from
what ``--help`` prints, ``report.schema.json`` from the classes of a report, ``pictures/`` from
``pictures.py``. A test fails where a file is not what this writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import click  # noqa: E402
from pictures import PICTURES  # noqa: E402

from ptxlint.cli import COMMANDS, commands, explain  # noqa: E402
from ptxlint.results.schema import report_schema  # noqa: E402
from ptxlint.rule import HEADINGS, RuleModule, load_rules  # noqa: E402

NOTE = "Generated: see `docs/generate.py`."


def rules(known: dict[str, RuleModule]) -> str:
    """The list of rules: a line for each."""
    head = (
        "# Rules",
        "",
        NOTE,
        "",
        "| rule | severity | tags | reports |",
        "| --- | --- | --- | --- |",
    )
    rows = (
        f"| [{name}]({name}.md) | {m.rule.severity.value} | {', '.join(m.rule.tags)} |"
        f" {m.rule.summary} |"
        for name, m in known.items()
    )
    tree = ("```{toctree}", ":hidden:", "", *known, "```", "")
    return "\n".join([*head, *rows, "", *tree])


def rule(module: RuleModule) -> str:
    """A rule: its docstring, then what it reports and what not."""
    known = module.rule
    about = f"; about {known.property.value}" if known.property is not None else ""
    parts = [
        f"# {known.id}",
        "",
        NOTE,
        "",
        f"{known.severity.value}; {', '.join(known.tags)}{about}",
    ]
    parts.append("")
    for block in module.page.strip().split("\n\n"):
        heading, _, rest = block.partition("\n")
        if heading in HEADINGS:
            parts += [f"## {heading}", "", dedent(rest), ""]
        else:
            parts += [dedent(block), ""]
    for heading, text in (("Reported", module.bad), ("Not reported", module.good)):
        parts += [f"## {heading}", "", "```ptx", text.strip("\n"), "```", ""]
    return "\n".join(parts)


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


def pages() -> dict[str, str]:
    """The generated files of this folder."""
    known = load_rules()
    return {
        "instructions.md": explain.page(),
        "cli.md": cli(),
        "report.schema.json": schema(),
        "rules/index.md": rules(known),
        **{f"rules/{name}.md": rule(module) for name, module in known.items()},
        **{f"pictures/{name}": draw() for name, draw in PICTURES.items()},
    }


if __name__ == "__main__":
    found = pages()
    for old in {*HERE.glob("rules/*.md"), *HERE.glob("pictures/*.svg")} - {HERE / n for n in found}:
        old.unlink()
    for name, text in found.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(text)
