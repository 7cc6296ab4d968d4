"""Options in groups in the help of a command, and options made of the keys of a configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

GROUPS = {
    "Launch": (
        "block", "grid", "shared", "arg", "buffer", "values", "layout", "assume", "writes",
        "distinct", "params", "contract", "launches", "any_grid",
    ),
    "Rules and kernels": (
        "select", "ignore", "extend_select", "extend_ignore", "pedantic", "kernel", "arch", "z3",
    ),
    "Verdict": ("fail_on", "strict", "require", "baseline"),
    "Output": (
        "output_format", "output", "statistics", "show_undecided", "fix", "contracts", "full",
        "color", "source", "stdin_filename",
    ),
    "Running": ("jobs", "executor", "shard", "watch", "cache_dir", "no_cache"),
}  # fmt: skip
"""The groups of options, by the names of their parameters."""


class Grouped(click.Command):
    """A command whose help shows its options in GROUPS, and the rest at the end."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown: dict[str, list[tuple[str, str]]] = {name: [] for name in (*GROUPS, "Other options")}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups = (group for group, names in GROUPS.items() if parameter.name in names)
                shown[next(groups, "Other options")].append(record)
        for group, records in shown.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Paragraphs; one that begins with a line ``\b`` keeps its lines."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)


def setting(*names: str) -> Callable[[Any], Any]:
    """The options of these keys of a configuration; without a value, the configuration counts."""
    from ptxlint.configuration.keys import BY_NAME, Kind

    def decorated(command: Any) -> Any:
        for name in reversed(names):
            key = BY_NAME[name]
            text = key.help
            if key.kind is Kind.TEXT and key.default:
                text += f"  [default: {key.default}]"
            if key.kind is Kind.FLAG:
                made = click.option(f"--{name}/--no-{name}", default=None, help=text)
            elif key.kind is Kind.LIST:
                made = click.option(f"--{name}", metavar=key.metavar, multiple=True, help=text)
            else:
                kind = click.Choice(list(key.choices)) if key.choices else None
                made = click.option(f"--{name}", metavar=key.metavar or None, type=kind, help=text)
            command = made(command)
        return command

    return decorated
