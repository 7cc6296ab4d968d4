"""The SIMT interpreter: runs a kernel in SSA form over ``Lanes``, many blocks at once.

The lanes of a batch stand CTA after CTA, each padded to whole warps with lanes that never run. A
value is one vector; a definition writes the active lanes. Blocks are numbered in weak topological
order, and the lowest one that has runnable lanes runs first, with all of them: lanes reconverge at
the immediate post-dominator and keep step in loops, as under a hardware stack. Barriers open when
nothing else can run. Faults do not end the run: an access that cannot happen is left out, so one
run gathers the faults of all instructions.

``RunOptions.schedule`` is the seed of another order, in which threads run independently of each
other, and ``RunOptions.checks`` asks for races, for reads of memory that nothing has written, and
for lanes that a mask names in vain.

Not handled: memory ordering (a store is seen by all at once), clusters, and whatever is unmodelled.
Threads that wait for each other in memory (a spin lock) need a schedule: in step, they run into the
step budget. Those that poll an ``mbarrier`` let others run first.
"""

from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch
from ptxlint.simt.layout import Layout, RunOptions
from ptxlint.simt.machine import Machine, Observer, run
from ptxlint.simt.memory import Piece, overlapping
from ptxlint.simt.outcome import Fault, Outcome

__all__ = [
    "Allocation",
    "Argument",
    "ConcreteLaunch",
    "Fault",
    "Layout",
    "Machine",
    "Observer",
    "Outcome",
    "Piece",
    "RunOptions",
    "overlapping",
    "run",
]
