"""Why a contract requires something: reasons that several modules give."""

from __future__ import annotations

WRAPS = "to avoid {}-bit overflow"
"""The reason for such a requirement, for a word of so many bits."""

DIVIDES = "so that a divisor is not negative"
PART = "so that a part of the index has bounds"
FACTOR = "assumed non-negative: multiplies the index"
UNSIGNED = "assumed non-negative: compared as an unsigned number"
NEGATIVE = "so that a negative index is above it as an unsigned number"
TABLES = "they decide addresses"  # of the initial values of arrays of the module
POSITIVE = "assumed positive: divides or scales the index"
EXPONENT = "assumed to be an exponent: no word has more bits"
BEHIND = "so that a loop ends behind its start"
FORWARD = "so that a loop advances"
AROUND = "so that a loop goes around a buffer once at most"
DIGIT = "so that a loop has a digit to read"
INSIDE = "so that a loop begins inside of a buffer"
WHOLE = "so that a limit of an index is exact as a float"


def avoids_overflow(reason: str) -> bool:
    """True if a requirement for the reason keeps a word from overflowing."""
    return reason.endswith("-bit overflow")
