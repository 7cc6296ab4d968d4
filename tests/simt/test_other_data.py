"""An address that does not depend on loaded data is the same whatever buffers hold: each access by
each thread under the declared launch of a kernel, and with the same numbers in other places."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from analyses.concrete.bitvectors import Array
from analyses.loaded_data import DATA
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt import ConcreteLaunch, Machine, Observer, RunOptions, run
from tests.sampled import sampled

from .test_corpus import case, cases, contents

STEPS = 50_000


class Addresses(Observer):
    """The addresses of an instruction by one thread of a batch, in order."""

    def __init__(self) -> None:
        self.batches = 0
        self.found = defaultdict[tuple[PtxInstr, int, int], list[int]](list)

    def begin(self, machine: Machine) -> None:
        self.batches += 1

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        for lane in np.flatnonzero(active):
            self.found[instr, self.batches, int(lane)].append(int(addresses[lane]))


def addresses(kernel: Kernel, launch: ConcreteLaunch) -> Addresses:
    observer = Addresses()
    run(kernel, launch, RunOptions(max_steps=STEPS), observer)
    return observer


def fixed(facts: Facts) -> set[PtxInstr]:
    """The accesses whose address does not depend on data, nor how often they are executed."""
    data = facts.loaded_data
    moved = set(data.accesses())
    return {
        instr
        for block in facts.kernel.blocks
        for instr in block.instrs
        if isinstance(instr, PtxInstr) and instr not in moved
        if data.view.control[block.index] is not DATA
    }


@pytest.mark.parametrize("name", sampled(cases("clean"), 3))
def test_other_data_move_no_address_that_does_not_depend_on_data(name: str) -> None:
    clean = case("clean", name)
    kernel, declared = clean.kernel, resolved([Contract.from_comments(clean.source)], clean.kernel)
    turned = {i: array[::-1].copy() for i, array in contents(clean.source, declared).items()}
    first = addresses(kernel, clean.launch).found
    second = addresses(kernel, declared.concrete(kernel, turned)).found
    kept = fixed(Facts(kernel, resolved([Contract()], kernel), "sm_80"))
    for at in first.keys() & second.keys():
        length = min(len(first[at]), len(second[at]))
        assert at[0] not in kept or first[at][:length] == second[at][:length], at[0].text
