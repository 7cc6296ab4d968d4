"""Swing options: the right to take a payment at some of the dates of a tree, by a dynamic programme
on the cells and the number taken. Taking all or nothing is best where the bounds are whole numbers.

Source: O. Bardou, S. Bouthemy and G. Pages, "When are swing options bang-bang?", International
Journal of Theoretical and Applied Finance 13, 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization.process import Reals
from pricing_kernels.exercise.quantization.transitions import Probabilities
from pricing_kernels.exercise.quantization.tree import MAX_DATES, QuantizationTree
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment

NEVER: Final = -1e30  # the value of what the contract does not allow

_SWING: Final = """\
{
    for (unsigned number = blockIdx.x; number < taken; number += gridDim.x)
        for (unsigned cell = threadIdx.x; cell < POINTS; cell += blockDim.x) {
            const float* keep = next + number * POINTS;
            float wait = 0.0f, take = 0.0f;
            for (unsigned to = 0; to < POINTS; to++) {
                float p = move[to * POINTS + cell];
                wait += p * keep[to];
                take += p * keep[to + POINTS];
            }
            values[number * POINTS + cell] = fmaxf(wait, take + pay[cell]);
        }
}
"""


def swing(
    tree: QuantizationTree,
    move: Probabilities,
    pay: Sequence[Reals],
    least: int,
    most: int,
    engine: str = "simt",
) -> float:
    """The value of the right to take ``pay[date]``, by cell, at some of the dates of the tree: at
    least and at most so many. There is no interest. Raises ExerciseError, EngineError."""
    dates = len(tree.years)
    if not 0 <= least <= most <= dates:
        raise ExerciseError(f"{least} to {most} of {dates} dates: expected 0 <= least <= most")
    kernel = swing_kernel(tree.points)
    launch = kernel.contract.launch((most + 1,), taken=most + 1)
    code, run = kernel.ptx(), engines.engine(engine)
    after = np.full((most + 2, tree.points), NEVER, np.float32)
    after[least : most + 1] = 0.0
    for date in reversed(range(dates)):
        later = np.eye(tree.points, dtype=np.float32) if date + 1 == dates else move[date + 1]
        contents = {"move": later, "next": after, "pay": pay[date].astype(np.float32)}
        values = run(code, launch, contents)["values"].reshape(-1, tree.points)
        after = np.concatenate([values, after[-1:]])
    return float(move[0, :, tree.origin].astype(float) @ after[0].astype(float))


def swing_kernel(points: int) -> EmittedKernel:
    """One date of the programme: values by number taken, and cell."""
    contract = KernelContract(
        f"quantization_swing_{points}",
        {
            "values": GlobalArray(np.float32, f"taken*{points}"),
            "move": GlobalArray(np.float32, str(points * points), const=True),
            "next": GlobalArray(np.float32, f"(taken + 1)*{points}", const=True),
            "pay": GlobalArray(np.float32, str(points), const=True),
            "taken": Scalar(np.uint32, 1, MAX_DATES + 1),
        },
        (points,),
    )
    body = Fragment("swing", __file__, _SWING, {}, {"POINTS": points})
    return EmittedKernel(body, contract, f"Take or wait, for {points} cells.")
