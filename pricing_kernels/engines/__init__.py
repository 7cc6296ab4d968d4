"""Where a kernel runs: ``simt``, the interpreter, needs no GPU. One contract, the same results.

An engine takes a PTX text that holds the contract's kernel, the launch that the contract declares,
and what buffers hold before (the others hold zeros); it gives back every buffer's bytes by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import KernelContract

Contents = Mapping[str, NDArray[Any]]
Results = dict[str, NDArray[np.uint8]]


class EngineError(Exception):
    """The kernel did not run to its end, or did something that no kernel may do."""


class Engine(Protocol):
    def __call__(
        self, ptx: str, contract: KernelContract, contents: Contents | None = None
    ) -> Results: ...
