"""``ptxlint explain``: one instruction of the table.

Its syntax, the section of the manual, its effects, and its meaning in the text algebra.
``--coverage`` prints the page of all instructions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from textwrap import fill

import click

from analyses.program import Effect
from ptxlint.cli.output import Refusal, write
from ptxlint.errors import did_you_mean
from ptxlint.isa.row import Form, MemoryEffect, Row
from ptxlint.isa.table import CHAPTERS, decode, rows
from ptxlint.isa.text_algebra import example, meaning
from ptxlint.results.finding import VERBS

MANUAL = "https://docs.nvidia.com/cuda/parallel-thread-execution/#"
MOST_LINES = 40
WIDTH = 96
TYPE_NAMES = ("type", "dtype", "atype", "btype", "ctype", "stype")
EFFECTS = {
    Effect.LOAD: "loads from memory",
    Effect.STORE: "stores to memory",
    Effect.ATOMIC: "atomic read-modify-write",
    Effect.BARRIER: "waits at a barrier of the CTA",
    Effect.ARRIVE: "arrives at a barrier without waiting",
    Effect.CONVERGENT: "convergent (depends on the active lanes)",
    Effect.ALIGNED: "aligned (all lanes of the warp must execute it together)",
    Effect.FENCE: "memory fence, or no effect but time",
    Effect.COMMIT: "makes a group of the asynchronous copies issued before",
    Effect.AWAIT: "waits for groups of asynchronous copies",
    Effect.BRANCH: "branches",
    Effect.EXIT: "exits the thread, or returns",
    Effect.CALL: "calls a function",
    Effect.TRAP: "stops the kernel",
}


@click.command("explain")
@click.argument("opcode", required=False)
@click.option("--coverage", is_flag=True, help="Print the page of all instructions, in Markdown.")
def command(opcode: str | None, coverage: bool) -> int:
    """Explain the instruction OPCODE: all its forms, or only those with the modifiers given, as in
    mad.lo.u32. Without OPCODE, list all instructions."""
    if coverage:
        write(page())
    elif opcode is None:
        write(listing())
    else:
        write(explanation(opcode))
    return 0


def explanation(opcode: str) -> str:
    """Every row that matches the opcode; for a whole instruction, that row and this form."""
    name, *modifiers = opcode.lstrip(".").split(".")
    listed = rows().get(name)
    if listed is None:
        raise Refusal(f"instruction {name}: no such instruction{did_you_mean(name, rows())}")
    form = decode(name, tuple(modifiers))
    if modifiers and form is not None:
        return "\n".join([*paragraphs(form, modifiers, whole=True), ""])
    fitting = [row for row in listed if words_of(row).issuperset(modifiers)]
    if not fitting:
        words = {w for row in listed for w in words_of(row)}
        odd = next((w for w in modifiers if w not in words), "")
        why = f"{name} has no .{odd}{did_you_mean(odd, words)}" if odd else "no form has all these"
        raise Refusal(f"instruction {opcode}: {why}")
    shapes: dict[str, None] = {}
    for row in fitting:
        shapes["\n".join(paragraphs(example(row, modifiers), modifiers))] = None
    return "\n\n".join(merged(shapes)) + "\n"


def merged(shapes: Iterable[str]) -> Iterator[str]:
    """The rows as they are printed; of rows with one pattern, it is printed once."""
    rows: dict[str, list[str]] = {}
    for text in shapes:
        pattern, _, rest = text.partition("\n")
        rows.setdefault(pattern, []).append(rest)
    yield from ("\n".join([pattern, "\n\n".join(rest)]) for pattern, rest in rows.items())


def words_of(row: Row) -> set[str]:
    """Every word that may follow the opcode."""
    return set(row.required.union(*(choice for choice, _ in row.choices), *row.types))


def paragraphs(form: Form, given: Collection[str] = (), whole: bool = False) -> Iterator[str]:
    """The lines of one row. Of the words of a modifier, only the ``given`` one, if there is one,
    and of a ``whole`` instruction no modifier that it leaves out."""
    row = form.row
    yield row.pattern
    for name, words in modifiers_of(row):
        chosen = words.intersection(given)
        if chosen or not whole:
            listed = " ".join(sorted(chosen or words, key=natural))
            head = f"    .{name:8} "
            yield fill(listed, WIDTH, initial_indent=head, subsequent_indent=" " * len(head),
                       break_long_words=False, break_on_hyphens=False)  # fmt: skip
    yield f"    manual    {MANUAL}{row.at}"
    if row.modelled or effects_of(row):
        yield f"    effects   {effects_of(row) or 'none'}"
    if not row.modelled:
        yield "    meaning   unmodelled: unknown results; not supported by the interpreter"
        return
    lines = meaning(form)
    if not lines:
        yield f"    meaning   {'what its effects say' if row.effects else 'none'}: no result"
        return
    yield f"    meaning   of {spelled(form)}:"
    yield from (f"        {line}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"        ... and {len(lines) - MOST_LINES} lines more"


def spelled(form: Form) -> str:
    """The opcode of a form, its words in the order of the pattern."""
    choices, types = iter(form.row.choices), iter(form.types)
    parts = [form.row.opcode]
    for element in elements_of(form.row):
        if element in form.row.required:
            parts.append(element)
        elif is_type(form.row, element):
            parts.append(next(types).name)
        else:
            parts += sorted(next(choices)[0] & form.words)
    return ".".join(parts)


def elements_of(row: Row) -> list[str]:
    return re.findall(r"\.([\w:]+)", row.pattern.partition(" ")[0])


def is_type(row: Row, element: str) -> bool:
    return element in TYPE_NAMES or frozenset([element]) in row.types


def natural(word: str) -> list[tuple[str, int]]:
    """``u8`` before ``u16``, ``m64n8k16`` before ``m64n104k8``."""
    return [(letters, int(digits or 0)) for letters, digits in re.findall(r"(\D*)(\d*)", word)]


def modifiers_of(row: Row) -> Iterator[tuple[str, frozenset[str]]]:
    """The names in the pattern that stand for a choice, with their words."""
    choices, types = iter(row.choices), iter(row.types)
    for element in elements_of(row):
        if element in row.required:
            continue
        words = next(types) if is_type(row, element) else next(choices)[0]
        if words != {element}:
            yield element, words


def effects_of(row: Row) -> str:
    """The effects in words."""
    texts = [text for effect, text in EFFECTS.items() if effect in row.effects]
    return "; ".join([*texts, *map(memory_text, row.memory)])


def memory_text(effect: MemoryEffect) -> str:
    spaces = {"generic": "any memory", "": "memory"}
    what = f"{VERBS[effect.kind]} {spaces.get(effect.space, f'{effect.space} memory')}"
    if effect.bytes:
        return f"{what}, {effect.bytes} bytes at {effect.operand}"
    inside = f" inside of {effect.operand}" if effect.operand else ""
    return f"{what}, at unknown addresses{inside}"


def listing() -> str:
    """The opcodes, chapter by chapter."""
    parts = []
    for chapter in CHAPTERS:
        names = " ".join(dict.fromkeys(row.opcode for row in chapter.ROWS))
        body = fill(names, WIDTH, initial_indent="    ", subsequent_indent="    ")
        parts.append(f"{chapter.__name__.rpartition('.')[2].replace('_', ' ')}\n{body}")
    return "\n".join([*parts, ""])


def page() -> str:
    """All rows as Markdown."""
    every = [row for chapter in CHAPTERS for row in chapter.ROWS]
    modelled = sum(row.modelled for row in every)
    lines = [
        "# Instructions",
        "",
        f"{len(rows())} opcodes in {len(every)} rows; {modelled} rows are modelled, and "
        f"{len(every) - modelled} have operands and effects only. `ptxlint explain OPCODE` prints "
        "the meaning of a row. Generated: see `docs/generate.py`.",
    ]
    for chapter in CHAPTERS:
        title = chapter.__name__.rpartition(".")[2].replace("_", " ").capitalize()
        lines += ["", f"## {title}", "", "| instruction | effects | |", "| --- | --- | --- |"]
        for row in chapter.ROWS:
            pattern = row.pattern.replace("|", "\\|")
            known = "" if row.modelled else "unmodelled"
            lines.append(f"| [`{pattern}`]({MANUAL}{row.at}) | {effects_of(row)} | {known} |")
    return "\n".join([*lines, ""])
