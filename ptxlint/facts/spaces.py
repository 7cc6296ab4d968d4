"""Addresses and the state spaces of the instructions that use them."""

from __future__ import annotations

from analyses.domains.regions import Origin


def mismatch(origin: Origin | None, space: str) -> str | None:
    """A description of an address with this origin, if it fits no instruction for ``space``."""
    if origin is None or origin.region.parameter:
        return None
    held = origin.region.space
    if space == "generic":
        if held == "global" or origin.generic:
            return None
        return f"an address inside {held} memory, used as a generic one"
    if held == space and not (origin.generic and held != "global"):
        return None
    form = "a generic address" if origin.generic or held == "global" else "an address"
    return f"{form} of {held} memory, used inside {space} memory"
