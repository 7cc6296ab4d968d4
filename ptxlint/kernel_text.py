"""Each kernel of a module as a module of its own: the kernel, and the declarations that it needs.

Such a text is all that the analysis of a kernel depends on in its module. It is sent to another
process or machine, and it is what a stored result belongs to, wherever it stands. Lines and columns
are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.results.outcome import KernelHead
from ptxlint.source import Source
from ptxlint.syntax import ast
from ptxlint.syntax.lexical import NAME

_names = re.compile(NAME)
_files = re.compile(r"(?:\.loc|inlined_at)[ \t]+(\d+)")


class Item(Struct, frozen=True):
    """A piece of the module's text: the names it declares, and those it mentions."""

    start: int
    end: int
    declares: frozenset[str]
    mentions: frozenset[str]
    node: ast.Item


def kernel_heads(module: ast.Module, source: Source, plain: str) -> Iterator[KernelHead]:
    """The kernels of a module that have a body, in the order of the text. ``plain`` is that without
    comments."""
    items = list(items_of(module, plain))
    declared: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        for name in item.declares:
            declared.setdefault(name, []).append(index)
    files = {n.index: n.names[-1] for n in module.items if isinstance(n, ast.File)}
    head = len(plain[: items[0].start].rstrip()) if items else 0
    for index, item in enumerate(items):
        node = item.node
        if isinstance(node, ast.Function) and node.entry and node.body is not None:
            needed = closure(index, items, declared)
            text = "".join(source.text[items[i].start : items[i].end] for i in needed)
            used = {int(number) for number in _files.findall(text)}
            yield KernelHead(
                node.name,
                only(source, head, items, [i for i in needed if wanted(items[i].node, used, text)]),
                *source.line_column(node.offset),
                tuple(dict.fromkeys(name for at, name in files.items() if at in used)),
                tuple(formal.name for formal in node.parameters),
            )


def items_of(module: ast.Module, text: str) -> Iterator[Item]:
    """The items of a text without comments. A function ends with its body, others before the space
    in front of the next item."""
    nodes = sorted(module.items, key=lambda node: node.offset)
    ends = [*(node.offset for node in nodes), len(text)][1:]
    for node, end in zip(nodes, ends, strict=True):
        declares: Iterable[str] = ()
        end = node.offset + len(text[node.offset : end].rstrip())
        if isinstance(node, ast.Function):
            declares = (node.name,)
            end = node.body.end if node.body is not None else end
        elif isinstance(node, ast.Variable):
            numbered = any(declarator.count is not None for declarator in node.declarators)
            declares = () if numbered else (declarator.name for declarator in node.declarators)
        elif isinstance(node, ast.Alias):
            declares = (node.name,)
        mentions: Iterable[str] = ()
        if not isinstance(node, ast.Section | ast.File):
            mentions = _names.findall(text, node.offset, end)
        yield Item(node.offset, end, frozenset(declares), frozenset(mentions), node)


def closure(kernel: int, items: Sequence[Item], declared: Mapping[str, Sequence[int]]) -> list[int]:
    """The kernel, what it mentions, what that mentions, ..., and what has no name; in order."""
    found = {index for index, item in enumerate(items) if not item.declares}
    left = [kernel]
    while left:
        index = left.pop()
        if index not in found:
            found.add(index)
            new = items[index].mentions - items[index].declares
            left += [i for name in new for i in declared.get(name, ())]
    return sorted(found)


def wanted(node: ast.Item, files: set[int], text: str) -> bool:
    """True unless it is a file that no ``.loc`` names, or debug data that says nothing here: the
    names of inlined functions are in its strings."""
    if isinstance(node, ast.File):
        return node.index in files
    if isinstance(node, ast.Section) and node.name.startswith((".debug", "@@")):
        return node.name.endswith("debug_str") and "function_name" in text
    return True


def only(source: Source, head: int, items: Sequence[Item], kept: Sequence[int]) -> Source:
    """The text of these items and of the first ``head`` characters, each where it was in its
    line."""
    text = source.text
    pieces, gaps = [text[:head]], []
    end, line, skipped = head, text.count("\n", 0, head) + 1, 0
    for index in kept:
        start = items[index].start
        left_out = text.count("\n", end, start)
        if left_out:
            pieces.append("\n" + " " * (start - text.rfind("\n", 0, start) - 1))
            line += 1
            if left_out > 1:
                skipped += left_out - 1
                gaps.append((line, skipped))
        else:
            pieces.append(" " * (start - end))
        end = items[index].end
        pieces.append(text[start:end])
        line += text.count("\n", start, end)
    return replace(source, text="".join(pieces), gaps=tuple(gaps))
