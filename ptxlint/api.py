"""What can be asked of ptxlint from Python: see ``docs/api.md``.

A call leaves the process as it found it, and two calls may run in two threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

from ptxlint.checker import check as checked
from ptxlint.contracts import files
from ptxlint.contracts.contract import Contract
from ptxlint.errors import Error
from ptxlint.inputs import Given, sources_of
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.results.contract import InferredContract
from ptxlint.results.report import Report
from ptxlint.source import Diagnostic
from ptxlint.syntax import parse

Declared = Contract | str | os.PathLike[str]


def check(
    source: Given | Iterable[Given],
    *,
    contract: Declared | Iterable[Declared] = (),
    launches: Declared | Iterable[Declared] = (),
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    kernel: str = "*",
    arch: str = "sm_80",
    any_grid: bool = False,
    pedantic: bool = False,
    contracts: bool = False,
    z3: bool = False,
) -> Report:
    """Analyses PTX: a path, a text, bytes, or several of these.

    A contract is a Contract or the path of a TOML file; of several, the first one that declares
    something counts. ``launches`` happened, or are the path of a record of such: each is checked by
    itself. ``select`` and ``ignore`` name rules or their tags, ``kernel`` is a pattern like
    ``reduce_*``. A launch is assumed to have at most 2**31 threads if its grid is not declared,
    unless ``any_grid``. With ``pedantic`` the report has findings that are only possible, with
    ``contracts`` the inferred contracts. Raises Error for what cannot be used; what is wrong inside
    a source is among the report's diagnostics.
    """
    problems: list[Diagnostic] = []
    options = Options(
        contracts=contracts_in(contract, files.read),
        launches=contracts_in(launches, partial(launches_in, problems=problems)),
        select=words(select),
        ignore=words(ignore),
        kernel=kernel,
        arch=arch,
        any_grid=any_grid,
        pedantic=pedantic,
        z3=z3,
        infer=contracts,
    )
    return checked(sources_of(source, problems), options, problems)


def infer(
    source: Given | Iterable[Given], *, params: str | Iterable[str] = (), kernel: str = "*"
) -> tuple[InferredContract, ...]:
    """What each kernel needs of its launches, reads and writes, from its PTX alone. ``params``
    are names for the parameters, in order. Raises Error for a source with an error."""
    names = Contract(params=words(params))
    options = Options(contracts=(names,), kernel=kernel, infer=True, rules=False)
    report = checked(sources_of(source), options)
    refuse(report.diagnostics)
    return report.contracts


def kernels(source: Given | Iterable[Given]) -> tuple[Kernel, ...]:
    """The kernels in SSA form. Raises Error for a source with an error."""
    found: list[Kernel] = []
    for one in sources_of(source):
        parsed = parse(one)
        refuse(parsed.diagnostics)
        if parsed.module is not None:
            program = lower_module(parsed.module, one)
            refuse(program.diagnostics)
            found += program.kernels
    return tuple(found)


def contracts_in(
    given: Declared | Iterable[Declared], read: Callable[[str], Iterable[Contract]]
) -> tuple[Contract, ...]:
    several = [given] if isinstance(given, Contract | str | os.PathLike) else given
    return tuple(
        contract
        for one in several
        for contract in ([one] if isinstance(one, Contract) else read(os.fspath(one)))
    )


def launches_in(path: str, problems: list[Diagnostic]) -> list[Contract]:
    """The launches in a record."""
    from ptxlint.contracts.records import launches

    return launches(path, problems)


def refuse(diagnostics: Iterable[Diagnostic]) -> None:
    """Raises Error with the errors, if there are any."""
    errors = [str(one) for one in diagnostics if one.severity == "error"]
    if errors:
        raise Error("\n".join(errors))


def words(names: str | Iterable[str]) -> tuple[str, ...]:
    """One name, several with commas, or a sequence of them."""
    given = [names] if isinstance(names, str) else names
    return tuple(word.strip() for one in given for word in one.split(",") if word.strip())
