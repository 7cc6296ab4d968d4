"""The corpus of ptxlint: our own CUDA C kernels, the PTX beside each, and the manifest of both.

Kernels of this package and the skeletons of payoffs are emitted into its own folder `emitted`, text
and PTX: they are installed with it and run where there is no compiler. Those with a flaw stand
among the `flawed`.

Everything that can be derived is written by one command, `python -m pricing_kernels corpus`; with
`--check` the same command says what differs from the files at hand instead of writing it. A
kernel's first comment line says what it shows and becomes its entry in the manifest. Kernels in
hand-written PTX (no `.cu` beside them) are listed, never written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pricing_kernels.build import cached_ptx, compiler, ptx_version
from pricing_kernels.catalogue import shipped
from pricing_kernels.flaws import FLAWS
from pricing_kernels.kernel import SHIPPED

FOLDERS = ("clean", "flawed", "compilers")
FLAWED = "flawed"
MANIFEST = "MANIFEST.toml"
_HEADER = "# Written by `python -m pricing_kernels corpus`: edit the kernels, not this file.\n"


def expected_files(root: Path) -> dict[Path, str]:
    """Every derived file, with the text that the sources give now."""
    emitted = {SHIPPED / f"{k.name}.cu": k.cuda() for k in shipped().values()}
    flawed = {root / FLAWED / f"{flaw.name}.cu": flaw.cuda() for flaw in FLAWS}
    texts = {source: source.read_text("utf-8") for source in sources(root, ".cu")} | flawed
    ptx = compiled(texts)
    listed = {path: path.read_text("utf-8") for path in sources(root, ".ptx")} | ptx
    table = {root / MANIFEST: manifest(root, texts, listed)}
    return emitted | compiled(emitted) | flawed | ptx | table


def compiled(texts: dict[Path, str]) -> dict[Path, str]:
    """The PTX of CUDA C, beside it."""
    return {cu.with_suffix(".ptx"): cached_ptx(text, cu.name) for cu, text in texts.items()}


def orphans(expected: dict[Path, str]) -> list[Path]:
    """What lies among the emitted kernels and is not one of them."""
    return sorted(set(SHIPPED.glob("*")) - expected.keys())


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
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(expected[path], "utf-8", newline="\n")
    return changed


def manifest(root: Path, texts: dict[Path, str], ptx: dict[Path, str]) -> str:
    """The manifest: the compiler once, then one table a kernel file."""
    by = compiler()
    tables = [f"{_HEADER}\n[compiler]\nname = {_toml(by.name)}\noptions = {_toml(by.options)}\n"]
    for path, text in sorted(ptx.items()):
        source = path.with_suffix(".cu")
        by_hand = source not in texts
        entry = {
            "path": (path if by_hand else source).relative_to(root).as_posix(),
            "origin": "own",
            "built": "by hand" if by_hand else "compiler",
            "ptx_version": "{}.{}".format(*ptx_version(text)),
            "shows": first_comment(text if by_hand else texts[source]),
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
