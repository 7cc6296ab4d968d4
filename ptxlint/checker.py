"""The check: from sources to a report, kernel by kernel.

Each kernel is a task of its own, with all that its result depends on. A result that the cache has
is taken from there; the other tasks run on an executor, in this process or elsewhere. The report is
the same in each case, apart from the seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.mangling import matches, signature
from ptxlint.results.outcome import (
    Checked,
    KernelHead,
    KernelOutcome,
    ModuleOutcome,
    ParsedModule,
)
from ptxlint.source import Diagnostic, Source, plural
from ptxlint.source_files import SourceFiles, base_name

if TYPE_CHECKING:
    from ptxlint.cache import Cache
    from ptxlint.contracts.contract import Contract, Named
    from ptxlint.contracts.declaration import ContractError
    from ptxlint.executors import Lost, Pool
    from ptxlint.ir import Kernel
    from ptxlint.options import Options
    from ptxlint.results.report import Report

DIED = "not analysed: the process that analysed it died (killed, or out of memory)"


class Shard(Struct, frozen=True):
    """The part ``index`` of ``count`` parts of the kernels, counted from 1."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, head: KernelHead) -> bool:
        """By the name and the text of the kernel: the same on each machine."""
        if self.count == 1:
            return True
        from hashlib import blake2b

        text = f"{head.name}\0{head.source.text}".encode("utf-8", "surrogatepass")
        number = int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
        return number % self.count == self.index - 1


class Running(Struct, frozen=True):
    """How a check runs; nothing of the report depends on it, but for the ``shard``. ``pool`` says
    where kernels of so many characters each run; None for this process. ``progress`` is called with
    the kernels done, and all."""

    pool: Callable[[Sequence[int]], Pool | None] = lambda sizes: None
    cache: Cache | None = None
    shard: Shard = Shard()
    progress: Callable[[int, int], None] = lambda done, every: None


def check(
    sources: Iterable[Source],
    options: Options | None = None,
    problems: Sequence[Diagnostic] = (),
    files: SourceFiles | None = None,
    running: Running | None = None,
) -> Report:
    """Checks the sources. ``problems`` come first in the report, ``files`` are the texts that it
    quotes. Raises ContractError where a declaration fits no kernel."""
    sources = list(sources)
    files = files or SourceFiles(sources, folders=() if options is None else options.folders)
    report = checked(sources, options, problems, files, running).report()
    return silenced(report, files, options)


def silenced(report: Report, files: SourceFiles, options: Options | None) -> Report:
    """The report without what comments and the configuration silence."""
    if not any(files.marked()) and (options is None or not options.overrides):
        return report
    from ptxlint.ignores import applied
    from ptxlint.options import Options

    return applied(report, files, options or Options())


def checked(
    sources: Iterable[Source],
    options: Options | None = None,
    problems: Sequence[Diagnostic] = (),
    files: SourceFiles | None = None,
    running: Running | None = None,
) -> Checked:
    """As ``check``, kernel by kernel, with what comments silence."""
    start = perf_counter()
    if options is None:
        from ptxlint.options import Options

        options = Options()
    sources, running = list(sources), running or Running()
    files = files or SourceFiles(sources, folders=options.folders)
    modules = [parsed(source, running.cache) for source in sources]
    chosen = [
        [head for head in module.heads if matches(head.name, options.kernel)] for module in modules
    ]
    require(options, modules, chosen)
    heads = [head for some in chosen for head in some]
    texts = {id(head): texts_of(head, files) for head in heads}  # of all: each shard tells the same
    mine = [head for head in heads if running.shard.has(head)]
    given = [texts[id(head)] for head in mine]
    outcomes = dict(zip(map(id, mine), outcomes_of(mine, given, options, running), strict=True))
    found = tuple(
        ModuleOutcome(
            path=module.path,
            present=sum(matches(name, options.kernel) for name in module.entries),
            diagnostics=module.diagnostics,
            outcomes=tuple(outcomes.get(id(head)) for head in some),
        )
        for module, some in zip(modules, chosen, strict=True)
    )
    notes = (*unfitting((*options.launches, *options.contracts), heads), *without_kernels(modules))
    return Checked(
        modules=found,
        before=(*problems, *notes),
        after=tuple(files.problems),
        seconds=perf_counter() - start,
    )


