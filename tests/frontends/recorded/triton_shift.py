"""A kernel of Triton: ``triton_shift.ptx`` is what it compiles to."""

import triton
import triton.language as tl


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):  # noqa: N803
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i + 1, i < n)  # reads beyond the end
    tl.store(out + i, value, i < n)
