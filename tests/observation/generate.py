"""Random kernels: well-formed PTX text from a seed, with the things that analyses get wrong.

A program is a list of lines: single instructions from the table below (a token in braces asks for a
register, a literal or a special register), and the structures around them: ifs, switches, loops
with breaks and several latches, accesses through pointers that move, early exits, barriers. Values
are mixed little, so that facts have something to say. Loops may run for ever: a run has a budget.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

COMPUTE = """
    add.s32 {R}, {r}, {i}          sub.u32 {R}, {r}, {i}         mul.lo.s32 {R}, {r}, {i}
    mad.lo.u32 {R}, {r}, {i}, {r}  mov.u32 {R}, {i}              neg.s32 {R}, {r}
    min.s32 {R}, {r}, {i}          max.s32 {R}, {r}, {i}         min.u32 {R}, {r}, {i}
    max.u32 {R}, {r}, {i}          abs.s32 {R}, {r}              and.b32 {R}, {r}, {m}
    or.b32 {R}, {r}, {i}           xor.b32 {R}, {r}, {i}         not.b32 {R}, {r}
    shl.b32 {R}, {r}, {n}          shr.u32 {R}, {r}, {n}         shr.s32 {R}, {r}, {n}
    shl.b32 {R}, {r}, {r}          shr.s32 {R}, {r}, {r}         div.u32 {R}, {r}, {i}
    rem.u32 {R}, {r}, {i}          div.s32 {R}, {r}, {i}         rem.s32 {R}, {r}, {i}
    mul.hi.u32 {R}, {r}, {i}       mul.hi.s32 {R}, {r}, {i}      sad.s32 {R}, {r}, {i}, {r}
    bfe.u32 {R}, {r}, {n}, {n}     bfe.s32 {R}, {r}, {n}, {n}    bfi.b32 {R}, {r}, {r}, {n}, {n}
    prmt.b32 {R}, {r}, {r}, {i}    lop3.b32 {R}, {r}, {r}, {i}, {t}
    shf.l.wrap.b32 {R}, {r}, {r}, {n}                            shf.r.clamp.b32 {R}, {r}, {r}, {n}
    popc.b32 {R}, {r}              clz.b32 {R}, {r}              brev.b32 {R}, {r}
    bfind.u32 {R}, {r}             mul24.lo.s32 {R}, {r}, {i}    mad24.lo.u32 {R}, {r}, {i}, {r}
    add.sat.s32 {R}, {r}, {i}      set.lt.u32.s32 {R}, {r}, {i}  slct.s32.s32 {R}, {r}, {i}, {r}
    selp.b32 {R}, {r}, {i}, {p}    selp.s32 {R}, {i}, {i}, {p}   cnot.b32 {R}, {r}
    add.s16 {H}, {h}, {j}          sub.s16 {H}, {h}, {j}         mul.lo.u16 {H}, {h}, {j}
    shl.b16 {H}, {h}, {n}          shr.s16 {H}, {h}, {n}         and.b16 {H}, {h}, {j}
    min.s16 {H}, {h}, {j}          max.u16 {H}, {h}, {j}         rem.u16 {H}, {h}, {j}
    mov.u16 {H}, {j}               mul.wide.u16 {R}, {h}, {j}    mul.wide.s16 {R}, {h}, {j}
    mad.wide.s16 {R}, {h}, {j}, {r}                              selp.b16 {H}, {h}, {j}, {p}
    add.s64 {D}, {d}, {k}          sub.s64 {D}, {d}, {k}         mul.lo.s64 {D}, {d}, {k}
    mad.lo.s64 {D}, {d}, {k}, {d}  min.s64 {D}, {d}, {k}         max.u64 {D}, {d}, {k}
    and.b64 {D}, {d}, {k}          or.b64 {D}, {d}, {k}          xor.b64 {D}, {d}, {k}
    shl.b64 {D}, {d}, {n}          shr.u64 {D}, {d}, {n}         shr.s64 {D}, {d}, {n}
    div.s64 {D}, {d}, {k}          rem.u64 {D}, {d}, {k}         mul.hi.s64 {D}, {d}, {k}
    mul.wide.u32 {D}, {r}, {i}     mul.wide.s32 {D}, {r}, {i}    mad.wide.s32 {D}, {r}, {i}, {d}
    mad.wide.u32 {D}, {r}, {i}, {d}                              selp.b64 {D}, {d}, {k}, {p}
    neg.s64 {D}, {d}               not.b64 {D}, {d}              mov.b64 {D}, {{{r}, {r}}}
    bfe.s64 {D}, {d}, {n}, {n}     mov.b64 {{{R}, {R}}}, {d}     mov.b32 {R}, {{{h}, {h}}}
    cvt.u64.u32 {D}, {r}           cvt.s64.s32 {D}, {r}          cvt.u32.u64 {R}, {d}
    cvt.s32.s16 {R}, {h}           cvt.u32.u16 {R}, {h}          cvt.u16.u32 {H}, {r}
    cvt.s32.s8 {R}, {r}            cvt.u32.u8 {R}, {r}           cvt.s64.s16 {D}, {h}
    cvt.u64.u16 {D}, {h}           cvt.sat.s16.s32 {H}, {r}      cvt.sat.u8.s32 {R}, {r}
    cvt.sat.u32.s64 {R}, {d}       cvt.s64.s8 {D}, {d}           cvt.u8.u32 {H}, {r}
    setp.{c}.s32 {P}, {r}, {i}     setp.{c}.u32 {P}, {r}, {i}    setp.{c}.s64 {P}, {d}, {k}
    setp.{c}.u16 {P}, {h}, {j}     setp.{c}.u64 {P}, {d}, {k}    setp.{c}.s16 {P}, {h}, {j}
    setp.{c}.and.s32 {P}, {r}, {i}, {p}                          setp.{c}.or.u32 {P}, {r}, {i}, {p}
    setp.{c}.s32 {P}|{P}, {r}, {i}                               setp.{c}.xor.s32 {P}, {r}, {i}, {p}
    and.pred {P}, {p}, {p}         or.pred {P}, {p}, {p}         xor.pred {P}, {p}, {p}
    not.pred {P}, {p}
