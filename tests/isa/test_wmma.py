"""Fragments: a product of matrices that ``wmma`` loads, multiplies and stores is what numpy says,
in any layout and with any stride."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.isa.test_movement import ENCODINGS, packed
from tests.simt.programs import gives, ran

Array = NDArray[Any]

SUMS = {"f16": "f2", "f32": "f4", "s32": "i4"}
SQUARE = ("m16n16k16", "m8n32k16", "m32n8k16")
PRODUCTS = [
    *((shape, dtype, "f16") for shape in SQUARE for dtype in ("f16", "f32")),
    *((shape, "f32", "bf16") for shape in SQUARE),
    *((shape, "s32", kind) for shape in SQUARE for kind in ("s8", "u8")),
    ("m16n16k8", "f32", "tf32"),
    ("m8n8k32", "s32", "s4"),
    ("m8n8k32", "s32", "u4"),
]
LAYOUTS = ("row.col", "row.row", "col.col", "col.row")
CASES = [
    (*one, layouts)
    for one in PRODUCTS
    for layouts in (LAYOUTS[:1] if one[2] in ("s4", "u4") else LAYOUTS)
]
PAD = 32  # elements that a stride is longer than a line


def in_memory(a: Array, layout: str, stride: int) -> Array:
    """The matrix by rows or columns, ``stride`` elements apart."""
    lines = a if layout == "row" else a.T
    whole = np.zeros((len(lines), stride), a.dtype)
    whole[:, : lines.shape[1]] = lines
    return whole


def words(first: int, count: int) -> str:
    return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"


def registers(elements: int, kind: str) -> int:
    bits, _ = ENCODINGS[kind]
    return 8 if kind == "f16" else elements * bits // 32 // 32


@pytest.mark.parametrize(("shape", "dtype", "kind", "layouts"), CASES)
@pytest.mark.parametrize("sums", ["row", "col"])
def test_a_product(shape: str, dtype: str, kind: str, layouts: str, sums: str) -> None:
    m, n, k = map(int, re.findall(r"\d+", shape))
    of_a, of_b = layouts.split(".")
    random = np.random.default_rng(m * n + k)
    bits, encode = ENCODINGS[kind]
    low = 0 if kind[0] == "u" else -7
    a, b = (random.integers(low, 8, size) for size in ((m, k), (k, n)))
    c = random.integers(-9, 9, (m, n))
    number = SUMS[dtype]
    held = m * n * np.dtype(number).itemsize // 128
    strides = [PAD + (size[layout == "col"]) for size, layout in
               (((k, m), of_a), ((n, k), of_b), ((n, m), sums))]  # fmt: skip
    parts = [
        packed(in_memory(encode(a), of_a, strides[0]), bits).view("u4").ravel(),
        packed(in_memory(encode(b), of_b, strides[1]), bits).view("u4").ravel(),
        in_memory(c.astype(number), sums, strides[2]).ravel().view("u4"),
    ]
    at = np.cumsum([0, *map(len, parts)]) * 4
    first, second = registers(m * k, kind), registers(k * n, kind)
    given, left, right = words(20, held), words(30, first), words(40, second)
    types = f"{dtype}.{dtype}" if kind == "f16" else f"{dtype}.{kind}.{kind}.{dtype}"
    end = f"sync.aligned.{sums}.{shape}.global.{dtype}"
    body = f"""
        wmma.load.a.sync.aligned.{of_a}.{shape}.global.{kind} {left}, [%rd2+{at[0]}], {strides[0]};
        wmma.load.b.sync.aligned.{of_b}.{shape}.global.{kind} {right}, [%rd2+{at[1]}], {strides[1]};
        wmma.load.c.{end} {given}, [%rd2+{at[2]}], {strides[2]};
        wmma.mma.sync.aligned.{layouts}.{shape}.{types} {given}, {left}, {right}, {given};
        wmma.store.d.{end} [%rd1], {given}, {strides[2]};"""
    expected = in_memory((a @ b + c).astype(number), sums, strides[2]).ravel().view("u4")
    gives(ran(body, x=np.concatenate(parts).astype("u4"), y=len(expected)), expected)


def test_doubles_without_strides() -> None:
    random = np.random.default_rng(5)
    a, b, c = (random.normal(size=size) for size in ((8, 4), (4, 8), (8, 8)))
    body = """
        wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%fd1}, [%rd2];
        wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%fd2}, [%rd2+256];
        wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%fd3, %fd4}, [%rd2+512];
        wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64
            {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
        wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%rd1], {%fd5, %fd6};"""
    result = ran(body, x=np.concatenate([a.ravel(), b.T.ravel(), c.ravel()]), y=128)
    assert not result.faults
    assert np.allclose(result.y("f8"), (a @ b + c).ravel(), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd2];", "expected 8 registers"),
        ("wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd2], {%r1};", "expected 4 registers"),
        (
            "wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32 {%r1}, {%r1}, {%r1}, {%r1};",
            "expected other operands",
        ),
    ],
)
def test_the_number_of_registers_is_checked(text: str, wanted: str) -> None:
    with pytest.raises(AssertionError, match=wanted):
        ran(text)
