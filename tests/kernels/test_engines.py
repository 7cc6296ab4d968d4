"""The engines take the same launch. The device's is tested with a stand-in for CuPy, which keeps
what it is told, and so shows the order and the types of arguments. It is no test of a device."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pricing_kernels import engines
from pricing_kernels.contract import ContractError, GlobalArray, KernelContract, Scalar
from pricing_kernels.engines import EngineError, cupy

SCALE = KernelContract(
    "scale",
    {
        "n": Scalar(np.uint32, 1, 100),
        "x": GlobalArray(np.float32, "n"),
        "factor": Scalar(np.float32, 0.0, 10.0),
        "seed": Scalar(np.uint64, 0, 2**64 - 1),
    },
    (8, 2),
    ("n", "n"),
)
VALUES = {"n": 20, "factor": 2.5, "seed": 2**40}
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u32 n, .param .u64 x, .param .f32 factor, .param .u64 seed)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<4>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [factor];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r2, 8, %r3;
    mov.u32 %r5, %tid.y;
    add.u32 %r5, %r5, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f1;
DONE:
    ret;
}
"""


class DriverError(Exception):
    pass


class CudaRuntimeError(Exception):
    pass


class Device:
    """What a driver was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.text = b""
        self.number = 0

    def load(self, text: bytes) -> None:
        if b".version" not in text:
            raise DriverError("CUDA_ERROR_INVALID_PTX")
        self.text = text

    def get_function(self, name: str) -> Any:
        def call(grid: tuple[int, ...], block: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
            self.calls.append((name, grid, block, arguments))
            arguments[1][:] = arguments[2]

        return call


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    device = Device()
    stand_in = SimpleNamespace(
        asarray=np.array,
        asnumpy=np.array,
        cuda=SimpleNamespace(
            runtime=SimpleNamespace(
                getDevice=lambda: device.number, CUDARuntimeError=CudaRuntimeError
            ),
            driver=SimpleNamespace(CUDADriverError=DriverError),
            function=SimpleNamespace(Module=lambda: device),
        ),
    )
    monkeypatch.setitem(sys.modules, "cupy", stand_in)  # type: ignore[arg-type]
    cupy._function.cache_clear()
    yield device
    cupy._function.cache_clear()


def test_the_device_gets_the_launch_of_the_contract(device: Device) -> None:
    launch = SCALE.launch(**VALUES)
    results = cupy.run(PTX, launch, {"x": np.ones(20, np.float32)})
    ((name, grid, block, arguments),) = device.calls
    assert (name, grid, block) == ("scale", (3, 10, 1), (8, 2, 1))
    assert [type(argument) for argument in arguments] == [
        np.uint32, np.ndarray, np.float32, np.uint64,
    ]  # fmt: skip
    assert (arguments[0], arguments[2], arguments[3]) == (20, 2.5, 2**40)
    assert results["x"].tolist() == [2.5] * 20
    assert device.text == PTX.encode()


def test_both_engines_give_the_same_arrays(device: Device) -> None:
    launch = SCALE.launch(**VALUES)
    here, there = (engines.engine(name)(PTX, launch) for name in engines.NAMES)
    assert here.keys() == there.keys() == {"x"}
    assert here["x"].dtype == there["x"].dtype
    assert np.array_equal(here["x"], there["x"])


@pytest.mark.parametrize("name", engines.NAMES)
def test_an_engine_refuses_arrays_that_break_the_contract(name: str, device: Device) -> None:
    with pytest.raises(ContractError, match="x is 19 x float32, expected 20 x float32"):
        engines.engine(name)(PTX, SCALE.launch(**VALUES), {"x": np.ones(19, np.float32)})
    assert not device.calls


@pytest.mark.parametrize("name", engines.NAMES)
def test_a_session_keeps_arrays_between_launches(name: str, device: Device) -> None:
    launch = SCALE.launch(**VALUES)
    with engines.session(name) as session:
        given = np.ones(20, np.float32)
        x = session.array(given)
        for _ in range(2):
            session.run(PTX, launch, {"x": x})
        assert session.host(x).tolist() == [2.5] * 20
        assert session.host(session.zeros(launch, "x")).tolist() == [0.0] * 20
    assert given.tolist() == [1.0] * 20


@pytest.mark.parametrize("name", engines.NAMES)
def test_a_session_refuses_arrays_that_break_the_contract(name: str, device: Device) -> None:
    launch = SCALE.launch(**VALUES)
    with engines.session(name) as session:
        with pytest.raises(ContractError, match="scale: the array x is missing"):
            session.run(PTX, launch, {})
        with pytest.raises(ContractError, match="x is 19 x float32, expected 20 x float32"):
            session.run(PTX, launch, {"x": session.array(np.ones(19, np.float32))})


def test_the_driver_assembles_a_text_once_for_each_device(device: Device) -> None:
    loaded = []
    device.load = loaded.append  # type: ignore[method-assign]
    for number in (0, 0, 1):
        device.number = number
        cupy.run(PTX, SCALE.launch(**VALUES))
    assert len(loaded) == 2


def test_ptx_that_the_driver_refuses_is_an_error_of_the_engine(device: Device) -> None:
    with pytest.raises(EngineError, match="scale: the driver refuses the PTX: CUDA_ERROR_INVALID"):
        cupy.run("nonsense", SCALE.launch(**VALUES))


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(EngineError, match="no engine 'gpu'; there are: simt, cupy"):
        engines.engine("gpu")
