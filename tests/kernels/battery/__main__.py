"""`python -m tests.kernels.battery [GENERATOR ...]`: the p-values of our generators' numbers."""

from __future__ import annotations

import click

from pricing_kernels.catalogue import GENERATORS
from pricing_kernels.rng.generator import Generator, Words

from . import LEVEL, SIZE, leftmost, p_values

STREAMS = 64


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
def main(names: tuple[str, ...], seed: int) -> None:
    """Judge the numbers of 64 streams of the generators NAMES (all, if none is named).

    What fails is marked; Sobol's points are not random and fail.
    """
    known = {generator.name: generator for generator in GENERATORS}
    if unknown := set(names) - known.keys():
        raise click.UsageError(f"no generator {min(unknown)}; there are: {', '.join(known)}")
    for name in names or known:
        click.echo(name)
        for test, p in p_values(_numbers(known[name], seed)).items():
            click.echo(f"    {test:26}{p:<10.2g}{'FAILED' if p < LEVEL else ''}".rstrip())


def _numbers(generator: Generator, seed: int) -> Words:
    """So many numbers as the battery needs."""
    count = min(SIZE // STREAMS, generator.max_count)
    numbers = generator.numbers(min(seed, generator.max_seed), SIZE // count, count)
    return leftmost(numbers, generator.values)


if __name__ == "__main__":
    main()
