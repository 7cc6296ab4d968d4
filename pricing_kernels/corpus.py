"""The corpus of ptxlint: our own CUDA C kernels, the PTX beside each, and the manifest of both.

Everything that can be derived is written by one command, `python -m pricing_kernels corpus`; with
`--check` the same command says what differs from the files at hand instead of writing it. A
kernel's first comment line says what it shows and becomes its entry in the manifest. Kernels in
hand-written PTX (no `.cu` beside them) are listed, never written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pricing_kernels.build import Compiler, compile_ptx, compiler, ptx_version

FOLDERS = ("clean", "flawed", "compilers")
MANIFEST = "MANIFEST.toml"
_HEADER = "# Written by `python -m pricing_kernels corpus`: edit the kernels, not this file.\n"


def expected_files(root: Path) -> dict[Path, str]:
    """Every derived file below `root`, with the text that the sources give now."""
    derived = {
        source.with_suffix(".ptx"): compile_ptx(source.read_text("utf-8"), source.name)
        for source in sources(root, ".cu")
    }
    derived[root / MANIFEST] = manifest(root, derived, compiler())
    return derived


def stale(expected: dict[Path, str]) -> list[Path]:
    """The derived files that are missing or differ from what the sources give."""
    return [
        path
        for path, text in expected.items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]


def write(expected: dict[Path, str]) -> list[Path]:
    """Writes the derived files that are stale, and returns them."""
    changed = stale(expected)
    for path in changed:
        path.write_text(expected[path], "utf-8", newline="\n")
    return changed


def manifest(root: Path, derived: dict[Path, str], by: Compiler) -> str:
    """The manifest: the compiler once, then one table a kernel file."""
    tables = [f"{_HEADER}\n[compiler]\nname = {_toml(by.name)}\noptions = {_toml(by.options)}\n"]
    handwritten = {p: p.read_text("utf-8") for p in sources(root, ".ptx") if p not in derived}
    for ptx, text in sorted((derived | handwritten).items()):
        source = ptx if ptx in handwritten else ptx.with_suffix(".cu")
        entry = {
            "path": source.relative_to(root).as_posix(),
            "origin": "own",
            "built": "by hand" if ptx in handwritten else "compiler",
            "ptx_version": "{}.{}".format(*ptx_version(text)),
            "shows": first_comment(source.read_text("utf-8")),
        }
        tables.append("\n[[file]]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in entry.items()))
    return "".join(tables)


def sources(root: Path, suffix: str) -> Iterator[Path]:
    """The files of the corpus folders that end in `suffix`, in the order of their names."""
    for folder in FOLDERS:
        yield from sorted((root / folder).glob(f"*{suffix}"))


def first_comment(text: str) -> str:
    """What a kernel shows: its first line, without the comment marks."""
    return text.partition("\n")[0].removeprefix("//").strip()


def _toml(value: str | tuple[str, ...]) -> str:
    return json.dumps(value, ensure_ascii=True)  # TOML basic strings and arrays, for printable text
