"""cuRAND's host generators, which need no GPU: numbers to hold ours against.

``python -m tests.kernels.curand`` records what the installed library gives (extra ``curand``); the
tests replay the record where there is none. In the library's legacy order, 4096 streams take turns;
of Philox 65,536, which give a whole result of four words in a turn. Of MT19937 it is 8192, which
give 8 numbers in a turn; only the first of these streams are recorded.
"""

from __future__ import annotations

import ctypes
import json
import sys
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import numpy as np

from pricing_kernels.rng.generator import Words

RECORD = Path(__file__).parents[2] / "corpus" / "vectors" / "curand.json"
SEEDS = (0, 12345, 2**62 - 1)
COUNT = 2**20
STREAMS = {"xorwow": 4096, "mrg32k3a": 4096, "philox": 65536}
DIMENSIONS, POINTS = 1000, 1024
TURNS, EIGHTS, FIRST = 468, 8192, 32  # of MT19937: turns, streams, and streams recorded
KINDS = {"xorwow": 101, "mrg32k3a": 121, "mt19937": 142, "philox": 161, "sobol": 201}
LEGACY_ORDER = 103


def library() -> ctypes.CDLL | None:
    """The library of the package nvidia-curand, if it is installed."""
    try:
        files = metadata.files("nvidia-curand") or []
    except metadata.PackageNotFoundError:
        return None
    found = [f for f in files if "libcurand.so" in f.name]
    return ctypes.CDLL(str(found[0].locate())) if found else None


def sequence(curand: ctypes.CDLL, generator: str, seed: int) -> Words:
    """What the library gives: COUNT numbers, or POINTS of DIMENSIONS one by one, or of MT19937 the
    FIRST streams of TURNS."""
    quasi = generator == "sobol"
    count = {"sobol": DIMENSIONS * POINTS, "mt19937": TURNS * EIGHTS * 8}.get(generator, COUNT)
    numbers = np.empty(count, np.uint32)
    handle = ctypes.c_void_p()
    call(curand.curandCreateGeneratorHost(ctypes.byref(handle), KINDS[generator]))
    if quasi:
        call(curand.curandSetQuasiRandomGeneratorDimensions(handle, DIMENSIONS))
    else:
        call(curand.curandSetGeneratorOrdering(handle, LEGACY_ORDER))
        call(curand.curandSetPseudoRandomGeneratorSeed(handle, ctypes.c_ulonglong(seed)))
    target = numbers.ctypes.data_as(ctypes.c_void_p)
    call(curand.curandGenerate(handle, target, ctypes.c_size_t(numbers.size)))
    call(curand.curandDestroyGenerator(handle))
    if generator == "mt19937":
        return numbers.reshape(TURNS, EIGHTS, 8)[:, :FIRST].ravel()
    return numbers


def call(status: int) -> None:
    assert status == 0, f"cuRAND status {status}"


def digest(numbers: Words) -> str:
    return sha256(np.ascontiguousarray(numbers).astype("<u4").tobytes()).hexdigest()


def record(curand: ctypes.CDLL) -> None:
    """Writes the record: of each sequence the digest, and the first numbers for the reader."""
    entries = []
    for generator in KINDS:
        for seed in {"sobol": (0,), "mt19937": (12345,)}.get(generator, SEEDS):
            numbers = sequence(curand, generator, seed)
            entries.append(
                {
                    "generator": generator,
                    "seed": seed,
                    "count": numbers.size,
                    "first": numbers[:4].tolist(),
                    "sha256": digest(numbers),
                }
            )
    release = metadata.version("nvidia-curand")
    RECORD.write_text(json.dumps({"curand": release, "sequences": entries}, indent=1) + "\n")


if __name__ == "__main__":
    installed = library()
    if installed is None:
        sys.exit("nvidia-curand is not installed: pip install 'ptxlint[curand]'")
    record(installed)