def parsed(source: Source, cache: Cache | None) -> ParsedModule:
    key = b""
    if cache is not None:
        key = cache.key("module", identity(source))
        known = cache.get([key], ParsedModule)
        if key in known:
            return known[key]
    from ptxlint.analysis import parsed_module

    found = parsed_module(source)
    if cache is not None:
        cache.put(key, found)
    return found


def identity(source: Source) -> str:
    """The source in words, its text too."""
    where = (source.path, source.first, source.launch, source.image, source.gaps)
    return f"{where!r}\n{source.text}"


# --- outcomes


class Kept(Struct, frozen=True):
    """An outcome as the cache has it, and where the kernel stood: a source without its text."""

    outcome: KernelOutcome
    source: Source

    @classmethod
    def of(cls, outcome: KernelOutcome, source: Source) -> Kept:
        return cls(outcome, without_text(source))

    def at(self, source: Source) -> KernelOutcome:
        """The outcome of the same kernel where it stands now."""
        if self.source == without_text(source):
            return self.outcome
        from ptxlint.results.moved import moved

        return moved(self.outcome, self.source, source)


def without_text(source: Source) -> Source:
    """The source without its text."""
    return replace(source, text="")


def depends_on(head: KernelHead, texts: Sequence[Source]) -> Iterator[str]:
    """All that the outcome of a kernel depends on, but for its place: the lines it stands on, and
    its file, unless that is itself one that its lines come from."""
    source = head.source
    quoted = base_name(source.path) in map(base_name, head.files)
    yield f"{source.path if quoted else None!r} {head.name} {source.launch!r} {source.image}"
    yield source.text
    yield from map(identity, texts)


def outcomes_of(
    heads: Sequence[KernelHead],
    texts: Sequence[tuple[Source, ...]],
    options: Options,
    running: Running,
) -> list[KernelOutcome]:
    """The outcome of each kernel: from the cache, else from the pool. Raises ContractError."""
    found: dict[int, KernelOutcome] = {}
    keys: list[bytes] = []
    cache = None if options.z3 else running.cache  # what a solver finds depends on its version
    if cache is not None:
        asked = repr(options.for_one_kernel())
        keys = [cache.key("kernel", asked, *each) for each in map(depends_on, heads, texts)]
        known = cache.get(keys, Kept)
        kept = ((number, known[key]) for number, key in enumerate(keys) if key in known)
        found = {number: one.at(heads[number].source) for number, one in kept}
    if len(found) < len(heads):
        for number, outcome in computed(heads, texts, options, running, found.keys()):
            found[number] = outcome
            if cache is not None and outcome.whole:
                cache.put(keys[number], Kept.of(outcome, heads[number].source))
            running.progress(len(found), len(heads))
    return [found[number] for number in range(len(heads))]


def texts_of(head: KernelHead, files: SourceFiles) -> tuple[Source, ...]:
    """The texts that the lines of a kernel come from, if they can be read."""
    found = (files.find(head.source.path, name) for name in head.files)
    return tuple(text for text in found if text is not None)


