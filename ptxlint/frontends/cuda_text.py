"""CUDA C in strings of Python: where it stands in a file, and the names of a kernel's
parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from ptxlint.extraction import cuda
from ptxlint.frontends.kernels import LoadedKernel, loaded
from ptxlint.frontends.watching import frames, shown
from ptxlint.source import Source

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.S)
BRACKETS = {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}


class CudaText(Struct, frozen=True):
    """CUDA C, and the place of its first line in a file of Python; no line where it is in none.
    ``directed`` is the same with directives that say which lines are of other files."""

    code: str
    path: str
    line: int = 0
    directed: str = ""

    @property
    def numbered(self) -> str:
        """The text, whose lines the compiler calls as the file does."""
        return self.directed or (
            f'#line {self.line} "{Path(self.path).name}"\n{self.code}' if self.line else self.code
        )

    def text(self) -> tuple[Source, ...]:
        """What reports quote, unless it is a file."""
        return () if self.line else (Source(self.path, self.code),)


def placed(code: str, name: str) -> CudaText:
    """The text where it stands in the file of a caller, else as a file of its own: ``NAME.cu``."""
    folder = Path()
    for frame in frames():
        file = Path(frame.f_code.co_filename)
        if "site-packages" in file.parts or not file.is_file():
            continue
        line = line_in(str(file), code)
        if line:
            return CudaText(code, shown(str(file)), line)
        folder = folder if folder.parts else Path(shown(str(file))).parent
    return CudaText(code, str(folder / f"{re.sub(r'[^A-Za-z0-9_]', '_', name)}.cu"))


def origin_of(text: str) -> tuple[str, int] | None:
    """The file and the line of a text in a call that is being made, if it stands there."""
    for frame in frames():
        file = Path(frame.f_code.co_filename)
        if "site-packages" not in file.parts and file.is_file():
            line = line_in(str(file), text, frame.f_lineno) or line_in(str(file), text)
            if line:
                return shown(str(file)), line
    return None


@lru_cache(maxsize=256)
def line_in(file: str, code: str, after: int = 1) -> int:
    """The line of a file that a text begins in, from a line on, 0 if it is not there as it
    stands."""
    try:
        lines = Path(file).read_text("utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        return 0
    before, found, _ = "".join(lines[after - 1 :]).partition(code)
    return before.count("\n") + after if found and code.strip() else 0


@lru_cache(maxsize=256)
def compiled(text: CudaText, options: tuple[str, ...], instances: tuple[str, ...]) -> cuda.Compiled:
    """Raises ExtractionError."""
    return cuda.compiled(text.numbered, Path(text.path).name, options, instances)


def kernel_of(
    text: CudaText, name: str, options: Sequence[str] = (), instances: Sequence[str] = ()
) -> LoadedKernel:
    """The kernel of a text, compiled. Raises Error."""
    done = compiled(text, tuple(options), tuple(instances))
    path = Path(text.path).with_name(f"{re.sub(r'[^A-Za-z0-9_]', '_', name)}.ptx")
    entry = done.lowered.get(name, name)
    found = loaded(Source(str(path), done.ptx), entry, (), text.text())
    names = parameter_names(text.code, name)
    if len(names) != len(found.kernel.parameters):
        return found
    return LoadedKernel(found.program, found.kernel, names, found.texts)


def parameter_names(code: str, kernel: str) -> tuple[str, ...]:
    """The names of a kernel's parameters as the text has them; none where it is not found."""
    plain = COMMENT.sub(lambda found: found[1] or " ", code)
    base = re.escape(re.split(r"[<(]", kernel)[0].split("::")[-1].strip())
    for found in re.finditer(rf"__global__[^;{{}}]*?\b{base}\s*\(", plain):
        parts = split(plain[found.end() :])
        names = [re.findall(r"[A-Za-z_]\w*", re.sub(r"\[.*?\]", "", part)) for part in parts]
        if all(names) and len({each[-1] for each in names}) == len(names):
            return tuple(each[-1] for each in names)
    return ()


def split(text: str) -> list[str]:
    """The parameters up to the closing bracket."""
    parts, depth = [""], 0
    for character in text:
        depth += BRACKETS.get(character, 0)
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]
