"""The command line: kernels listed, emitted, built, linted, run and timed; the corpus rebuilt.

Only click is imported at the start; the compiler comes in when a command needs it. Exit codes:
0 done, 1 findings or a stale corpus, 2 wrong usage or no usable compiler, 3 not all proved.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ptxlint.cli.running import AUTO, JOBS, cache_options, serial
from ptxlint.reading import reason

if TYPE_CHECKING:
    from pricing_kernels.kernel import EmittedKernel

Named = TypeVar("Named")
names_argument = click.argument("names", nargs=-1)

STREAMS = 4
"""The streams of ``run`` where none are asked for and the kernel can have so few."""


class Failure(click.ClickException):
    """What a file or a folder refuses, in one line."""

    exit_code = 2


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
@click.option("--contracts", is_flag=True, help="Print the options that tell ptxlint each one's.")
@click.option("--occupancy", metavar="ARCH", help="Print what a multiprocessor of sm_90 holds.")
def list_command(contracts: bool, occupancy: str | None) -> None:
    """Name every kernel and what it computes."""
    listed = _kernels(())
    width = max(len(kernel.name) for kernel in listed)
    for kernel in listed:
        if contracts:
            pairs = kernel.contract.declared().options()
            options = [word for pair in pairs for word in pair]
            command = ["ptxlint", "check", f"{kernel.name}.ptx", "--kernel", kernel.name]
            click.echo(shlex.join([*command, *options]))
        else:
            said = kernel.shows if occupancy is None else _resident(kernel, occupancy)
            click.echo(f"{kernel.name:{width}}  {said}")


def _resident(kernel: EmittedKernel, arch: str) -> str:
    """The block of a kernel, and how many of them a multiprocessor holds."""
    from analyses.traffic.occupancy import most_registers, occupancy

    named = re.fullmatch(r"sm_(\d+)(\d)[af]?", arch)
    if named is None:
        raise click.UsageError(f"--occupancy {arch}: expected an architecture, as sm_90")
    with _errors():
        shared = kernel.shared_bytes()
    threads, capability = math.prod(kernel.contract.block), (int(named[1]), int(named[2]))
    try:
        held = occupancy(capability, threads, shared=shared)
        registers = most_registers(capability, threads, shared)
    except ValueError as error:
        raise click.UsageError(f"{kernel.name}: {error}") from error
    block = f"{threads} threads and {shared} bytes a block"
    return f"{block}: {held}, with up to {registers} registers a thread"


@main.command("emit")
@click.argument("name")
@click.option("--ptx", is_flag=True, help="Print PTX instead of CUDA C.")
def emit_command(name: str, ptx: bool) -> None:
    """Print the kernel NAME as CUDA C."""
    (kernel,) = _kernels((name,))
    with _errors():
        click.echo(kernel.ptx() if ptx else kernel.cuda(lines=False), nl=False)


@main.command("build")
@names_argument
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="build",
    show_default=True,
    help="The folder to write to.",
)
def build_command(names: tuple[str, ...], out: Path) -> None:
    """Write CUDA C and PTX of the kernels NAMES (all, if none is named)."""
    for kernel in _kernels(names):
        with _errors():
            texts = {".ptx": kernel.ptx(), ".cu": kernel.cuda()}
            out.mkdir(parents=True, exist_ok=True)
            for suffix, text in texts.items():
                path = out / f"{kernel.name}{suffix}"
                path.write_text(text, "utf-8", newline="\n")
                click.echo(f"wrote {path.as_posix()}")


@dataclass(frozen=True)
class LintTask:
    """A kernel of this package by its name, with the options of ``lint`` and of the cache."""

    name: str
    largest: int | None
    strict: bool
    require: tuple[str, ...]
    cache: dict[str, Any]


def linted(task: LintTask) -> tuple[int, str]:
    """As ``lint``, in any process."""
    from pricing_kernels.lint import lint

    (kernel,) = _kernels((task.name,))
    with serial(task.cache) as running:
        return lint(kernel, task.largest, task.strict, require=task.require, running=running)


@main.command("lint")
@names_argument
@click.option(
    "--largest",
    type=click.IntRange(1),
    metavar="N",
    help="One launch, its numbers N at most. Without it, races that are not proved for all"
    " launches are looked for in two, which the last lines name.",
)
@click.option("--strict", is_flag=True, help="Exit 3 if a required property is not proved.")
@click.option(
    "--require", metavar="PROPERTIES", default="", help="Strict about these: bounds,races."
)
@JOBS
@cache_options
def lint_command(
    names: tuple[str, ...],
    largest: int | None,
    strict: bool,
    require: str,
    jobs: str,
    **cache: Any,
) -> None:
    """Run ptxlint on the kernels NAMES (all, if none is named), each with its contract.

    Findings are at the lines of the fragments' own files."""
    from ptxlint.errors import Error
    from ptxlint.executors import Lost, have_processes, in_order, pool_of, run

    codes, named = [], tuple(p for p in require.split(",") if p)
    tasks = [LintTask(k.name, largest, strict, named, cache) for k in _kernels(names)]
    with _errors():
        alone = jobs == AUTO and (len(tasks) == 1 or not have_processes())
        pool = pool_of("1" if alone else jobs, None)
        results = in_order(run(linted, tasks, range(len(tasks)), pool))
        for task, result in zip(tasks, results, strict=True):
            if isinstance(result, Lost):
                raise Error(f"{task.name}: the process that analysed it died")
            click.echo(f"{task.name}\n{result[1]}")
            codes.append(result[0])
    raise SystemExit(min((code for code in codes if code), default=0))