def computed(
    heads: Sequence[KernelHead],
    texts: Sequence[tuple[Source, ...]],
    options: Options,
    running: Running,
    known: Iterable[int],
) -> Iterator[tuple[int, KernelOutcome]]:
    """The outcomes that are not known. The largest kernels begin where several run at once. Raises
    the ContractError of the first kernel that has one."""
    from ptxlint.analysis import Task, named, outcome_of
    from ptxlint.contracts.declaration import ContractError

    tasks = [Task(head, given, options) for head, given in zip(heads, texts, strict=True)]
    order = sorted(set(range(len(heads))) - set(known))
    errors: dict[int, ContractError] = {}

    def needed(number: int) -> bool:
        return not errors or number < min(errors)

    results: Iterable[tuple[int, KernelOutcome | ContractError | Lost]]
    pool = running.pool([len(heads[number].source.text) for number in order])
    if pool is None:
        results = ((number, outcome_of(tasks[number])) for number in order if needed(number))
    else:
        from ptxlint.executors import run

        order.sort(key=lambda number: -len(heads[number].source.text))
        results = run(outcome_of, tasks, order, pool, needed)
    for number, outcome in results:
        if isinstance(outcome, ContractError):
            errors[number] = outcome
        elif isinstance(outcome, KernelOutcome):
            yield number, outcome
        else:
            head = heads[number]
            message = f"kernel {signature(head.name)}: {DIED}"
            died = Diagnostic(head.source.path, head.line, head.column, message)
            yield number, KernelOutcome(problems=(died,))
    if errors:
        first = min(errors)
        head = heads[first]
        raise named(errors[first], head.name, head.source) if len(heads) > 1 else errors[first]


# --- contracts


class Formal(Struct, frozen=True):
    """A parameter, by which a declaration may be meant."""

    name: str
    index: int
    region: None = None


class Signature(Struct, frozen=True):
    """A kernel by its name and parameters, as declarations see it. Members of structures are not
    known before it is lowered."""

    name: str
    parameters: tuple[Formal, ...]
    members: tuple[Formal, ...] = ()

    @classmethod
    def of(cls, head: KernelHead) -> Signature:
        return cls(head.name, tuple(Formal(name, at) for at, name in enumerate(head.parameters)))


def require(
    options: Options, modules: Sequence[ParsedModule], chosen: Sequence[Sequence[KernelHead]]
) -> None:
    """Raises ContractError for unknown names. If a kernel could not be read, the name may be meant
    for it."""
    there = [name for module in modules for name in module.entries]
    present = sum(matches(name, options.kernel) for name in there)
    if there and not present:
        from ptxlint.contracts.declaration import ContractError

        names = ", ".join(map(signature, there[:5])) + (" and others" if len(there) > 5 else "")
        message = f"no kernel of this name, there is {names}"
        raise ContractError(f"--kernel {options.kernel}: {message}")
    heads = [head for some in chosen for head in some]
    contracts = [c for c in (*options.launches, *options.contracts) if c.named]
    if contracts and len(heads) == present:
        from ptxlint.contracts.declaration import ContractError
        from ptxlint.contracts.resolution import required

        try:
            required(contracts, [(cast("Kernel", Signature.of(h)), h.source) for h in heads])
        except ContractError:  # a name may be that of a member
            from ptxlint.analysis import lowered

            kernels = [(kernel, head.source) for head in heads for kernel in lowered(head)]
            if len(kernels) == len(heads):
                required(contracts, kernels)


def unfitting(contracts: Iterable[Contract], kernels: Sequence[Named]) -> Iterator[Diagnostic]:
    """A note on each contract file that fits none of the kernels."""
    for origin, group in groupby(contracts, lambda contract: contract.origin):
        if kernels and not any(c.fits(k) or not c.places for c in group for k in kernels):
            names = ", ".join([k.name for k in kernels][:5]) + ", ..." * (len(kernels) > 5)
            message = f"nothing there is about a kernel here: {names}"
            yield Diagnostic(origin, 0, 0, message, "note")


def without_kernels(modules: Sequence[ParsedModule]) -> Iterator[Diagnostic]:
    """A note on modules that are right and have no kernel, where none has one. Among others that
    have kernels they are passed over: folders of PTX have modules of functions and variables."""
    if modules and not any(module.entries or module.diagnostics for module in modules):
        message, paths = "no kernel in this file", sorted({module.path for module in modules})
        others = plural(len(paths) - 1, "other file", "other files")
        if len(paths) > 1:
            message = f"no kernel in this file, nor in {others}"
        yield Diagnostic(paths[0], 0, 0, message, "note")
