"""What a check is asked for, beside the sources: launches, rules, kernels, a GPU."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.contracts.contract import Contract
from ptxlint.errors import Error, did_you_mean
from ptxlint.mangling import matches
from ptxlint.results.finding import Finding
from ptxlint.rule import load_rule, load_rules, rule_names

ALL = "all"


class Override(Struct, frozen=True):
    """Rules that are not reported in kernels and files that fit a pattern. Paths count from
    ``folder``; a finding is in its source and in its PTX."""

    ignore: tuple[str, ...]
    paths: tuple[str, ...] = ("*",)
    kernels: tuple[str, ...] = ("*",)
    reason: str = ""
    folder: str = ""
    origin: str = "override"

    def __post_init__(self) -> None:
        """Raises Error for what is no rule."""
        for name in self.ignore:
            named("ignore", name)

    def fits(self, finding: Finding) -> bool:
        """True if the finding is not reported."""
        if not any(finding.rule in named("ignore", name) for name in self.ignore):
            return False
        if not any(matches(finding.kernel, pattern) for pattern in self.kernels):
            return False
        places = {self.path(place.path) for place in (finding.location, finding.ptx)}
        return any(fnmatchcase(path, pattern) for path in places for pattern in self.paths)

    def path(self, path: str) -> str:
        """The path from the folder, with slashes."""
        return Path(os.path.relpath(path, self.folder or ".")).as_posix()


class Options(Struct, frozen=True, dict=True):
    """All that a report depends on beside the sources: ``check(sources, options)``.

    The command line and the configuration fill one. It is a value: it can be pickled, and a check
    of equal sources with equal options gives an equal report, apart from the seconds. What decides
    the exit code (``--fail-on``, ``--require``) and the form of the report is not in it.

    ``contracts`` are declared; of several, the first one that declares something counts. The
    ``launches`` happened: a kernel that has some is checked for each of them, and the contracts say
    what they leave open. ``select`` and ``ignore`` hold ids and tags of rules, no ``select`` means
    all; ``kernel`` is a pattern like ``reduce_*``, of mangled or demangled names.
    """

    contracts: tuple[Contract, ...] = ()
    launches: tuple[Contract, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    kernel: str = "*"
    arch: str = "sm_80"
    any_grid: bool = False  # do not assume what is assumed of an undeclared grid
    pedantic: bool = False
    z3: bool = False  # ask it for proofs that are not found otherwise
    infer: bool = False  # infer contracts too
    rules: bool = True  # ask any
    verdicts: bool = True  # judge each property
    overrides: tuple[Override, ...] = ()
    folders: tuple[str, ...] = ()  # in which the texts of sources are looked for

    def __post_init__(self) -> None:
        """Raises Error for what stands for nothing."""
        if not re.fullmatch(r"sm_\d{2,3}[af]?", self.arch):
            raise Error(f"arch {self.arch}: expected a target like sm_80 or sm_90a")
        for option, names in (("select", self.select), ("ignore", self.ignore)):
            for name in names:
                rules = named(option, name)
                asked = name != ALL and option == "select"  # not all: that loads the analyses
                if asked and all(load_rule(rule).check is None for rule in rules):
                    raise Error(f"select {name}: only 'ptxlint run' finds it")
        if self.z3 and find_spec("z3") is None:
            raise Error("z3: z3 is not installed; 'pip install z3-solver', or ptxlint with [z3]")

    def for_one_kernel(self) -> Options:
        """The options for a kernel that is chosen already."""
        return replace(self, kernel="*")

    @property
    def checks(self) -> bool:
        """True if more than contracts is asked for."""
        return self.rules or not self.infer

    @cached_property
    def rule_ids(self) -> tuple[str, ...]:
        """The rules to ask, in their order. A rule that is named counts more than a tag, and a tag
        more than ``all``; of equals, ``ignore`` counts."""
        select, ignore = rank(self.select or (ALL,)), rank(self.ignore)
        chosen = (name for name in rule_names() if select.get(name, 0) > ignore.get(name, 0))
        return tuple(chosen) if self.rules else ()


def named(option: str, name: str) -> tuple[str, ...]:
    """The rules that an id, a tag or ``all`` stands for. Raises Error."""
    if name in rule_names():
        return (name,)
    if name == ALL:
        return rule_names()
    rules = load_rules()
    found = tuple(one for one, module in rules.items() if name in module.rule.tags)
    if not found:
        tags = {tag for module in rules.values() for tag in module.rule.tags}
        hint = did_you_mean(name, (*rules, *sorted(tags), ALL))
        raise Error(f"{option} {name}: no such rule or tag{hint}")
    return found


def rank(names: Iterable[str]) -> dict[str, int]:
    """How closely the names say each rule: 3 by its id, 2 by a tag, 1 by ``all``."""
    found: dict[str, int] = {}
    for name in names:
        degree = 3 if name in rule_names() else 1 if name == ALL else 2
        for rule in named("select", name):
            found[rule] = max(degree, found.get(rule, 0))
    return found
