"""The front end: from PTX text to a syntax tree and back.

``read_source`` takes any bytes, ``parse`` any text; diagnostics say what is wrong with either.
``print_module`` writes a tree as PTX, and parsing that gives the same tree.
"""

from ptxlint.syntax.cleaning import read_source
from ptxlint.syntax.declarations import initial_values
from ptxlint.syntax.parser import Parsed, parse
from ptxlint.syntax.printer import print_module

__all__ = ["Parsed", "initial_values", "parse", "print_module", "read_source"]
