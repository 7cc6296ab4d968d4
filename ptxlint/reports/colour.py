"""Styled text for terminals, and text that cannot style itself.

Whatever comes from a file (names, source lines, messages that quote them) goes through
``harmless``: a PTX file must not be able to move the cursor of whoever lints it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "good": "1;32",
    "path": "1",
    "gutter": "34",
    "faint": "2",
    "label": "36",
}
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours, or none."""

    on: bool = False

    def paint(self, text: str, style: str) -> str:
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.on and text else text


def harmless(text: str) -> str:
    """The text with a question mark for each control character but the tab."""
    return _CONTROL.sub("?", text)
