"""The command line: list, emit and build kernels, rebuild the corpus, count opcodes.

Only click is imported at the start; the compiler comes in when a command needs it. Exit codes:
0 done, 1 the corpus differs from its sources, 2 wrong usage or no usable compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


@click.group()
def main() -> None:
    """CUDA C kernels for option pricing, and the corpus of ptxlint."""


@main.command("corpus")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a derived file is stale.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default="corpus",
    show_default=True,
    help="The corpus folder.",
)
def corpus_command(check: bool, root: Path) -> None:
    """Compile every kernel of the corpus and write its PTX and the manifest."""
    from pricing_kernels import corpus

    with _build_errors():
        expected = corpus.expected_files(root)
    changed = corpus.stale(expected) if check else corpus.write(expected)
    for path in changed:
        click.echo(f"{'stale' if check else 'wrote'} {path.as_posix()}")
    click.echo(f"{len(expected)} derived files, {len(changed)} {'stale' if check else 'written'}")
    if check and changed:
        raise SystemExit(1)


@contextmanager
def _build_errors() -> Iterator[None]:
    """Turns a BuildError into click's one-line message and exit code 2."""
    from pricing_kernels.build import BuildError

    try:
        yield
    except BuildError as error:
        raise click.UsageError(str(error)) from error
