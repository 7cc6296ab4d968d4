"""Demangled C++ symbol names.

The part of the Itanium ABI's name mangling that kernels, shared arrays and device functions need:
plain and nested names, and names local to a function. Argument types and template arguments are
left out; any other name is returned unchanged.
"""

from __future__ import annotations

import re

_LENGTH = re.compile(r"L?(\d+)")


def demangled(symbol: str) -> str:
    """``_ZZ6reducePfE4tile`` is ``tile``; ``_ZN5price3putEi`` is ``price::put``."""
    if symbol.startswith("_ZZ"):
        return _name(symbol[symbol.rfind("E") + 1 :]) or symbol
    if symbol.startswith("_ZN"):
        return _name(symbol[3:].lstrip("rVK"), nested=True) or symbol
    if symbol.startswith("_Z"):
        return _name(symbol[2:]) or symbol
    return symbol


def _name(text: str, nested: bool = False) -> str:
    """The source names at the head of the text: digits say how long each is."""
    parts: list[str] = []
    while found := _LENGTH.match(text):
        end = found.end() + int(found[1])
        part, text = text[found.end() : end], text[end:]
        parts.append("(anonymous)" if part.startswith("_GLOBAL__N_") else part)
        if not nested:
            break
    return "::".join(parts)


def signature(symbol: str) -> str:
    """The name with its template arguments: ``softmax<float, 4>``."""
    return demangled(symbol)
