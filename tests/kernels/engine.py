"""The engine of these tests: the interpreter, or another that is named, as with ``ENGINE=cupy``."""

from __future__ import annotations

import os

from pricing_kernels import engines

NAME = os.environ.get("ENGINE", "simt")
run = engines.engine(NAME)
