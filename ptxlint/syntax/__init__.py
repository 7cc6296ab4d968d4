"""The front end: from PTX text to a syntax tree.

``read_source`` takes any bytes, ``parse`` any text; diagnostics say what is wrong with either. The
grammar is imported on demand: reading a file needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlint.syntax.cleaning import read_source
from ptxlint.syntax.modules import modules

if TYPE_CHECKING:
    from ptxlint.syntax.declarations import initial_values
    from ptxlint.syntax.parser import Parsed, parse

_HOME = {"Parsed": "parser", "initial_values": "declarations", "parse": "parser"}

__all__ = ["Parsed", "initial_values", "modules", "parse", "read_source"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ptxlint.syntax' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"ptxlint.syntax.{_HOME[name]}"), name)
