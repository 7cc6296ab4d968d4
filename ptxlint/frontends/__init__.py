"""What the front ends share (``ptxlint.cupy``, ``ptxlint.numba``, ``ptxlint.triton``): kernels with
the text that they come from (``kernels``), their launches (``watching``), and runs on arrays of
numpy (``double``)."""
