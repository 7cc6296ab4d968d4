"""Times of launches on a device: ``python timing.py LAUNCHES RESULTS [NAME ...]``, as ``driver``.

RESULTS gets for each launch its shortest time in seconds of some, the registers of a thread, the
bytes of shared memory of a block, the resident blocks of a multiprocessor by threads, and what the
device is: its compute capability and the bytes a second that it fills memory with.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Callable
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from driver import ALIGNED, Driver, DriverError  # type: ignore[import-not-found]

TURNS = 10
FILLED = 1 << 29  # bytes
SHARED_BYTES, REGISTERS = 1, 4  # CU_FUNC_ATTRIBUTE_...
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...


def seconds(driver: Driver, start: Callable[[], None]) -> float:
    """The shortest of some turns, after one that loads everything."""
    first, last, found = c_void_p(), c_void_p(), []
    for event in (first, last):
        driver.call("cuEventCreate", byref(event), c_uint(0))
    for _ in range(TURNS + 1):
        driver.call("cuEventRecord", first, c_void_p())
        start()
        driver.call("cuEventRecord", last, c_void_p())
        driver.call("cuEventSynchronize", last)
        passed = c_float()
        driver.call("cuEventElapsedTime", byref(passed), first, last)
        found.append(passed.value / 1e3)
    return min(found[1:])


def fill_rate(driver: Driver) -> float:
    """Bytes a second."""
    start = c_uint64()
    driver.call("cuMemAlloc_v2", byref(start), c_size_t(FILLED))

    def fill() -> None:
        driver.call("cuMemsetD32Async", start, c_uint(0), c_size_t(FILLED // 4), c_void_p())

    best = seconds(driver, fill)
    driver.call("cuMemFree_v2", start)
    return FILLED / best if best else 0.0


def number(driver: Driver, name: str, *arguments: Any) -> int:
    found = c_int()
    driver.call(name, byref(found), *arguments)
    return found.value


def timed(driver: Driver, launch: dict[str, Any], image: bytes) -> dict[str, Any]:
    """What is said of a launch. Raises DriverError."""
    module, function, start, buffers = driver.prepared(launch, image)
    best = seconds(driver, start)
    most = launch["block"][0] * launch["block"][1] * launch["block"][2]
    resident = {
        threads: number(
            driver, "cuOccupancyMaxActiveBlocksPerMultiprocessor", function, c_int(threads),
            c_size_t(launch["shared"]),
        )
        for threads in range(32, most + 1, 32)
    }  # fmt: skip
    registers, shared = (
        number(driver, "cuFuncGetAttribute", c_int(kind), function)
        for kind in (REGISTERS, SHARED_BYTES)
    )
    driver.call("cuModuleUnload", module)
    for first, _ in buffers:
        driver.call("cuMemFree_v2", c_uint64(first - first % ALIGNED))
    return {
        "seconds": best, "registers": registers, "shared": shared + launch["shared"],
        "resident": resident, "bytes": sum(size for _, size in buffers),
    }  # fmt: skip


def main(path: str, results: str, *names: str) -> int:
    with open(path, "rb") as file:
        given = pickle.load(file)
    driver = Driver(ctypes.CDLL("libcuda.so.1"))
    rate = fill_rate(driver)
    capability = [
        number(driver, "cuDeviceGetAttribute", c_int(k), c_int(0)) for k in (MAJOR, MINOR)
    ]
    with open(results, "ab") as out:
        for name in names or given["launches"]:
            try:
                found: Any = timed(driver, given["launches"][name], given["images"][name])
                found |= {"fill_rate": rate, "capability": capability}
            except DriverError as error:
                found = str(error)
            pickle.dump((name, found), out)
            out.flush()
            if isinstance(found, str):
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
