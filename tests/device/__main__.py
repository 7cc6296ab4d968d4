"""``python -m tests.device prepare FOLDER`` writes launches, ``record FOLDER`` what came of them.

``prepare`` needs ptxas and no device. Then ``python tests/device/measure.py FOLDER`` runs them on a
machine with a device, and ``record`` writes what it measured for the tests to replay, and prints
what interpreter and analysis say otherwise. ``costs RECORD`` prints how many accesses of a record
are counted as the device counts them, and how many could not be compared.

``python -m tests.device engines FILE`` is one command for our own kernels (see ``engines``).
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

from ptxlint.contracts.declaration import ContractError

from . import engines
from .counts import table
from .launches import assembled, lined, packed
from .record import RECORD, SETS, costs, recorded, unexplained


def prepare(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, cases in SETS.items():
        given: dict[str, dict[str, Any]] = {"images": {}, "launches": {}}
        for case in cases():
            outcome = case.interpreted()
            if outcome.exhausted:
                print(f"left out: {case.name}: it does not end")
                continue
            try:
                launch, image = packed(case), assembled(lined(case.text))
            except (ContractError, ValueError) as error:
                print(f"left out: {case.name}: {error}")
                continue
            given["launches"][case.name] = {**launch, "faults": bool(outcome.faults)}
            given["images"][case.name] = image
        path = folder / f"{name}.launches"
        path.write_bytes(pickle.dumps(given))
        print(f"{path}: {len(given['launches'])} launches", flush=True)


def main(step: str, folder: Path) -> None:
    if step == "prepare":
        prepare(folder)
        return
    if step == "costs":
        record = json.loads(folder.read_text("utf-8"))
        print(*table(costs(record, record["counters"])), sep="\n")
        return
    text = recorded(folder)
    RECORD.write_text(text, "utf-8")
    print(*unexplained(json.loads(text)), sep="\n")


STEPS = ("prepare", "record", "costs", "engines")

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in STEPS:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    if sys.argv[1] == "engines":
        sys.exit(engines.main(Path(sys.argv[2])))
    main(sys.argv[1], Path(sys.argv[2]))
