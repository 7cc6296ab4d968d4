"""Lines of random kernels: templates with registers, literals and special registers filled in.

A token in braces asks: ``{R} {H} {D} {P}`` for a register that is written, of 32, 16, 64 bits or a
predicate; ``{r} {h} {d} {p}`` for one that is read; ``{i} {j} {k}`` for a number or a register of
32, 16, 64 bits; ``{n}`` for an amount, ``{m}`` for a mask, ``{t}`` for a byte, ``{c}`` for a
comparison.
"""

from __future__ import annotations

import re
from random import Random

COMPARISONS = "eq ne lt le gt ge"
SPECIALS = (
    *("%tid.x", "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ctaid.x", "%ctaid.y"),
    *("%nctaid.x", "%laneid", "%lanemask_lt"),
)
SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64, 100, 128)
LARGE = {
    16: (255, 256, 0x7FFF, 0x8000, -32768, 0xFFFF),
    32: (1023, 0xFFFF, 0x10000, 0x7FFFFFFF, -0x80000000, 0xFFFFFFFF, 0x55555555, 0xFF00FF00),
    64: (1023, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 32, 1 << 62, -(1 << 63), -2, 0x5555555555555555),
}
MASKS = (1, 3, 7, 15, 31, 63, 127, 255, -4, -32, 0xF0, 0x3C, 0x55)
HOW_MANY = {"r": 8, "h": 4, "d": 5, "p": 6, "g": 3, "s": 3, "l": 2, "a": 2, "c": 1}


class Writer:
    """Writes lines of a kernel, with words of its own choice."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.labels = 0
        self.fixed: list[str] = []  # counters of the loops around

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def literal(self, width: int) -> str:
        often = self.random.random() < 0.85
        number = self.random.choice(SMALL if often else LARGE[width])
        return str(-number if often and self.random.random() < 0.2 else number)

    def token(self, match: re.Match[str]) -> str:
        pick, random = self.random.choice, self.random.random
        kind = match[1]
        match kind:
            case "R" | "H" | "D" | "P":
                return f"%{kind.lower()}{self.random.randrange(HOW_MANY[kind.lower()])}"
            case "r" if self.fixed and random() < 0.25:
                return self.counter(r"%[ir]\d")
            case "r" if random() < 0.25:
                return pick(SPECIALS)
            case "d" if self.fixed and random() < 0.15:
                return self.counter(r"%id\d")
            case "r" | "h" | "d" | "p":
                return f"%{kind}{self.random.randrange(HOW_MANY[kind])}"
            case "i" | "j" | "k":
                width, word = {"i": (32, "r"), "j": (16, "h"), "k": (64, "d")}[kind]
                return self.literal(width) if random() < 0.6 else self.filled(f"{{{word}}}")
            case "n":
                return str(pick((0, 1, 2, 2, 3, 4, 5, 8, 16, 31, 32, 40)))
            case "m":
                return str(pick(MASKS))
            case "t":
                return str(self.random.randrange(256))
        return pick(COMPARISONS.split())

    def counter(self, prefix: str) -> str:
        """The counter of a loop around, if one has such a register."""
        fitting = [word for word in self.fixed if re.fullmatch(prefix, word)]
        return self.random.choice(fitting or ["%r0" if prefix.startswith("%[ir]") else "%d0"])

    def filled(self, template: str) -> str:
        """The template with its tokens chosen; ``{{`` stays a brace. No register is written twice:
        the manual does not say which result stays."""
        written: set[str] = set()

        def chosen(match: re.Match[str]) -> str:
            text, kind = self.token(match), match[1].lower()
            if match[1] in "RHDP":
                while text in written:
                    text = f"%{kind}{(int(text[2:]) + 1) % HOW_MANY[kind]}"
                written.add(text)
            return text

        done = re.sub(r"\{([A-Za-z])\}", chosen, template)
        return done.replace("{{", "{").replace("}}", "}")

    def put(self, lines: str) -> None:
        self.lines += lines.split("\n")

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def guard(self, share: float = 0.15) -> str:
        if self.random.random() >= share:
            return ""
        return self.filled(self.choose("@{p} ", "@!{p} "))
