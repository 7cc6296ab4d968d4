"""The oracle: every operator of every domain, on all operands of a small width, judged by lanes.

A failing line names the operator, the operands and the word that was lost.
``python -m tests.oracle`` prints what was checked and how precise each operator is; with
``--record`` it rewrites the floors.
"""
