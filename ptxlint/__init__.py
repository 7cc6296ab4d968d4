"""Static analysis of NVIDIA PTX. ``docs/api.md`` shows how it is used from Python.

The names are imported on demand.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ptxlint.version import VERSION

if TYPE_CHECKING:
    from ptxlint.api import check, infer, kernels
    from ptxlint.contracts.contract import Contract
    from ptxlint.contracts.declaration import Buffer, ContractError
    from ptxlint.contracts.launch import Allocation, ConcreteLaunch, Launch
    from ptxlint.contracts.launch_check import check_launch
    from ptxlint.errors import Error, NotClean
    from ptxlint.execution.runner import Execution, run
    from ptxlint.frontends.guard import LaunchRefused, guard
    from ptxlint.ir import Kernel
    from ptxlint.results.contract import InferredContract
    from ptxlint.results.finding import Certainty, Finding, Severity, Span, Witness
    from ptxlint.results.report import AccessResult, KernelResult, Report
    from ptxlint.results.verdict import Property, Status, Unproved, Verdict
    from ptxlint.source import Diagnostic, Source

_MODULES = {
    "api": ("check", "infer", "kernels"),
    "contracts.contract": ("Contract",),
    "contracts.declaration": ("Buffer", "ContractError"),
    "contracts.launch": ("Allocation", "ConcreteLaunch", "Launch"),
    "contracts.launch_check": ("check_launch",),
    "errors": ("Error", "NotClean"),
    "results.finding": ("Certainty", "Finding", "Severity", "Span", "Witness"),
    "results.contract": ("InferredContract",),
    "ir": ("Kernel",),
    "results.report": ("AccessResult", "KernelResult", "Report"),
    "results.verdict": ("Property", "Status", "Unproved", "Verdict"),
    "execution.runner": ("Execution", "run"),
    "frontends.guard": ("LaunchRefused", "guard"),
    "source": ("Diagnostic", "Source"),
}
__version__ = VERSION
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AccessResult",
    "Allocation",
    "Buffer",
    "Certainty",
    "ConcreteLaunch",
    "Contract",
    "ContractError",
    "Diagnostic",
    "Error",
    "Execution",
    "Finding",
    "InferredContract",
    "Kernel",
    "KernelResult",
    "Launch",
    "LaunchRefused",
    "NotClean",
    "Property",
    "Report",
    "Severity",
    "Source",
    "Span",
    "Status",
    "Unproved",
    "Verdict",
    "Witness",
    "__version__",
    "check",
    "check_launch",
    "guard",
    "infer",
    "kernels",
    "run",
]


FRONT_ENDS = ("cupy", "numba", "triton")


def __getattr__(name: str) -> Any:
    if name in FRONT_ENDS:
        return import_module(f"ptxlint.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'ptxlint' has no attribute {name!r}")
    return getattr(import_module(f"ptxlint.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
