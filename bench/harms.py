"""What harms cost on a device: ``python -m bench.harms``

Times flawed kernels of the corpus beside their clean twins, in the same large launch: the shortest
of ten turns. A flaw that a rule names as slow should be slow. Needs the driver of a device; ptxas
is used where it is found.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ptxlint.contracts.contract import Contract
from tests.device import measure
from tests.device.engines import TIMING, written
from tests.device.launches import Case
from tests.device.ours import OwnKernel, own_kernels
from tests.observation.launches import CORPUS

SECONDS = 60.0


@dataclass(frozen=True)
class Pair:
    """A flawed kernel of the corpus, a better one there or of the package, and the options of
    their declared launches that are given anew."""

    flawed: str
    better: str
    launch: str

    def cases(self, own: dict[str, OwnKernel]) -> tuple[Case, Case]:
        source = (CORPUS / "flawed" / f"{self.flawed}.cu").read_text("utf-8")
        if self.better in own:
            text = own[self.better].kernel.ptx()
            better = enlarged(f"better/{self.better}", text, source, self.launch)
        else:
            better = self.of(f"clean/{self.better}")
        return self.of(f"flawed/{self.flawed}"), better

    def of(self, name: str) -> Case:
        path = CORPUS / f"{name}.ptx"
        source = path.with_suffix(".cu").read_text("utf-8")
        return enlarged(name, path.read_text("utf-8"), source, self.launch)


def enlarged(name: str, text: str, source: str, launch: str) -> Case:
    """The kernel under the launch that the source declares, with other values of options. Nothing
    is in the buffers: the time of these kernels does not depend on it."""
    (declared,) = re.findall(r"^// launch: .*", source, re.MULTILINE)
    for option in launch.split(" --"):
        key, _, value = option.removeprefix("--").partition("=" if "=" in option else " ")
        head = f"--{key}=" if "=" in option else f"--{key} "
        declared = re.sub(re.escape(head) + r"\S+", head + value, declared)
    return Case.of(name, text, Contract.from_comments(declared + "\n// params: " + params(source)))


def params(source: str) -> str:
    found = re.search(r"^// params: (.*)", source, re.MULTILINE)
    assert found is not None
    return found[1]


PARTICLES = "--grid 65536 --buffer p=16*8388608 --buffer x=4*8388608 --buffer speed=4*8388608"
SWARM = "--grid 512 --arg paths=4096 --arg particles=16384 --arg rows=64"
PAIRS = (
    Pair("transpose_naive", "transpose_tile_33", "--grid 256x256 --arg n=8192"),
    Pair("transpose_tile_32", "transpose_tile_33", "--grid 256x256 --arg n=8192"),
    Pair("scaled_along_columns", "scaled_along_rows", "--grid 256x256 --arg n=8192"),
    Pair("sums_of_rows", "sums_of_columns", "--grid 128 --arg n=8192"),
    Pair("particles_array_of_structures", "particles_structure_of_arrays",
         f"{PARTICLES} --buffer y=4*8388608"),
    Pair("stride_two", "stride_one", "--grid 131072 --buffer x=4*33554433 --buffer y=4*16777216"),
    Pair("reduce_interleaved", "reduce_shared",
         "--grid 131072 --arg n=33554432 --buffer out=4*131072"),
    Pair("numbers_by_stream", "lcg32_generate", "--grid 512 --arg count=256 --arg streams=65536"),
    Pair("state_by_stream", "xorwow_generate", "--grid 8192 --arg count=1 --arg streams=1048576"),
    Pair("thresholds_by_particle", "pso_forward", SWARM),
    Pair("tile_by_particle", "pso_tiled", SWARM),
)  # fmt: skip


def lines() -> Iterator[str]:
    own = {each.name: each for each in own_kernels()}
    pairs = [pair.cases(own) for pair in PAIRS]
    with TemporaryDirectory() as folder:
        path = Path(folder, "harms.launches")
        numbered = [replace(case, name=f"{i} {case.name}") for i, pair in enumerate(pairs)
                    for case in pair]  # fmt: skip
        written(path, numbered)
        measure.run(path, time.monotonic() + SECONDS, TIMING)
        times = dict(measure.pickles(path.with_suffix(".results")))
    for i, pair in enumerate(pairs):
        both = [times.get(f"{i} {case.name}", "not run") for case in pair]
        names = " beside ".join(case.name for case in pair)
        if all(isinstance(found, dict) for found in both):
            slow, quick = (1e3 * found["seconds"] for found in both)
            yield f"{names}: {slow:.3f} ms, {quick:.3f} ms, {slow / quick:.1f} times"
        else:
            yield f"{names}: {[found for found in both if isinstance(found, str)]}"


if __name__ == "__main__":
    for line in lines():
        print(line)
