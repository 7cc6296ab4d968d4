"""Particle swarms: a search for the exercise boundary, in the optimisation stages of a paper.

A particle is a candidate for the 1 to 4 numbers of a boundary. In each turn every particle moves,
drawn to the best position that it had itself and to the best one of the swarm; then the boundary of
each is tried on the same simulated paths.

``boundary`` fits and prices, ``stages`` are the ways to run a turn, ``kernels`` their kernels,
``costs`` what ptxlint says of them; ``python -m pricing_kernels.exercise.pso`` prints all stages.

Source: L. X. Li and R.-R. Chen, "GPU-accelerated PSO for high-performance American option
valuation", Applied Sciences 15, 2025. Departures: few numbers for a boundary instead of one for
each date; random numbers drawn anew in each turn; a search that ends after some turns in vain, not
after the first; a price on paths of its own.
"""

from pricing_kernels.exercise.pso.boundary import Boundary, fit, price
from pricing_kernels.exercise.pso.stages import STAGES, Stage, SwarmSearch

__all__ = ["STAGES", "Boundary", "Stage", "SwarmSearch", "fit", "price"]
