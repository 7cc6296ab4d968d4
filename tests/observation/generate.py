"""Random kernels: well-formed PTX text from a seed, with the things that analyses get wrong.

A program is a list of lines: single instructions from the table below (``writer`` fills in what
stands in braces), accesses to memory (``accesses``), and the structures around them: ifs, switches,
loops with breaks and several latches, early exits, barriers. Values are mixed little, so that facts
have something to say. Loops may run for ever: a run has a budget.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .accesses import Accesses

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
TAIL = "\nret;\n}\n"
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


class Program(Accesses):
    """Writes one kernel. ``lines`` is its body, a statement or a label each."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.lines += [line for line in BEGIN.splitlines() if self.random.random() < 0.98]
        self.depth = 0
        self.loops: list[tuple[str, str]] = []  # where continue and break go
        self.compute = rows(COMPUTE)
        self.together = rows(TOGETHER)

    def text(self) -> str:
        for _ in range(self.random.randint(6, 14)):
            self.statement()
            if self.random.random() < 0.12:
                self.put("bar.sync 0;")
        return HEAD + "\n".join(self.lines) + TAIL

    # --- statements

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


NOT = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq"}


def generate(seed: int) -> str:
    return Program(seed).text()
