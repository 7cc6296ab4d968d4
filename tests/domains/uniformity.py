"""Who agrees on a word. It says something of the words of many threads together, so its operators
have a judge of their own."""

from __future__ import annotations

from analyses.domains.uniformity import Level, Uniform, Uniformities

from . import Judged

JUDGED = Judged(Uniformities(), [Uniform(level, 8) for level in Level if level is not Level.NEVER])
