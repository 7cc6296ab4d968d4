"""``python -m pricing_kernels.exercise.pso``: the price of the paper's put, or all stages."""

from __future__ import annotations

from typing import Final

import click

EUROPEAN: Final = 10.3278618  # the put without early exercise


@click.command()
@click.option("--stages", is_flag=True, help="Compare all stages.")
@click.option("--particles", default=64, show_default=True, help="A multiple of 32.")
@click.option("--parameters", default=2, show_default=True, help="1 to 4 of the boundary.")
@click.option("--paths", type=int, help="To fit on: 4000; 64 with --stages.")
@click.option("--dates", "steps", type=int, help="Of exercise: 50; 16 with --stages.")
@click.option("--seed", default=1, show_default=True)
@click.option("--engine", default="simt", show_default=True, help="simt, or cupy on a device.")
def main(
    stages: bool, particles: int, parameters: int, paths: int | None, steps: int | None,
    seed: int, engine: str,
) -> None:  # fmt: skip
    """Price an American put by a particle swarm: price and strike 100, rate 3 %, volatility 30 %,
    one year."""
    from pricing_kernels.build import BuildError
    from pricing_kernels.contract import ContractError
    from pricing_kernels.engines import EngineError
    from pricing_kernels.exercise.policy import BermudanOption, ExerciseError
    from pricing_kernels.exercise.pso.boundary import price
    from pricing_kernels.exercise.pso.comparison import compared
    from pricing_kernels.exercise.pso.stages import SwarmSearch
    from pricing_kernels.payoffs import PayoffError, black_scholes, dates

    try:
        over = dates(steps if steps is not None else 16 if stages else 50)
        put = BermudanOption(black_scholes(100, 0.03, 0.3), 100, 1.0, over)
        search = SwarmSearch(((0.0, 1.0),) * parameters, particles)
        if stages:
            for line in compared(put, search, 64 if paths is None else paths, seed, engine):
                click.echo(line)
        else:
            number = 4_000 if paths is None else paths
            found = price(
                put, search=search, fit_paths=number, seed=seed, engine=engine, control=EUROPEAN
            )
            click.echo(found)
    except (BuildError, ContractError, EngineError, ExerciseError, PayoffError) as error:
        raise click.UsageError(str(error)) from error


if __name__ == "__main__":
    main()