"""
TOGETHER = """
    shfl.sync.down.b32 {R}|{P}, {r}, {n}, 31, -1    shfl.sync.idx.b32 {R}, {r}, {r}, 31, -1
    shfl.sync.bfly.b32 {R}, {r}, 5, 31, -1          shfl.sync.up.b32 {R}, {r}, 1, 0, -1
    vote.sync.any.pred {P}, {p}, -1                 vote.sync.all.pred {P}, {p}, -1
    vote.sync.ballot.b32 {R}, {p}, -1               activemask.b32 {R}
"""
CARRIES = (
    ("add.cc.u32 {R}, {r}, {i}", "addc.u32 {R}, {r}, {i}"),
    ("sub.cc.s32 {R}, {r}, {i}", "subc.cc.u32 {R}, {r}, {i}", "subc.s32 {R}, {r}, {i}"),
    ("mad.lo.cc.u32 {R}, {r}, {i}, {r}", "madc.hi.u32 {R}, {r}, {i}, {r}"),
)


def rows(table: str) -> tuple[str, ...]:
    return tuple(re.split(r"\s{2,}", table.strip()))


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
SPACES = {
    # register: state space, regions that it may point to, bytes that are surely there
    "%g": ("global", ("x", "y", "g"), 256),
    "%s": ("shared", ("s", "t"), 256),
    "%l": ("local", ("l",), 64),
    "%c": ("const", ("table",), 64),
    "%a": ("", ("s", "x", "l"), 64),  # generic
}
HEAD = """.version 8.5
.target sm_80
.address_size 64
.const .align 4 .b32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
.global .align 8 .b8 g[256];
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .s32 m, .param .u64 w,
                  .param .u16 q)
{
    .reg .pred %p<6>; .reg .pred %q<8>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<5>;
    .reg .b64 %g<3>; .reg .b64 %s<3>; .reg .b64 %l<2>; .reg .b64 %a<2>; .reg .b64 %c<1>;
    .reg .b16 %ih<4>; .reg .b32 %i<4>; .reg .b64 %id<4>;
    .reg .b32 %j<3>; .reg .b64 %k<3>; .reg .b32 %u<2>;
    .shared .align 16 .b8 s[1024]; .shared .align 4 .b8 t[256]; .local .align 8 .b8 l[64];
"""
BEGIN = """ld.param.u64 %g0, [x];
ld.param.u64 %g1, [y];
mov.u64 %g2, g;
mov.u64 %s0, s;
mov.u64 %s1, t;
mov.u64 %s2, s;
mov.u64 %l0, l;
mov.u64 %l1, l;
mov.u64 %c0, table;
cvta.shared.u64 %a0, %s0;
cvta.local.u64 %a1, %l0;
mov.u32 %u0, s;
mov.u32 %u1, t;
ld.param.u32 %r0, [n];
ld.param.s32 %r1, [m];
ld.param.u64 %d0, [w];
ld.param.u16 %h0, [q];
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %ctaid.x, %ntid.x, %tid.x;
mov.u32 %r4, 0;
mov.u32 %r5, %tid.y;
and.b32 %r6, %r2, 15;
shr.u32 %r7, %r2, 5;
cvt.u16.u32 %h1, %r2;
mov.u16 %h2, 3;
mov.u16 %h3, 0;
mul.wide.u32 %d1, %r3, 4;
cvt.s64.s32 %d2, %r1;
mov.u64 %d3, 0;
mov.u64 %d4, 100;
setp.lt.u32 %p0, %r2, %r0;
setp.lt.s32 %p1, %r3, %r1;
setp.eq.u32 %p2, %r6, 0;
setp.gt.u32 %p3, %r0, 10;
setp.ne.u32 %p4, %r7, 0;
setp.eq.s32 %p5, %r1, 0;"""


class Program:
    """Writes one kernel. ``lines`` is its body, a statement or a label each."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines = [line for line in BEGIN.splitlines() if self.random.random() < 0.98]
        self.labels = 0
        self.depth = 0
        self.loops: list[tuple[str, str]] = []  # where continue and break go
        self.fixed: list[str] = []  # counters of the loops around
        self.compute = rows(COMPUTE)
        self.together = rows(TOGETHER)

    def text(self) -> str:
        for _ in range(self.random.randint(6, 14)):
            self.statement()
            if self.random.random() < 0.12:
                self.put("bar.sync 0;")
        return kernel_text(self.lines)

    # --- operands

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
        """The template with its tokens chosen; ``{{`` stays a brace."""
        done = re.sub(r"\{([A-Za-z])\}", self.token, template)
        return done.replace("{{", "{").replace("}}", "}")

    # --- statements

    def put(self, lines: str) -> None:
        self.lines += lines.split("\n")

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def guard(self, share: float = 0.15) -> str:
        if self.random.random() >= share:
            return ""
        return self.filled(self.choose("@{p} ", "@!{p} "))

    def statement(self) -> None:
        kinds: dict[Callable[[], None], int] = {
            self.computation: 40, self.access: 14, self.pointer: 10, self.carry: 1,
            self.communication: 3, self.exit: 1, self.shifts: 2, self.guarded: 3, self.narrow: 3,
        }  # fmt: skip
        if self.depth < 3:
            kinds |= {
                self.conditional: 12, self.loop: 9, self.walk: 5, self.switch: 2, self.tangle: 1,
                self.meeting: 1,
            }  # fmt: skip
        if self.loops:
            kinds |= {self.leave: 5}
        (kind,) = self.random.choices(list(kinds), list(kinds.values()))
        kind()

    def body(self, most: int = 4) -> None:
        self.depth += 1
        for _ in range(self.random.randint(0, most)):
            self.statement()
        self.depth -= 1

    def computation(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.put(f"{self.guard()}{self.filled(self.choose(*self.compute))};")

    def carry(self) -> None:
        for line in self.random.choice(CARRIES):
            self.put(self.filled(line) + ";")

    def shifts(self) -> None:
        """There and back again, or the parts of a word put together."""
        a, b, by = self.filled("{R}"), self.filled("{R}"), self.choose("1", "2", "4", "28")
        self.put(self.filled(f"shl.b32 {a}, {{r}}, {by};"))
        if self.random.random() < 0.5:
            self.put(self.filled(f"and.b32 {b}, {{r}}, {self.choose('1', '3', '15')};"))
            self.put(f"or.b32 {a}, {a}, {b};")
        else:
            self.put(f"shr.{self.choose('u32', 's32')} {b}, {a}, {by};")

    def communication(self) -> None:
        self.put(f"{self.guard(0.1)}{self.filled(self.choose(*self.together))};")

    def exit(self) -> None:
        if self.random.random() < 0.5:
            self.put(self.filled("setp.{c}.u32 {P}, {r}, {i};"))
        self.put(self.filled("@{p} ") + self.choose("ret;", "exit;"))

    # --- memory

    def index(self, limit: int) -> str:
        """A register with an index that is below the limit, or is not."""
        index = self.choose("%j0", "%j1", "%j2")
        source = self.filled("{r}")
        match self.random.randrange(8):
            case 0:
                self.put(f"and.b32 {index}, {source}, {limit - 1};")
            case 1:
                self.put(f"rem.u32 {index}, {source}, {limit};")
            case 2:
                self.put(f"min.u32 {index}, {source}, {limit - 1};")
            case 3:
                self.put(f"add.s32 {index}, {source}, {self.choose('0', '1', '-1', '4')};")
            case 4:
                pitch = self.choose("4", "8", "16", "32", "33", "5", "%r0", "%ntid.x")
                self.put(f"mad.lo.s32 {index}, %tid.y, {pitch}, %tid.x;")
            case 5:
                self.put(f"shl.b32 {index}, %tid.x, {self.choose('1', '2', '3', '5')};")
                mixed = self.choose("or.b32", "xor.b32")
                self.put(f"{mixed} {index}, {index}, {self.choose('1', '3')};")
            case _:
                self.put(f"mov.u32 {index}, {source};")
        return index

    def pointer(self) -> None:
        """Moves a pointer: anew from its region, or along."""
        kind = self.choose("%g", "%g", "%s", "%s", "%l", "%a", "%c")
        target = f"{kind}{self.random.randrange(HOW_MANY[kind[1:]])}"
        space, regions, size = SPACES[kind]
        guard = self.guard(0.1)
        if self.random.random() < 0.3:
            step = self.choose("4", "8", "16", "-4", "128", "1", "%d1", "%d3")
            self.put(f"{guard}add.s64 {target}, {target}, {step};")
            return
        base = self.base(space, self.choose(*regions))
        index = self.index(size // 4)
        offset = self.choose("%k0", "%k1")
        self.put(self.choose(
            f"mul.wide.u32 {offset}, {index}, 4;", f"mul.wide.s32 {offset}, {index}, 4;",
            f"mul.wide.s32 {offset}, {index}, 8;", f"cvt.u64.u32 {offset}, {index};",
            f"mul.wide.u32 {offset}, {index}, 16;",
        ))  # fmt: skip
        self.put(f"{guard}add.s64 {target}, {base}, {offset};")

    def base(self, space: str, region: str) -> str:
        """A register that holds the start of a region."""
        if region in ("x", "y"):
            self.put(f"ld.param.u64 %k2, [{region}];")
            if self.random.random() < 0.5:
                self.put("cvta.to.global.u64 %k2, %k2;")
        else:
            self.put(f"mov.u64 %k2, {region};")
            if not space:
                self.put(f"cvta.{'shared' if region == 's' else 'local'}.u64 %k2, %k2;")
        return "%k2"

    def access(self) -> None:
        if self.random.random() < 0.5:
            self.pointer()
        kind = self.choose("%g", "%g", "%s", "%s", "%s", "%l", "%a", "%c")
        space = f".{SPACES[kind][0]}".rstrip(".")
        pointer = f"{kind}{self.random.randrange(HOW_MANY[kind[1:]])}"
        shift = self.choose("", "", "", "+4", "+8", "-4", "+128")
        place, guard = f"[{pointer}{shift}]", self.guard(0.3)
        if self.random.random() < 0.5 or kind == "%c":
            line = self.choose(
                "ld{S}.u32 {R}", "ld{S}.s32 {R}", "ld{S}.u8 {R}", "ld{S}.s16 {R}", "ld{S}.u64 {D}",
                "ld{S}.v2.u32 {{{R}, {R}}}", "ld{S}.v4.u32 {{{R}, {R}, {R}, {R}}}", "ld{S}.u16 {H}",
            )  # fmt: skip
            self.put(f"{guard}{self.filled(line.replace('{S}', space))}, {place};")
            return
        line = self.choose(
            "st{S}.u32 [], {i}", "st{S}.u8 [], {r}", "st{S}.u64 [], {k}", "st{S}.u16 [], {h}",
            "st{S}.v2.u32 [], {{{r}, {r}}}", "st{S}.v4.u32 [], {{{r}, {r}, {r}, {r}}}",
            "red{S}.add.u32 [], {i}", "atom{S}.max.s32 {R}, [], {i}",
            "atom{S}.cas.b32 {R}, [], 0, 1",
        )  # fmt: skip
        if kind == "%l":
            line = "st{S}.u32 [], {i}"
        written = self.filled(line.replace("{S}", space).replace("[]", place))
        self.put(f"{guard}{written};")

    def guarded(self) -> None:
        """An access that a comparison of its offset, or of its index, lets through."""
        offset, p, wide = self.choose("%j0", "%j1"), self.filled("{P}"), self.choose("%k0", "%k1")
        by, kind = self.choose("4", "8", "12"), self.choose("u32", "s32", "u32")
        limit = self.choose("64", "256", "252", "%r0")
        self.put(self.filled(f"mul.lo.s32 {offset}, {{r}}, {by};"))
        self.put(f"setp.{self.choose('lt', 'le')}.{kind} {p}, {offset}, {limit};")
        self.put(f"cvt.{self.choose('u64.u32', 's64.s32')} {wide}, {offset};")
        self.put(f"add.s64 %k2, {self.choose('%s0', '%s1', '%g0', '%g2')}, {wide};")
        space = self.choose("shared", "global")
        self.put(self.filled(f"@{p} ld.{space}.u32 {{R}}, [%k2];"))

    def narrow(self) -> None:
        """A shared address in 32 bits, and back in 64."""
        register = self.choose("%u0", "%u1")
        if self.random.random() < 0.6:
            self.put(f"mov.u32 {register}, {self.choose('s', 't')};")
        index = self.index(64)
        self.put(self.choose(
            f"mad.lo.s32 {register}, {index}, 4, {register};",
            f"add.u32 {register}, {register}, {self.choose('4', '-4', '16', index)};",
            f"shl.b32 {index}, {index}, 2;\nadd.u32 {register}, {register}, {index};",
        ))  # fmt: skip
        if self.random.random() < 0.3:
            self.put(f"cvt.{self.choose('u64.u32', 's64.s32')} %s2, {register};")
        self.put(f"{self.guard()}{self.filled('st.shared.u32')} [{register}], %r2;")

    # --- control

    def condition(self) -> str:
        """A fresh comparison in a predicate, or one that is there."""
        if self.random.random() < 0.3:
            return self.filled("{p}")
        kind = self.choose("s32", "u32", "u32", "s32", "s64", "u16")
        a, b = {"2": ("r", "i"), "4": ("d", "k"), "6": ("h", "j")}[kind[-1]]
        p = self.filled("{P}")
        self.put(self.filled(f"setp.{{c}}.{kind} {p}, {{{a}}}, {{{b}}};"))
        return p

    def conditional(self) -> None:
        p, other, join = self.condition(), self.label(), self.label()
        negated = self.choose("", "!")
        if self.random.random() < 0.5:
            self.put(f"@{negated}{p} bra {join};")
            self.body()
        else:
            self.put(f"@{negated}{p} bra {other};")
            self.body()
            self.put(f"bra {join};")
            self.put(f"{other}:")
            self.body()
        self.put(f"{join}:")

    def switch(self) -> None:
        names = [self.label() for _ in range(self.random.randint(2, 4))]
        join, table = self.label(), f"T{self.labels}"
        self.put(self.filled(f"rem.u32 %j0, {{r}}, {len(names)};"))
        listed = [*names, *names[:1]] if self.random.random() < 0.3 else names
        self.put(f"{table}: .branchtargets {', '.join(listed)};")
        self.put(f"brx.idx %j0, {table};")
        for name in names:
            self.put(f"{name}:")
            self.body(2)
            if self.random.random() < 0.8:
                self.put(f"bra {join};")
        self.put(f"{join}:")

    def tangle(self) -> None:
        """A loop with two entries."""
        head, middle = self.label(), self.label()
        self.put(f"@{self.condition()} bra {middle};")
        self.put(f"{head}:")
        self.body(2)
        self.put(f"{middle}:")
        self.body(2)
        self.put("add.u32 %r4, %r4, 1;")
        self.put("setp.lt.u32 %p2, %r4, 6;")
        self.put(f"@%p2 bra {head};")

    def meeting(self) -> None:
        """A barrier where all threads of a CTA come, or none."""
        p, join = self.filled("{P}"), self.label()
        word = self.choose("%r0", "%r1", "%ctaid.x", "%ntid.x")
        self.put(self.filled(f"setp.{{c}}.s32 {p}, {word}, {{i}};").replace("%tid.x", "1"))
        self.put(f"@{p} bra {join};")
        self.body(2)
        self.put(f"bar.sync {self.choose('0', '1')};")
        self.put(f"{join}:")

    def walk(self) -> None:
        """A loop on words as they come, perhaps by two edges; pointers move along."""
        word, head = self.filled("{R}"), self.label()
        if self.random.random() < 0.5:
            self.put(self.filled(f"and.b32 {word}, {{r}}, {self.choose('7', '15', '31')};"))
        if self.random.random() < 0.6:
            self.conditional()
        self.put(f"{head}:")
        self.fixed.append(word)
        self.body(2)
        self.fixed.pop()
        if self.random.random() < 0.5:
            step = self.choose("4", "-4", "16", "128")
            pointer = self.choose("%g0", "%s0", "%s1", "%a0")
            self.put(f"add.s64 {pointer}, {pointer}, {step};")
        self.put(f"add.s32 {word}, {word}, {self.choose('1', '1', '3', '-1')};")
        end, p = self.choose("20", "33", "%r0", "%r6", "0"), self.filled("{P}")
        test = self.choose("lt.s32", "lt.u32", "ne.s32", "le.s32", "gt.s32")
        self.put(f"setp.{test} {p}, {word}, {end};")
        self.put(f"@{p} bra {head};")

    def leave(self) -> None:
        again, out = self.random.choice(self.loops)
        p = self.condition()
        self.put(f"@{self.choose('', '!')}{p} bra {self.choose(again, out)};")

    def loop(self) -> None:
        kind = self.choose("u32", "s32", "s32", "u32", "s64", "u64", "s16")
        i = {"2": "%i", "4": "%id", "6": "%ih"}[kind[-1]] + str(self.depth)
        start, step, test, end = self.course(kind)
        head, turn, out = self.label(), self.label(), self.label()
        q = f"%q{self.depth}"
        self.put(f"mov.b{kind[1:]} {i}, {start};")
        asked_before = self.random.randrange(3)  # at the head, once before, or not at all
        stop = f"setp.{NOT[test]}.{kind} {q}, {i}, {end};"
        if asked_before == 1:
            self.lines += [stop, f"@{q} bra {out};"]
        self.put(f"{head}:")
        if asked_before == 0:
            self.lines += [stop, f"@{q} bra {out};"]
        self.loops.append((turn, out))
        self.fixed.append(i)
        self.body(5)
        self.fixed.pop()
        self.loops.pop()
        self.put(f"{turn}:")
        self.put(step.replace("I", i))
        if self.random.random() < 0.2:  # a second latch
            self.put(f"@{self.condition()} bra {out};")
        if asked_before == 0:
            self.put(f"bra {head};")
        else:
            self.lines += [f"setp.{test}.{kind} {q}, {i}, {end};", f"@{q} bra {head};"]
        self.put(f"{out}:")

    def course(self, kind: str) -> tuple[str, str, str, str]:
        """Start, step, test to go on, and end of a loop; now and then one that does not end."""
        bits = kind[1:]
        word = {"32": "r", "64": "d", "16": "h"}[bits]
        by = self.choose("1", "1", "2", "3", "4", "7")
        low, high = self.choose("0", "0", "1", "5"), self.choose("4", "8", "9", "10", "16")
        some = self.filled(f"{{{word}}}")
        if some.startswith(("%t", "%n", "%c", "%l")) or self.random.random() < 0.3:
            some = {"32": "%r6", "64": "%d4", "16": "%h2"}[bits]
        if self.random.random() < 0.3:
            low = some
        elif self.random.random() < 0.3:
            high = some
        courses = [
            (low, f"add.{kind} I, I, {by};", "lt", high),
            (low, f"add.{kind} I, I, {by};", self.choose("lt", "le"), high),
            (low, f"add.{kind} I, I, 1;", "ne", high),
            (high, f"sub.{kind} I, I, {by};", self.choose("gt", "ge") if kind[0] == "s" else "gt",
             low),
            (high, f"shr.{kind} I, I, 1;", self.choose("ne", "gt"), "0"),
            ("1", f"shl.b{bits} I, I, 1;", "lt", self.choose("32", "100", high)),
            (low, f"mad.lo.{kind} I, I, 3, 1;", "lt", high),
            (low, self.filled(f"add.{kind} I, I, {{{word}}};"), self.choose("lt", "ne"), high),
        ]  # fmt: skip
        return self.random.choice(courses)


HOW_MANY = {"r": 8, "h": 4, "d": 5, "p": 6, "g": 3, "s": 3, "l": 2, "a": 2, "c": 1}
NOT = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq"}


def kernel_text(lines: list[str]) -> str:
    return HEAD + "\n".join(lines) + "\nret;\n}\n"


def lines_of(text: str) -> list[str]:
    return text.removeprefix(HEAD).removesuffix("\nret;\n}\n").split("\n")


def generate(seed: int) -> str:
    return Program(seed).text()
