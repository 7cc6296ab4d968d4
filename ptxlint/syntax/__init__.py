"""The front end: from PTX text to a syntax tree.

``read_source`` takes any bytes, ``parse`` any text; diagnostics say what is wrong with either.
"""

from ptxlint.syntax.cleaning import read_source
from ptxlint.syntax.declarations import initial_values
from ptxlint.syntax.modules import modules
from ptxlint.syntax.parser import Parsed, parse

__all__ = ["Parsed", "initial_values", "modules", "parse", "read_source"]
