"""Documents of TOML. Their depth is bounded before they are parsed: the parser recurses."""

from __future__ import annotations

import re
from typing import Any

from ptxlint.contracts.declaration import ContractError

DEEPEST = 50  # brackets inside of each other, and parts of a key
MOST_DIGITS = 400  # of a number

_PART = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+"
_MARKS = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|' + r"'''.*?(?:'''|\Z)|"
    rf"(?P<key>{_PART}(?:\.[ \t]*+{_PART}){{{DEEPEST},}})|"
    rf"(?P<digits>[0-9_]{{{MOST_DIGITS},}})|"
    r'"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?|#[^\n]*+|(?P<open>[\[{])|(?P<close>[\]}])",
    re.S,
)


def parsed(text: str, path: str) -> dict[str, Any]:
    """A document of TOML. Raises ContractError."""
    import tomllib  # not where nothing is declared in a file

    refuse_deep(text, path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(
            r"(?P<what>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", str(error)
        )
        what = found["what"] if found else str(error)
        line = found["line"] if found else None
        where = line or text.rstrip().count("\n") + 1  # of one cut off, the last line
        raise ContractError(f"{path}:{where}: {what[:1].lower()}{what[1:]}") from None


def refuse_deep(text: str, path: str) -> None:
    """Raises ContractError for brackets, keys or numbers that exceed the bounds."""
    depth = 0
    for mark in _MARKS.finditer(text):
        kind, wrong = mark.lastgroup, ""
        depth += {"open": 1, "close": -1}.get(kind or "", 0)
        if depth > DEEPEST:
            wrong = f"brackets are nested more than {DEEPEST} deep"
        elif kind == "key":
            wrong = f"a key has more than {DEEPEST} parts"
        elif kind == "digits":
            wrong = f"a number has {MOST_DIGITS} digits or more"
        if wrong:
            line = text.count("\n", 0, mark.start()) + 1
            raise ContractError(f"{path}:{line}: {wrong}")
