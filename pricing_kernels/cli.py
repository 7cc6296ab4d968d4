"""The command line: list, emit and build kernels, rebuild the corpus, count opcodes.

Only click is imported at the start; the compiler comes in when a command needs it. Exit codes:
0 done, 1 the corpus differs from its sources, 2 wrong usage or no usable compiler.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pricing_kernels.kernel import Kernel


@click.group()
def main() -> None:
    """CUDA C kernels for option pricing, and the corpus of ptxlint."""


_root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default="corpus",
    show_default=True,
    help="The corpus folder.",
)


@main.command("list")
def list_command() -> None:
    """Name every kernel and the options that tell ptxlint its contract."""
    from pricing_kernels.catalogue import kernels

    for kernel in kernels().values():
        click.echo(f"{kernel.name}: ptxlint check {shlex.join(kernel.contract.options())}")


@main.command("emit")
@click.argument("name")
@click.option("--ptx", is_flag=True, help="Print PTX instead of CUDA C.")
def emit_command(name: str, ptx: bool) -> None:
    """Print the kernel NAME as CUDA C."""
    kernel = _kernel(name)
    with _build_errors():
        click.echo(kernel.ptx() if ptx else kernel.cuda(), nl=False)


@main.command("build")
@click.argument("names", nargs=-1)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="build",
    show_default=True,
    help="The folder to write to.",
)
def build_command(names: tuple[str, ...], out: Path) -> None:
    """Write CUDA C and PTX of the kernels NAMES (all, if none is named)."""
    from pricing_kernels.catalogue import kernels

    out.mkdir(parents=True, exist_ok=True)
    for kernel in [_kernel(name) for name in names or kernels()]:
        with _build_errors():
            texts = {".ptx": kernel.ptx(), ".cu": kernel.cuda()}
        for suffix, text in texts.items():
            path = out / f"{kernel.name}{suffix}"
            path.write_text(text, "utf-8", newline="\n")
            click.echo(f"wrote {path.as_posix()}")


@main.command("opcodes")
@_root
def opcodes_command(root: Path) -> None:
    """Count the opcodes of the corpus and of every emitted kernel."""
    from pricing_kernels import corpus
    from pricing_kernels.catalogue import kernels
    from pricing_kernels.opcodes import count_opcodes

    with _build_errors():
        emitted = count_opcodes("".join(kernel.ptx() for kernel in kernels().values()))
    stored = count_opcodes(
        "".join(path.read_text("utf-8") for path in corpus.sources(root, ".ptx"))
    )
    click.echo(f"{'corpus':>8} {'emitted':>8}  opcode")
    for opcode in sorted(stored | emitted):
        click.echo(f"{stored[opcode]:8} {emitted[opcode]:8}  {opcode}")


@main.command("corpus")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a derived file is stale.")
@_root
def corpus_command(check: bool, root: Path) -> None:
    """Compile every kernel of the corpus and write its PTX and the manifest."""
    from pricing_kernels import corpus

    with _build_errors():
        expected = corpus.expected_files(root)
    changed = corpus.stale(expected) if check else corpus.write(expected)
    orphans = corpus.orphans(root, expected)
    for path in changed:
        click.echo(f"{'stale' if check else 'wrote'} {path.as_posix()}")
    click.echo(f"{len(expected)} derived files, {len(changed)} {'stale' if check else 'written'}")
    for path in orphans:
        click.echo(f"no kernel's file: {path.as_posix()}")
    if orphans or (check and changed):
        raise SystemExit(1)


def _kernel(name: str) -> Kernel:
    """The kernel of that name, or click's one-line message and exit code 2."""
    from pricing_kernels.catalogue import kernels

    known = kernels()
    if name not in known:
        raise click.UsageError(f"no kernel {name!r}; there are: {', '.join(known)}")
    return known[name]


@contextmanager
def _build_errors() -> Iterator[None]:
    """Turns a BuildError into click's one-line message and exit code 2."""
    from pricing_kernels.build import BuildError

    try:
        yield
    except BuildError as error:
        raise click.UsageError(str(error)) from error
