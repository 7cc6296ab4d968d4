"""Demangled C++ symbol names.

The part of the Itanium ABI's name mangling that kernels, shared arrays and device functions need:
plain and nested names, names local to a function, and template arguments. Parameter types are left
out, and so are the tags of Numba's names; any other name is returned unchanged.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_LENGTH = re.compile(r"L?(\d+)")
_PYTHON = re.compile(r"^_3c(\w+)_3e$")


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
        parts.append(_plain(part))
        if not nested:
            break
    return "::".join(parts)


def _plain(part: str) -> str:
    """A part as it is written: Numba has ``_3clocals_3e`` for ``<locals>``."""
    if part.startswith("_GLOBAL__N_"):
        return "(anonymous)"
    return _PYTHON.sub(r"<\1>", part)


def signature(symbol: str) -> str:
    """The name with the arguments of templates: ``_Z7softmaxIfLi4EEvPT_`` is ``softmax<float, 4>``.
    Without them where they are of a kind that is not known here."""
    if not symbol.startswith("_Z") or symbol.startswith("_ZZ"):
        return demangled(symbol)
    try:
        return _Mangled(symbol[2:]).name()
    except (IndexError, KeyError, ValueError):
        return demangled(symbol)


def matches(symbol: str, pattern: str) -> bool:
    """True if the pattern, like ``reduce_*``, fits the whole name of a kernel: mangled, demangled,
    or demangled with template arguments."""
    if pattern == "*" or fnmatchcase(symbol, pattern):
        return True
    return any(fnmatchcase(name, pattern) for name in (demangled(symbol), signature(symbol)))


TYPES = {
    "v": "void",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "w": "wchar_t",
    "f": "float",
    "d": "double",
    "Dh": "half",
    "n": "__int128",
    "o": "unsigned __int128",
}
DECORATED = {"P": "*", "R": "&", "O": "&&", "K": " const", "V": " volatile"}


class _Mangled:
    """A place in a mangled name, and the parts that later parts may refer to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []

    def accept(self, word: str) -> bool:
        found = self.text.startswith(word)
        self.text = self.text.removeprefix(word) if found else self.text
        return found

    def name(self) -> str:
        if self.accept("N"):
            return self.nested()
        found = "std::" + self.source() if self.accept("St") else self.source()
        if not self.text.startswith("I"):
            return found
        self.parts.append(found)
        return found + self.arguments()

    def nested(self) -> str:
        self.text = self.text.lstrip("rVK")
        found = ""
        while not self.accept("E"):
            if self.text.startswith("I"):
                found += self.arguments()
            elif self.text.startswith("S"):
                found = self.reference()
                continue
            else:
                found += "::" * bool(found) + self.source()
            if not self.text.startswith("E"):
                self.parts.append(found)
        return found

    def source(self) -> str:
        found = _LENGTH.match(self.text)
        if found is None:
            raise ValueError(self.text)
        end = found.end() + int(found[1])
        part, self.text = self.text[found.end() : end], self.text[end:]
        return _plain(part)

    def arguments(self) -> str:
        """``IfLi4EE``"""
        self.accept("I")
        found: list[str] = []
        while not self.accept("E"):
            found += self.argument()
        return f"<{', '.join(found)}>"

    def argument(self) -> list[str]:
        if self.accept("J"):
            found: list[str] = []
            while not self.accept("E"):
                found += self.argument()
            return found
        if not self.accept("L"):
            return [self.type()]
        kind = self.type()
        value, _, self.text = self.text.partition("E")
        number = str(int(value.replace("n", "-", 1)))
        return [{"0": "false", "1": "true"}[number] if kind == "bool" else number]

    def type(self) -> str:
        for code in (self.text[:2], self.text[:1]):
            if code in TYPES:
                self.text = self.text[len(code) :]
                return TYPES[code]
        if self.text[0] in DECORATED:
            mark = DECORATED[self.text[0]]
            self.text = self.text[1:]
            found = self.type() + mark
        elif self.text[0] == "S" and not self.text.startswith("St"):
            found = self.reference()
            if not self.text.startswith("I"):
                return found
            found += self.arguments()
        else:
            found = self.name()
        self.parts.append(found)
        return found

    def reference(self) -> str:
        """``S_``, ``S0_``: a part that was there before."""
        which, _, self.text = self.text[1:].partition("_")
        return self.parts[int(which, 36) + 1 if which else 0]
