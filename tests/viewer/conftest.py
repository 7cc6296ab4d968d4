"""Pages of small kernels, written once."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from ptxlint.cli import called_with

pytest.importorskip("jinja2")

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "ptxlint" / "demo"
LAUNCH = shlex.split(
    "--params out,in,width,height --block 32x32 --grid 4x4 --arg width=100 --arg height=120"
    " --buffer in=4*width*height --buffer out=4*width*height"
)

Write = Callable[..., Path]


@pytest.fixture(scope="session")
def transpose(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a kernel with an access out of bounds and a bank conflict, beside its files."""
    folder = tmp_path_factory.mktemp("transpose")
    for file in DEMO.glob("transpose.*"):
        shutil.copy(file, folder)
    with chdir(folder):
        assert called_with(["report", "transpose.ptx", "-o", "transpose.html", *LAUNCH]) == 1
    return folder / "transpose.html"


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a kernel of the corpus, for the launch that its source declares."""
    from ptxlint.contracts.contract import Contract

    folder, made = tmp_path_factory.mktemp("corpus"), dict[str, Path]()

    def page(name: str) -> Path:
        if name not in made:
            source = ROOT / "corpus" / f"{name}.cu"
            shutil.copy(source, folder)
            shutil.copy(source.with_suffix(".ptx"), folder)
            words = [w for pair in Contract.from_comments(source.read_text()).options()
                     for w in pair]  # fmt: skip
            out = folder / f"{source.stem}.html"
            with chdir(folder):
                called_with(["report", f"{source.stem}.ptx", "-o", out.name, *words])
            made[name] = out
        return made[name]

    return page


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the page of a text of PTX and returns its path."""
    monkeypatch.chdir(tmp_path)

    def page(text: str, *words: str, name: str = "kernel.ptx", code: int | None = None) -> Path:
        Path(name).write_text(text, "utf-8")
        found = called_with(["report", name, "-o", "page.html", *words])
        assert code is None or found == code
        return tmp_path / "page.html"

    return page
