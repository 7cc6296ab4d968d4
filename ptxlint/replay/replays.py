"""Runs of one kernel on the interpreter, within a budget.

The budget is counted in steps, never in seconds: a search finds the same on every machine, however
busy it is.
"""

from __future__ import annotations

from msgspec.structs import replace

from analyses.budget import REPLAY_COST, REPLAYS_STEPS, STEP_LANES
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.simt import Interpreter, Observer, Outcome, RunOptions


class Replays:
    """The runs of a kernel in one search. ``left`` counts steps: an instruction for up to
    ``STEP_LANES`` lanes is one, and each run takes some more to begin. ``cut`` is true once a run
    was left out because nothing was left."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.kernel = interpreter.kernel
        self.left = REPLAYS_STEPS
        self.cut = False

    @property
    def steps(self) -> int:
        """The steps that were taken."""
        return REPLAYS_STEPS - self.left

    @property
    def exhausted(self) -> bool:
        """True if nothing is left to run with. The caller has something to run."""
        self.cut |= self.left <= 0
        return self.left <= 0

    def run(
        self, launch: ConcreteLaunch, options: RunOptions, observer: Observer | None = None
    ) -> Outcome | None:
        """The outcome; None if the launch is too large to be run, or nothing is left."""
        if self.exhausted:
            return None
        limited = replace(
            options,
            max_steps=min(options.max_steps, self.left),
            max_lane_instructions=self.left * STEP_LANES,
        )
        self.left -= REPLAY_COST
        try:
            outcome = self.interpreter.run(launch, limited, observer)
        except MemoryError:
            return None
        self.left -= outcome.steps + outcome.lane_instructions // STEP_LANES
        return outcome
