"""ptxlint on a kernel of this package, with the kernel's own contract.

ptxlint looks for the sources of a PTX file beside it. The fragments' files are laid there for the
time of the check, and the report names the originals.
"""

from __future__ import annotations

import os
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import ordered
from ptxlint.cli import called_with


def lint(
    kernel: EmittedKernel, largest: int | None = None, strict: bool = False
) -> tuple[int, str]:
    """The exit code and the report of ptxlint: for every launch that the contract allows, or for
    one, with `largest` as the greatest number where it may be. Raises BuildError."""
    options = kernel.contract.options()
    if largest is not None:
        *_, values = kernel.contract.edges(largest)
        options = kernel.contract.launch(**values).options()
    said = StringIO()
    with TemporaryDirectory() as name, redirect_stdout(said):
        folder = Path(name)
        ptx = folder / f"{kernel.name}.ptx"
        ptx.write_text(kernel.ptx(), "utf-8")
        originals = {Path(fragment.file) for fragment in ordered(kernel.body)}
        for original in originals:
            shutil.copy(original, folder)
        code = called_with(["check", str(ptx), *["--strict"] * strict, *options])
    report = said.getvalue()
    for original in originals:
        report = report.replace(str(folder / original.name), os.path.relpath(original))
    return code, report.replace(f"{folder}{os.sep}", "")
