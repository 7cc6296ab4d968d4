"""What compilers write is modelled: 99 of 100 instructions of the corpus have a meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from analyses.program import Effect
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

ROOT = Path(__file__).parents[2] / "corpus"
LEAST = 0.99


def test_corpus_is_modelled() -> None:
    total, unmodelled = 0, Counter[str]()
    for folder in ("clean", "flawed", "compilers"):
        for path in sorted((ROOT / folder).glob("*.ptx")):
            source = Source(path.name, path.read_text())
            module = parse(source).module
            assert module is not None
            for kernel in lower_module(module, source).kernels:
                written = [instr for instr in kernel.instructions if not instr.synthetic]
                total += len(written)
                unmodelled.update(i.text for i in written if i.effects & Effect.UNMODELLED)
    modelled = 1 - unmodelled.total() / total
    assert modelled >= LEAST, f"{modelled:.2%} of {total}; missing: {unmodelled.most_common()}"
