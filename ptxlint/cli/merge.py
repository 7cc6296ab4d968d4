"""``ptxlint merge``: the shards of one check as one report."""

from __future__ import annotations

from typing import Any

import click

from ptxlint.cli.check import Reporting, report_options, settled
from ptxlint.cli.grouping import Grouped
from ptxlint.cli.output import Refusal
from ptxlint.errors import Error


@click.command(
    "merge",
    cls=Grouped,
    epilog="Exit codes: those of 'ptxlint check'; 2 also for a shard that is missing, given twice,"
    " of another version, or of a check with other options or sources.",
)
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@report_options
@click.option("--config", metavar="FILE", help="The configuration, as for 'ptxlint check'.")
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Report on all shards of a check: on what 'ptxlint check --shard I/N' wrote for each I. The
    report is that of one check of all kernels, but for the seconds, which add up.
    """
    from ptxlint.reading import read_bytes, reason
    from ptxlint.shards import ShardResult, merged

    asked = settled(options)
    reporting = Reporting.of(options, asked)
    found: list[tuple[str, ShardResult]] = []
    for path in paths:
        try:
            found.append((path, ShardResult.from_json(read_bytes(path).decode("utf-8"))))
        except OSError as error:
            raise Refusal(f"{path}: {reason(error)}") from None
        except (Error, UnicodeDecodeError) as error:
            raise Refusal(f"{path}: {error}") from None
    try:
        report, files, chosen = merged(found)
    except Error as error:
        raise Refusal(str(error)) from None
    return reporting.publish(report, files, chosen)
