"""Kernels of each front end: their results, what is decided of them, and where defects are found.

``python -m tests.frontends.suites cupy`` prints the figures of ``docs/measurements/frontends.md``.
"""
