"""Writes the generated pages of this folder: run ``python docs/generate.py``.

``instructions.md`` comes from the table of instructions, ``rules/`` from the rules, ``cli.md`` from
what ``--help`` prints, ``configuration.md`` and its schema from the table of keys,
``report.schema.json`` from the classes of a report, ``pictures/`` from
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
from ptxlint.configuration import keys  # noqa: E402
from ptxlint.contracts.contract import LAUNCH_KEYS  # noqa: E402
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
    for heading, text in module.examples:
        parts += [f"## {heading}", "", "```ptx", text, "```", ""]
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


def configuration() -> str:
    """The keys of a configuration, in tables."""
    parts = ["# Configuration", "", NOTE, "", CONFIGURATION.strip(), "", "## Keys", ""]
    parts += ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key in keys.KEYS:
        default = "" if key.default is None else f"`{json.dumps(key.default)}`"
        parts.append(f"| `{key.name}` | {kind_of(key)} | {default} | {cell(key.help)} |")
    parts += ["", "## `[[override]]`", "", "Rules that are not reported in some places.", ""]
    parts += ["| key | value | meaning |", "| --- | --- | --- |"]
    parts += [f"| `{key.name}` | {kind_of(key)} | {cell(key.help)} |" for key in keys.OVERRIDE]
    parts += ["", "## `[[launch]]`", "", "What launches of a kernel are like.", ""]
    parts += ["| key | meaning |", "| --- | --- |"]
    parts += [f"| `{name}` | {cell(text)} |" for name, text in LAUNCH_KEYS.items()]
    return "\n".join([*parts, ""])


def cell(text: str) -> str:
    """Plain text in a table of Markdown."""
    return text.replace("*", r"\*").replace("|", r"\|")


def kind_of(key: keys.Key) -> str:
    if key.choices:
        many = "a list of " if key.kind is keys.Kind.LIST else ""
        return many + ", ".join(f"`{choice}`" for choice in key.choices)
    return key.kind.value


CONFIGURATION = """
A configuration is `ptxlint.toml`, or `[tool.ptxlint]` of `pyproject.toml`, in the nearest folder
from the current one upwards that has either. The command line overrules it. An unknown key is an
error.

```toml
# ptxlint.toml
fail-on = "error"
ignore = ["slow-division"]

[[override]]
path = "generated/*"
ignore = ["traffic"]
reason = "written by a template"

[[launch]]
kernel = "saxpy"
params = ["n", "a", "x", "y"]
block = 256
buffers = { x = "4*n", y = "4*n" }
```

`ptxlint config` prints the value of each key and where it comes from; `ptxlint config --schema`
prints a [JSON schema](configuration.schema.json) for editors.
"""


def schema() -> str:
    """The schema of ``--output-format json``."""
    return json.dumps(report_schema(), indent=1) + "\n"


def pages() -> dict[str, str]:
    """The generated files of this folder."""
    known = load_rules()
    return {
        "instructions.md": explain.page(),
        "cli.md": cli(),
        "configuration.md": configuration(),
        "configuration.schema.json": json.dumps(keys.schema(), indent=1) + "\n",
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
