"""Launches on a device, by the CUDA driver alone: ``python driver.py LAUNCHES RESULTS [NAME ...]``.

It needs neither ptxlint nor numpy, so that it starts at once under a profiler or a sanitizer.
LAUNCHES is a pickle of ``{"images": {name: machine code}, "launches": {name: launch}}``; RESULTS
gets a pickle for each launch: its name and the bytes of its buffers afterwards, or what the driver
said. After such an error nothing more can run: the exit code is 1.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

ALIGNED = 256  # bytes: what an allocation is aligned to at least
MOST_SHARED = 48 * 1024  # bytes that a block has unless it asks for more
ASK_FOR_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class DriverError(Exception):
    """What the driver said."""


class Driver:
    """The library, with a context of the first device."""

    def __init__(self, library: Any) -> None:
        self.library = library
        device, context = c_int(), c_void_p()
        self.call("cuInit", c_uint(0))
        self.call("cuDeviceGet", byref(device), c_int(0))
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.library, name)(*arguments)
        if code:
            said = c_char_p()
            self.library.cuGetErrorName(code, byref(said))
            raise DriverError(f"{name}: {(said.value or b'?').decode()}")

    def launched(self, launch: dict[str, Any], image: bytes) -> list[bytes]:
        """The buffers as the kernel left them. Raises DriverError."""
        module, _, start, buffers = self.prepared(launch, image)
        start()
        self.call("cuCtxSynchronize")
        left = [self._read(first, size) for first, size in buffers]
        self.call("cuModuleUnload", module)
        return left

    def prepared(
        self, launch: dict[str, Any], image: bytes
    ) -> tuple[Any, Any, Callable[[], None], list[tuple[int, int]]]:
        """The module, the function, what starts the launch, and the buffers: first byte, size.
        Raises DriverError."""
        module, function = c_void_p(), c_void_p()
        self.call("cuModuleLoadData", byref(module), image)
        self.call("cuModuleGetFunction", byref(function), module, launch["kernel"].encode())
        words = [bytearray(word) for word in launch["params"]]
        buffers = []
        for size, align, data, (param, offset) in launch["buffers"]:
            first = self._buffer(size, align % ALIGNED, data)
            words[param][offset : offset + 8] = first.to_bytes(8, "little")
            buffers.append((first, size))
        for number, after, (param, offset) in launch["inside"]:
            words[param][offset : offset + 8] = (buffers[number][0] + after).to_bytes(8, "little")
        if launch["shared"] > MOST_SHARED:
            self.call("cuFuncSetAttribute", function, ASK_FOR_SHARED, c_int(launch["shared"]))
        given = [ctypes.create_string_buffer(bytes(word), len(word)) for word in words]
        pointers = (c_void_p * max(1, len(given)))(*map(ctypes.addressof, given))
        shape = [*map(c_uint, (*launch["grid"], *launch["block"], launch["shared"]))]

        def start(held: Any = given) -> None:  # the words live as long as the function
            self.call("cuLaunchKernel", function, *shape, c_void_p(), pointers, c_void_p())

        return module, function, start, buffers

    def _buffer(self, size: int, after: int, data: bytes) -> int:
        """Where it begins: so many bytes after a multiple of ALIGNED, and it ends where the
        allocation does. Nothing is freed: a process runs few launches, or small ones."""
        start = c_uint64()
        self.call("cuMemAlloc_v2", byref(start), c_size_t(max(size + after, 1)))
        first = start.value + after
        whole = data + bytes(size - len(data))
        if whole:
            self.call("cuMemcpyHtoD_v2", c_uint64(first), whole, c_size_t(size))
        return first

    def _read(self, first: int, size: int) -> bytes:
        left = ctypes.create_string_buffer(size)
        if size:
            self.call("cuMemcpyDtoH_v2", left, c_uint64(first), c_size_t(size))
        return left.raw


def main(path: str, results: str, *names: str) -> int:
    with open(path, "rb") as file:
        given = pickle.load(file)
    driver = Driver(ctypes.CDLL("libcuda.so.1"))
    with open(results, "ab") as out:
        for name in names or given["launches"]:
            try:
                left: Any = driver.launched(given["launches"][name], given["images"][name])
            except DriverError as error:
                left = str(error)
            pickle.dump((name, left), out)
            out.flush()
            if isinstance(left, str):
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
