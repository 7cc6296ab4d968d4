"""A check in several shards, as documents of JSON, and the report on all of them.

``ptxlint-shard/1`` has the outcomes of one shard's kernels, the texts that were read, and those
options that decide what is reported. The whole is that of one check, apart from the seconds, which
add up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.cache import digest
from ptxlint.checker import Running, Shard, checked, silenced
from ptxlint.errors import Error
from ptxlint.options import Options
from ptxlint.results.outcome import Checked, ModuleOutcome
from ptxlint.results.report import Report
from ptxlint.results.serialization import from_json, to_json
from ptxlint.source import Diagnostic, Source
from ptxlint.source_files import SourceFiles
from ptxlint.version import VERSION

SCHEMA = "ptxlint-shard/1"


class ShardResult(Struct, frozen=True):
    """What is known of one shard. ``options`` are without launches and z3, which count for the
    outcomes alone; ``asked`` is a digest of all options, ``texts`` are those of the sources."""

    shard: Shard
    asked: str
    options: Options
    texts: tuple[Source, ...]
    checked: Checked

    def to_json(self) -> str:
        held = to_json(self)
        head = {"schema": SCHEMA, "version": VERSION, "digest": digest_of(held)}
        return json.dumps({**head, **held}, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> ShardResult:
        """The part that was written so. Raises Error."""
        try:
            document: dict[str, Any] = json.loads(text)
            schema, version, written = (
                document.pop(name, None) for name in ("schema", "version", "digest")
            )
            if schema != SCHEMA:
                raise Error(f"schema {schema!r}: expected {SCHEMA}, as --shard I/N writes it")
            if version != VERSION:
                raise Error(f"written by ptxlint {version}, this is {VERSION}")
            if written != digest_of(document):
                raise Error("changed after it was written")
            return from_json(cls, document)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Error(f"not a shard: {error}") from None


def digest_of(document: dict[str, Any]) -> str:
    return digest(json.dumps(document)).hex()


def shard_result(
    sources: Iterable[Source],
    options: Options,
    problems: Sequence[Diagnostic],
    running: Running,
) -> ShardResult:
    """The part of a check that ``running`` asks for. Raises ContractError."""
    sources = list(sources)
    files = SourceFiles(sources, folders=options.folders)
    found = checked(sources, options, problems, files, running)
    near = tuple(
        replace(one, folder=os.path.relpath(one.folder or ".")) for one in options.overrides
    )
    options = replace(options, overrides=near)
    return ShardResult(
        shard=running.shard,
        asked=digest(repr(options)).hex(),
        options=replace(options, contracts=(), launches=(), z3=False),
        texts=tuple(text for several in files.sources.values() for text in several),
        checked=found,
    )


def merged(parts: Sequence[tuple[str, ShardResult]]) -> tuple[Report, SourceFiles, Options]:
    """The report on all parts, each with the name of its file; the texts that it quotes; and the
    options. Raises Error for parts that are not those of one check, each once."""
    (first_name, first), *others = parts
    count, names = first.shard.count, {first.shard.index: first_name}
    for name, other in others:
        index = other.shard.index
        if other.shard.count != count:
            raise Error(f"{name}: shard {other.shard}, but {first_name} is {first.shard}")
        if index in names:
            raise Error(f"{name}: shard {other.shard} again, as {names[index]}")
        if (other.asked, other.options) != (first.asked, first.options):
            raise Error(f"{name}: made with other options than {first_name}")
        if other.texts != first.texts or outline(other.checked) != outline(first.checked):
            raise Error(f"{name}: made of other sources than {first_name}")
        names[index] = name
    missing = [Shard(index, count) for index in range(1, count + 1) if index not in names]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise Error(f"shard {missing[0]}{more}: missing")
    files = SourceFiles(first.texts, folders=first.options.folders)
    report = together([each.checked for _, each in parts]).report()
    return silenced(report, files, first.options), files, first.options


def outline(of: Checked) -> Checked:
    """What all shards have in common."""
    modules = (replace(each, outcomes=(None,) * len(each.outcomes)) for each in of.modules)
    return replace(of, modules=tuple(modules), seconds=0.0)


def together(parts: Sequence[Checked]) -> Checked:
    """The check with the outcomes of all parts. Raises Error where two have the same, or none."""
    modules = zip(*(each.modules for each in parts), strict=True)
    seconds = sum(each.seconds for each in parts)
    return replace(parts[0], modules=tuple(map(module_of, modules)), seconds=seconds)


def module_of(parts: Sequence[ModuleOutcome]) -> ModuleOutcome:
    outcomes = []
    for each in zip(*(one.outcomes for one in parts), strict=True):
        known = [outcome for outcome in each if outcome is not None]
        if len(known) != 1:
            raise Error(f"{parts[0].path}: a kernel is in {len(known)} shards, expected one")
        outcomes += known
    return replace(parts[0], outcomes=tuple(outcomes))
