"""Kernels of Numba and Triton, their PTX and their launches, for where the compilers are not.

``python -m tests.frontends.recorded numba`` (or ``triton``) writes them anew.
"""
