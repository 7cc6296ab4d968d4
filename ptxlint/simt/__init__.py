"""The SIMT interpreter: runs a kernel in SSA form on the concrete machine, many blocks at once.

The lanes of a batch are ordered by CTA, each padded to whole warps with inactive lanes. A value is
one vector; a definition writes the active lanes. Blocks are numbered in weak topological order, and
the lowest one with runnable lanes runs first, with all of them: lanes reconverge at the immediate
post-dominator and stay in the same iteration of a loop, as under a hardware stack. Barriers open
when no lane can run. Faults do not end the run: a faulting access is skipped, so one run collects
the faults of all instructions.

``Setup.schedule`` is the seed of another schedule, in which threads run independently of each
other. ``Setup.checks`` enables the detection of races, of reads of uninitialised memory, and of
member masks with lanes that never arrive.

Not supported: memory ordering (stores are visible at once), clusters, and instructions without a
meaning. Threads that wait for each other in memory (a spin lock) need a schedule: in lockstep they
exhaust the step budget. Threads that poll an ``mbarrier`` yield to others.
"""

from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch
from ptxlint.simt.interpreter import Interpreter, run
from ptxlint.simt.layout import Layout, RunOptions
from ptxlint.simt.machine import Machine, Observer
from ptxlint.simt.memory import Piece, overlapping
from ptxlint.simt.outcome import Fault, Outcome

__all__ = [
    "Allocation",
    "Argument",
    "ConcreteLaunch",
    "Fault",
    "Interpreter",
    "Layout",
    "Machine",
    "Observer",
    "Outcome",
    "Piece",
    "RunOptions",
    "overlapping",
    "run",
]
