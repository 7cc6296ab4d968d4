"""What nvcc makes of half, bfloat16, fp8, SIMD, double and 128-bit arithmetic is modelled."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ptxlint.isa.table import decode
from ptxlint.source import Source
from ptxlint.syntax import ast, parse
from tests.isa.table import CHAPTERS

OPCODES = {row.opcode for chapter in CHAPTERS for row in chapter.ROWS}
SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void half_precision(__half2 *y, const __half2 *a, const __half *b) {
  __half2 z = h2tanh(h2exp2(__hmax2_nan(__hfma2_relu(a[0], a[1], a[2]), __hadd2_sat(a[3], a[4]))));
  if (__hbgt2(z, a[5])) z = __hmin2(__h2div(__hneg2(z), a[6]), __habs2(z));
  y[0] = __hgeu2(z, a[7]);
  y[1] = __half2half2(__hlt(hsin(b[0]), b[1]) ? hrsqrt(b[2]) : __ull2half_ru(__half2ull_rd(b[3])));
}
extern "C" __global__ void bfloat(__nv_bfloat162 *y, const __nv_bfloat162 *a, float f, double d) {
  __nv_bfloat162 z = h2tanh(__hmax2_nan(__hfma2_relu(a[0], a[1], a[2]), __hadd2(a[3], a[4])));
  y[0] = __hbne2(z, a[5]) ? __hmul2(z, a[6]) : __floats2bfloat162_rn(f, 2 * f);
  y[1].x = __double2bfloat16(d);
  y[1].y = __int2bfloat16_rn(__bfloat162int_rz(a[7].x));
}
extern "C" __global__ void eight_bits(unsigned short *y, const float2 *a, __half2_raw *b) {
  y[0] = __nv_cvt_float2_to_fp8x2(a[0], __NV_SATFINITE, __NV_E4M3);
  y[1] = __nv_cvt_halfraw2_to_fp8x2(b[0], __NV_SATFINITE, __NV_E5M2);
  b[1] = __nv_cvt_fp8x2_to_halfraw2(y[2], __NV_E4M3);
}
extern "C" __global__ void words(unsigned *y, unsigned a, unsigned b, unsigned n) {
  y[0] = __vadd4(a, b) + __vaddss2(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b) + __vavgu4(a, b);
  y[1] = __dp4a((int)a, (int)b, 3) + __dp2a_lo((int)a, (int)b, 3) + __byte_perm(a, b, n);
  y[2] = __brev(a) + __popc(b) + __clz(a) + __ffs(b) + __funnelshift_l(a, b, n) + __fns(a, 0, n);
  y[3] = __mul24(a, b) + __umulhi(a, b) + __sad(a, b, 1) + __vimax3_s16x2_relu(a, b, n);
}
extern "C" __global__ void wide(unsigned __int128 *y, double *d, float *f, long long *l) {
  y[0] = y[1] * y[2] + y[3];
  d[0] = exp(d[1]) + pow(d[2], d[3]) + sin(d[4]) + erf(d[5]) + __drcp_ru(d[6]) + __dsqrt_rd(d[7]);
  f[0] = __sinf(f[1]) + __expf(f[2]) + tanf(f[3]) + powf(f[4], f[5]) + __fdividef(f[6], f[7]);
  l[0] = llrint(d[8]) + l[1] / l[2];
}
"""


def instructions(body: ast.Scope) -> Iterator[ast.Instruction]:
    for statement in body.statements:
        if isinstance(statement, ast.Scope):
            yield from instructions(statement)
        elif isinstance(statement, ast.Instruction):
            yield statement


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
@pytest.mark.parametrize("options", ["-arch=sm_80", "-arch=sm_90", "-arch=sm_100a -use_fast_math"])
def test_what_nvcc_writes_is_modelled(options: str, tmp_path: Path) -> None:
    (tmp_path / "code.cu").write_text(SOURCE)
    command = ["nvcc", "-ptx", *options.split(), "-o", "code.ptx", "code.cu"]
    subprocess.run(command, cwd=tmp_path, check=True)
    module = parse(Source("code.ptx", (tmp_path / "code.ptx").read_text())).module
    assert module is not None
    seen, left = Counter[str](), Counter[str]()
    for item in module.items:
        if isinstance(item, ast.Function) and item.body:
            for node in instructions(item.body):
                form = decode(node.opcode, node.modifiers)
                seen[node.opcode] += node.opcode in OPCODES
                left[node.text] += node.opcode in OPCODES and (
                    form is None or not form.row.modelled
                )
    assert sum(seen.values()) > 500
    assert not +left
