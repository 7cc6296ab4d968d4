"""Quantization trees: a Gaussian process on a grid at each date, with the probabilities between the
cells of one date and the next.

The grid of a date is that of the standard normal law with the least mean squared distance, times
the deviation of the process then. Its cells are the points that are nearest to each grid point.
``transitions`` counts the moves of simulated paths from cell to cell by the algorithms of the
paper; ``exact_transitions`` integrates the normal law of one factor.

``fit`` is the dynamic programme of an option that is exercised once: it gives the price of the
asset at which each date exercises. ``swing`` is that of an option that is exercised several times.

Sources: G. Pages and B. Wilbertz, "GPGPUs in computational finance: massive parallel computing for
American style options", 2010; V. Bally and G. Pages, "A quantization algorithm for solving
multi-dimensional discrete-time optimal stopping problems", Bernoulli 9, 2003; O. Bardou, S.
Bouthemy and G. Pages, "Optimal quantization for the pricing of swing options", 2009.
"""

from __future__ import annotations

from pricing_kernels.exercise.quantization.grids import lloyd, normal_grid
from pricing_kernels.exercise.quantization.nearest import nearest_cells, nearest_kernel
from pricing_kernels.exercise.quantization.process import GaussianProcess
from pricing_kernels.exercise.quantization.stopping import backward_kernel, fit, price
from pricing_kernels.exercise.quantization.swing import swing, swing_kernel
from pricing_kernels.exercise.quantization.transitions import (
    estimated,
    exact_transitions,
    layers_kernel,
    serial_transitions,
    transitions,
    transitions_kernel,
)
from pricing_kernels.exercise.quantization.tree import QuantizationTree
from pricing_kernels.kernel import EmittedKernel

__all__ = [
    "GaussianProcess",
    "QuantizationTree",
    "estimated",
    "exact_transitions",
    "fit",
    "kernels",
    "lloyd",
    "nearest_cells",
    "nearest_kernel",
    "normal_grid",
    "price",
    "serial_transitions",
    "swing",
    "transitions",
]


def kernels() -> tuple[EmittedKernel, ...]:
    """The kernels that are shipped: these grids need no compiler."""
    return (
        *(transitions_kernel(*shape) for shape in ((1, 64), (1, 128), (2, 128))),
        *(layers_kernel(*shape) for shape in ((1, 64), (2, 64))),
        *(nearest_kernel(search, 2, 128) for search in ("brute", "tree")),
        *(make(points) for points in (64, 128) for make in (backward_kernel, swing_kernel)),
    )
