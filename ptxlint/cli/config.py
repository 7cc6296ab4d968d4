"""``ptxlint config``: the configuration that counts here."""

from __future__ import annotations

import click

from ptxlint.cli.output import Refusal, write
from ptxlint.errors import Error


@click.command("config")
@click.option("--config", metavar="FILE", help="This file instead of the nearest one.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of a configuration.")
def command(config: str | None, schema: bool) -> int:
    """Print the value of each key of the configuration with its origin, and the tables.

    A configuration is ptxlint.toml, or [tool.ptxlint] of pyproject.toml, in the nearest folder from
    here upwards that has either. The command line overrules it. Editors check and complete it by
    the schema.
    """
    if schema:
        import json

        from ptxlint.configuration import keys

        write(json.dumps(keys.schema(), indent=2) + "\n")
        return 0
    from ptxlint.configuration.settings import settings, shown

    try:
        write("\n".join([*shown(settings({}, config)), ""]))
    except Error as error:
        raise Refusal(str(error)) from None
    return 0
