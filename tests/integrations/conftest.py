"""A kernel with a defect, and the same kernel without it."""

from __future__ import annotations

from ptxlint.rule import load_rule

RULE = load_rule("misaligned-access")
LAUNCH = "--block 32 --grid 1 --buffer x=512 --params x"
CONFIGURATION = """
[[launch]]
kernel = "vectors"
params = ["x"]
block = 32
grid = 1
buffers = { x = 512 }
"""
BAD, GOOD = RULE.bad, RULE.good
