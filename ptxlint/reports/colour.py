"""Styled text for terminals.

Text from a file (names, source lines, messages that quote them) goes through ``harmless``
of ``ptxlint.source``.
"""

from __future__ import annotations

from msgspec import Struct

from ptxlint.documentation import rule_page

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


class Palette(Struct, frozen=True):
    """Colours, and links (OSC 8) into the ``documentation``, or none."""

    on: bool = False
    documentation: str = ""

    def paint(self, text: str, style: str) -> str:
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.on and text else text

    def link(self, rule: str) -> str:
        """The name of a rule, with a link to its page."""
        if not self.on or not self.documentation:
            return rule
        page = rule_page(self.documentation, rule)
        return f"\x1b]8;;{page}\x1b\\{rule}\x1b]8;;\x1b\\"
