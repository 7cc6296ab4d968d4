"""Why an access is not proved, in words."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "loaded-index": "the address depends on loaded data",
    "atomic-result": "the address depends on the result of an atomic",
    "call": "the address comes from a function without a body",
    "unmodelled": "the address comes from an unmodelled instruction",
    "lanes": "the address depends on values of other lanes",
    "opaque": "the instruction accesses memory at unknown addresses",
    "extern": "the array is external, of unknown size",
    "loop": "no bound of a loop-carried address was found",
    "pointer-end": "the loop ends at a pointer parameter; declare it with --arg END=BUFFER+BYTES",
    "join": "no bound of an address that differs by path was found",
    "extent": "the size of the buffer is not declared",
    "space": "the address may be in another state space",
    "alignment": "the address is not known to be aligned",
    "budget": "the step budget was exhausted before a bound was found",
    "limit": "the address, or what bounds it, is larger than the analysis follows",
    "far": "the offset is beyond what a buffer of undeclared size is taken to have",
    "null": "no branch shows that the pointer, which may be null, is not",
    "before": "no lower bound of the offset is known to be >= 0",
    "nonlinear": "no bound of the address was found",
}
"""Explanations by reason code."""