@main.command("run")
@click.argument("name", metavar="GENERATOR")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--streams", type=int, help="4 if not given, or as few more as the kernel can have.")
@click.option("--count", type=int, default=8, show_default=True, help="Numbers of each stream.")
@click.option(
    "--normal", metavar="METHOD", help="Normal numbers: single, shared, shuffle, inverse."
)
@click.option("--engine", default="simt", show_default=True, help="simt, or cupy on a device.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Save as .npy.")
def run_command(
    name: str,
    seed: int,
    streams: int | None,
    count: int,
    normal: str | None,
    engine: str,
    out: Path | None,
) -> None:
    """Print numbers of a GENERATOR: a row for each turn, a column for each stream."""
    import numpy as np

    from pricing_kernels import engines
    from pricing_kernels.catalogue import GENERATORS
    from pricing_kernels.normal import METHODS

    generator = _named("generator", name, {g.name: g for g in GENERATORS})
    method = None if normal is None else _named("method", normal, {m.name: m for m in METHODS})
    if out is not None and not out.parent.is_dir():
        raise Failure(f"--out {out}: there is no folder {out.parent}")
    kernel = method.kernel(generator) if method else generator.kernels[1]
    if streams is None:
        several = math.lcm(generator.group, kernel.contract.scalars["streams"].multiple_of)
        streams = -(-STREAMS // several) * several
    with _errors():
        state = generator.start(seed, streams)
        launch = kernel.contract.launch(streams=streams, count=count)
        run = engines.engine(engine)
        numbers = run(kernel.ptx(), launch, {"state": state})["numbers"].reshape(count, streams)
    if out is not None:
        with _errors(), out.open("wb") as file:
            np.save(file, numbers)
        click.echo(f"wrote {out.as_posix()}")
        return
    for row in numbers:
        click.echo(" ".join(f"{number:11.7f}" if method else f"{number:10}" for number in row))


@main.command("bench")
@names_argument
def bench_command(names: tuple[str, ...]) -> None:
    """Time the compiler on the kernels NAMES (all, if none is named), warm, best of five."""
    from pricing_kernels.build import seconds_to_compile

    for kernel in _kernels(names):
        with _errors():
            seconds = seconds_to_compile(kernel.cuda(), f"{kernel.name}.cu")
            lines = kernel.ptx().count("\n")
        click.echo(f"{kernel.name:32}{1e3 * seconds:8.1f} ms{lines:8} lines of PTX")


@main.command("calibrate")
@click.argument("name")
@click.option("--device", default="H200", show_default=True, help="A device by its name.")
@click.option("--registers", type=click.IntRange(1), help="Of a thread; else ptxas says it.")
def calibrate_command(name: str, device: str, registers: int | None) -> None:
    """Print the occupancy of a DEVICE with each size of block of the kernel NAME, the best last."""
    from pricing_kernels.calibration import GPU_MODELS, best, calibrate

    (kernel,) = _kernels((name,))
    chosen = _named("device", device, GPU_MODELS)
    with _errors():
        try:
            sizes = calibrate(kernel, chosen, registers or 0)
        except ValueError as error:
            raise click.UsageError(f"{name} on {device}: {error}") from error
    for size in sizes:
        click.echo(f"{100 * size.share:5.1f} %  {size}")
    found = best(sizes)
    blocks = found.held.blocks * chosen.multiprocessors
    click.echo(f"best: {found.threads} threads, {blocks} blocks fill the {device}")


@main.command("opcodes")
@_root
def opcodes_command(root: Path) -> None:
    """Count the opcodes of the corpus and of every emitted kernel."""
    from pricing_kernels import corpus
    from pricing_kernels.opcodes import count_opcodes

    with _errors():
        emitted = count_opcodes("".join(kernel.ptx() for kernel in _kernels(())))
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

    with _errors():
        expected = corpus.expected_files(root)
    changed = corpus.stale(expected) if check else corpus.write(expected)
    orphans = corpus.orphans(expected)
    for path in changed:
        click.echo(f"{'stale' if check else 'wrote'} {path.as_posix()}")
    click.echo(f"{len(expected)} derived files, {len(changed)} {'stale' if check else 'written'}")
    for path in orphans:
        click.echo(f"no kernel's file: {path.as_posix()}")
    if orphans or (check and changed):
        raise SystemExit(1)


def _kernels(names: tuple[str, ...]) -> list[EmittedKernel]:
    """The kernels of these names, all if there is none; else click's message and exit code 2."""
    from pricing_kernels.catalogue import shipped

    known = shipped()
    return [_named("kernel", name, known) for name in names or known]


def _named(kind: str, name: str, known: Mapping[str, Named]) -> Named:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}"
    raise click.UsageError(f"no {kind} {name!r}; {hint}")


@contextmanager
def _errors() -> Iterator[None]:
    """Turns an error that says what is wrong into click's one-line message and exit code 2: ours,
    the file system's, and a launch that is larger than memory."""
    from pricing_kernels.build import BuildError
    from pricing_kernels.contract import ContractError
    from pricing_kernels.engines import EngineError
    from pricing_kernels.rng.generator import SeedError
    from ptxlint.errors import Error

    try:
        yield
    except (BuildError, ContractError, EngineError, SeedError, Error) as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        raise Failure(place + reason(error)) from error
    except MemoryError as error:
        raise click.UsageError(f"the launch does not fit in memory: {error}") from error
