"""Launches that happened, in a file: the tables of a contract, each of them one launch.

    [[launch]]
    kernel = "saxpy"
    params = ["n", "a", "x", "y"]
    block = [256, 1, 1]
    grid = [4, 1, 1]
    shared = 0
    args = { n = 1000, a = "2.5" }
    buffers = { x = "4000@256", y = "4000@256" }

``ptxlint run --record FILE`` adds one, and so may whatever launches kernels elsewhere. Tables about
the same kernel are launches side by side: none overrules another.
"""

from __future__ import annotations

import json

from ptxlint.contracts.contract import Contract, ContractError
from ptxlint.contracts.file import read
from ptxlint.contracts.launch import ConcreteLaunch


def launches(path: str) -> list[Contract]:
    """The launches in a file, in their order. Raises ContractError."""
    found = read(path)
    for contract in found:
        if contract.block is None or contract.grid is None:
            place = contract.place("--")
            raise ContractError(f"{place}: a launch that happened has a block and a grid")
    return found


def table(kernel: str, launch: ConcreteLaunch) -> str:
    """One launch as text; a buffer is its size in bytes and its alignment."""
    numbers = {
        name: value if isinstance(value, int) else str(value)
        for name, value in launch.numbers.items()
    }
    memory = launch.allocations.items()
    sizes = {name: f"{each.size}@{each.align}" for name, each in memory if each.size is not None}
    lines = [
        "[[launch]]",
        f"kernel = {json.dumps(kernel)}",
        f"params = {json.dumps([name for name in launch.names if '.' not in name])}",
        f"block = {list(launch.block)}",
        f"grid = {list(launch.grid)}",
        f"shared = {launch.shared}",
    ]
    for key, named in (("args", numbers), ("buffers", sizes)):
        if named:
            pairs = (f"{json.dumps(name)} = {json.dumps(value)}" for name, value in named.items())
            lines.append(f"{key} = {{ {', '.join(pairs)} }}")
    return "\n".join([*lines, "", ""])
