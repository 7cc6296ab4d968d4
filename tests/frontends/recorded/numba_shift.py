"""A kernel of Numba: ``numba_shift.ptx`` is what it compiles to."""

from numba import cuda


@cuda.jit
def shift(x, out, n):
    i = cuda.grid(1)
    if i < n:
        value = x[i + 1]  # reads beyond the end
        out[i] = value
