"""The options that declare a launch: given once, or several times, and former names."""

from __future__ import annotations

COMMAND_LINE = "command line"
"""The origin of what they declare there."""

SINGLE = ("block", "grid", "shared", "params", "writes")
SEVERAL = ("arg", "buffer", "values", "layout", "assume", "distinct")
OLD = {"need": "assume"}
