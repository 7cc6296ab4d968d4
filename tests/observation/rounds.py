"""Random kernels about loops and guards: sizes that stay symbols, and accesses near their ends.

Every course that a loop can take is here: up and down, to ``!=`` exits, in strides of the grid, by
halves, unrolled with a remainder, nested, left from the middle; guards compare signed and unsigned,
before and after. Indices are 32 or 64 bits wide, and reach memory by all conversions.
"""

from __future__ import annotations

import re
from random import Random

HEAD = """.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .s32 m, .param .u64 w)
{
    .reg .pred %p<10>; .reg .b32 %r<24>; .reg .b64 %d<12>; .reg .b64 %a<4>;
    .shared .align 16 .b8 s[512];
ld.param.u64 %a0, [x];
ld.param.u64 %a1, [y];
ld.param.u32 %r0, [n];
ld.param.s32 %r1, [m];
ld.param.u64 %d0, [w];
mov.u64 %a2, s;
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mov.u32 %r5, %nctaid.x;
mad.lo.s32 %r6, %r3, %r4, %r2;
mul.lo.s32 %r7, %r4, %r5;
"""
TAIL = "\nret;\n}\n"
STEADY = tuple(f"%r{i}" for i in range(8))  # the launch and the thread
FREE = tuple(f"%r{i}" for i in range(8, 18))
OPERATIONS = """
    add.s32 {R}, {r}, {i}          sub.s32 {R}, {r}, {i}          mad.lo.s32 {R}, {r}, {r}, {r}
    mul.lo.s32 {R}, {r}, {i}       mad.lo.s32 {R}, {r}, {i}, {r}  shl.b32 {R}, {r}, {n}
    shr.u32 {R}, {r}, {n}          shr.s32 {R}, {r}, {n}          and.b32 {R}, {r}, {m}
    min.s32 {R}, {r}, {r}          max.s32 {R}, {r}, {i}          min.u32 {R}, {r}, {r}
    max.u32 {R}, {r}, {i}          div.u32 {R}, {r}, {c}          rem.u32 {R}, {r}, {c}
    div.s32 {R}, {r}, {c}          rem.s32 {R}, {r}, {c}          neg.s32 {R}, {r}
    not.b32 {R}, {r}               or.b32 {R}, {r}, {i}           xor.b32 {R}, {r}, {i}
    mul.hi.u32 {R}, {r}, {h}       mul.hi.s32 {R}, {r}, {h}       selp.b32 {R}, {r}, {r}, {p}
    div.u32 {R}, {r}, {r}          rem.u32 {R}, {r}, {r}          sub.s32 {R}, {r}, {r}
    add.s32 {R}, {r}, {r}          bfe.u32 {R}, {r}, {n}, {n}     cvt.u32.u8 {R}, {r}
    cvt.s32.s16 {R}, {r}           abs.s32 {R}, {r}               shl.b32 {R}, {r}, {r}
"""
NUMBERS = ("0", "1", "2", "3", "4", "7", "8", "16", "31", "32", "33", "-1", "-2", "-4", "255")
RECIPROCALS = ("-1431655765", "1431655766", "-858993459", "613566757", "715827883", "1717986919")
MASKS = ("1", "3", "7", "15", "31", "255", "-2", "-4", "-32", "12", "112", "0x80000000")
NOT = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq", "eq": "ne"}


class Writer:
    """Writes one kernel as a list of lines."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.labels = self.depth = self.counters = self.wides = 0
        self.known = list(STEADY)  # registers that hold something
        self.predicates: list[str] = []
        self.outs: list[str] = []
        self.operations = re.split(r"\s{2,}", OPERATIONS.strip())

    def text(self) -> str:
        for _ in range(self.random.randint(2, 6)):
            self.statement()
        self.access()
        return HEAD + "\n".join(self.lines) + TAIL

    # --- operands

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def operand(self) -> str:
        """What was written last is used most."""
        recent = self.known[-3:] if self.chance(0.5) else self.known
        return self.random.choice(recent)

    def fresh(self) -> str:
        register = self.random.choice(FREE)
        if register in self.known:
            self.known.remove(register)
        return register

    def token(self, match: re.Match[str]) -> str:
        match match[1]:
            case "r":
                return self.operand()
            case "i":
                return self.operand() if self.chance(0.3) else self.pick(*NUMBERS)
            case "c":
                return self.pick("1", "2", "3", "5", "8", "10", "32", "100", self.operand())
            case "n":
                return self.pick("1", "2", "2", "3", "5", "16", "31")
            case "m":
                return self.pick(*MASKS)
            case "h":
                return self.pick(*RECIPROCALS)
        return self.predicate()

    def filled(self, template: str) -> str:
        return re.sub(r"\{([a-z])\}", self.token, template)

    def predicate(self) -> str:
        """One that there is, or a new comparison; sometimes of several."""
        if self.predicates and self.chance(0.25):
            return self.random.choice(self.predicates)
        p = f"%p{self.random.randrange(8)}"
        kind, test = self.pick("s32", "u32", "s32"), self.pick("lt", "le", "gt", "ge", "eq", "ne")
        a, b = self.operand(), self.pick("%r0", "%r0", "%r1", self.operand(), *NUMBERS[:9])
        connect = ""
        if self.predicates and self.chance(0.3):
            connect = self.pick(".and", ".or")
        old = f", {self.random.choice(self.predicates)}" if connect else ""
        self.put(f"setp.{test}{connect}.{kind} {p}, {a}, {b}{old};")
        if p not in self.predicates:
            self.predicates.append(p)
        return p

    # --- statements

    def put(self, *lines: str) -> None:
        self.lines += lines

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def statement(self) -> None:
        kinds = {self.operation: 10, self.access: 4, self.guard: 5, self.divided: 1}
        if self.depth < 3:
            kinds |= {self.loop: 7, self.unrolled: 2, self.pointed: 2, self.halving: 1}
        if self.outs:
            kinds |= {self.leave: 3}
        (kind,) = self.random.choices(list(kinds), list(kinds.values()))
        kind()

    def body(self, most: int = 3) -> None:
        self.depth += 1
        for _ in range(self.random.randint(0, most)):
            self.statement()
        self.depth -= 1

    def operation(self) -> None:
        line = self.filled(self.random.choice(self.operations))
        target = self.fresh()
        guard = f"@{self.pick('', '!')}{self.predicate()} " if self.chance(0.1) else ""
        self.put(f"{guard}{line.replace('{R}', target)};")
        self.known.append(target)

    def divided(self) -> None:
        """A quotient and its remainder, as an index is taken apart."""
        a, b = self.operand(), self.pick("%r0", "%r4", "%r5", "10", "7", self.operand())
        kind, q, r = self.pick("u32", "u32", "s32"), self.fresh(), "%r18"
        self.put(f"div.{kind} {q}, {a}, {b};", f"mul.lo.s32 {r}, {q}, {b};",
                 f"sub.s32 {r}, {a}, {r};")  # fmt: skip
        self.known += [q, r]

    def guard(self) -> None:
        """A part that only some threads do; the rest may leave for good."""
        out, p = self.label(), self.predicate()
        if not self.depth and self.chance(0.4):
            self.put(f"@{self.pick('', '!')}{p} ret;")
            return
        self.put(f"@{self.pick('', '!')}{p} bra {out};")
        before = list(self.known)
        self.body()
        if self.chance(0.3):
            join = self.label()
            self.put(f"bra {join};", f"{out}:")
            self.body()
            out = join
        self.put(f"{out}:")
        self.known = before if self.chance(0.7) else self.known

    def leave(self) -> None:
        self.put(f"@{self.pick('', '!')}{self.predicate()} bra {self.random.choice(self.outs)};")

    # --- loops

    def loop(self) -> None:
        """Tested at its head, or at its end behind a guard or without one."""
        i, kind = f"%r{19 + self.depth}", self.pick("s32", "s32", "u32")
        start, step, test, end = self.course(i, kind)
        head, out = self.label(), self.label()
        p, where = f"%p{8 + self.depth % 2}", self.random.randrange(3)
        stop = f"setp.{NOT[test]}.{kind} {p}, {i}, {end};"
        more = self.pick("mov.u32 %r23, 0;", "mov.u32 %r23, %r6;", "")
        self.put(f"mov.u32 {i}, {start};", *filter(None, [more]))
        if where == 1:
            self.put(stop, f"@{p} bra {out};")
        self.put(f"{head}:")
        if where == 0:
            self.put(stop, f"@{p} bra {out};")
        self.inside(i, out, bool(more))
        if more:
            self.put(f"add.s32 %r23, %r23, {self.pick('1', '4', i, '%r4', '-1')};")
        self.put(step)
        if where == 0:
            self.put(f"bra {head};", f"{out}:")
        else:
            self.put(f"setp.{test}.{kind} {p}, {i}, {end};", f"@{p} bra {head};", f"{out}:")

    def inside(self, i: str, out: str, more: bool) -> None:
        added = [i, "%r23"] if more else [i]
        self.known += added
        self.outs.append(out)
        if self.chance(0.7):
            self.access()
        self.body()
        self.outs.pop()
        if self.chance(0.7):
            self.known = [register for register in self.known if register not in added]

    def course(self, i: str, kind: str) -> tuple[str, str, str, str]:
        """Start, step, test to go on, and end."""
        by = self.pick("1", "1", "2", "4", "3", "%r4", "%r7", self.operand())
        low = self.pick("0", "0", "%r2", "%r6", "1", self.operand())
        high = self.pick("%r0", "%r0", "%r1", "8", "10", self.operand())
        return self.random.choice([
            (low, f"add.{kind} {i}, {i}, {by};", self.pick("lt", "lt", "le"), high),
            (low, f"add.{kind} {i}, {i}, {by};", "lt", high),
            (low, f"add.{kind} {i}, {i}, 1;", "ne", high),
            (high, f"sub.{kind} {i}, {i}, {by};", self.pick("gt", "ge"), low),
            (high, f"add.{kind} {i}, {i}, -1;", self.pick("ne", "gt", "ge"), self.pick("0", "-1")),
            (high, f"shr.{kind} {i}, {i}, 1;", self.pick("ne", "gt"), "0"),
            ("1", f"shl.b32 {i}, {i}, 1;", "lt", high),
            (low, f"mad.lo.s32 {i}, {i}, 2, 1;", "lt", high),
        ])  # fmt: skip

    def unrolled(self) -> None:
        """Four at a time, then the rest one by one."""
        i, p = f"%r{19 + self.depth}", f"%p{8 + self.depth % 2}"
        body, rest, last, out = (self.label() for _ in range(4))
        n, width = self.pick("%r0", "%r0", "%r1", self.operand()), self.pick("2", "4")
        test = self.pick("ge.s32", "gt.u32", "ge.s32")
        mask = str(-int(width))
        self.put(f"and.b32 %r18, {n}, {mask};", f"mov.u32 {i}, 0;")
        if self.chance(0.7):
            self.put(f"setp.{test} {p}, {i}, %r18;", f"@{p} bra {rest};")
        self.put(f"{body}:")
        self.inside(i, rest, False)
        self.put(f"add.s32 {i}, {i}, {width};", f"setp.{self.pick('lt.s32', 'ne.s32')} {p}, {i}, "
                 f"%r18;", f"@{p} bra {body};", f"{rest}:")  # fmt: skip
        self.put(f"setp.ge.s32 {p}, {i}, {n};", f"@{p} bra {out};", f"{last}:")
        self.inside(i, out, False)
        self.put(f"add.s32 {i}, {i}, 1;", f"setp.lt.s32 {p}, {i}, {n};", f"@{p} bra {last};")
        self.put(f"{out}:")

    def halving(self) -> None:
        """A reduction in shared memory."""
        i, p, head, out, skip = "%r22", "%p9", self.label(), self.label(), self.label()
        self.put(f"shr.u32 {i}, {self.pick('%r4', '%r0')}, 1;", f"{head}:")
        self.put(f"setp.eq.s32 {p}, {i}, 0;", f"@{p} bra {out};")
        self.put(f"setp.ge.{self.pick('u32', 's32')} {p}, %r2, {i};", f"@{p} bra {skip};")
        self.put(f"add.s32 %r18, %r2, {i};")
        self.reach("%r18", "%a2", "4")
        self.put(f"{skip}:", f"shr.u32 {i}, {i}, 1;", f"bra {head};", f"{out}:")

    def pointed(self) -> None:
        """A pointer that moves along with a counter."""
        i, p, head, out = f"%r{19 + self.depth}", "%p9", self.label(), self.label()
        pointer = f"%d{8 + self.depth}"
        self.put(f"mul.wide.{self.pick('s32', 'u32')} %d7, {self.operand()}, 4;")
        self.put(f"add.s64 {pointer}, {self.pick('%a0', '%a1', '%a2')}, %d7;")
        self.put(f"mov.u32 {i}, {self.pick('%r0', '%r0', '8', self.operand())};")
        if self.chance(0.7):
            self.put(f"setp.{self.pick('lt.s32', 'eq.s32')} {p}, {i}, 1;", f"@{p} bra {out};")
        self.put(f"{head}:")
        self.put(f"ld.{self.pick('global', 'shared')}.u32 %r18, [{pointer}{self.shift()}];")
        self.inside(i, out, False)
        self.put(f"add.s64 {pointer}, {pointer}, {self.pick('4', '4', '-4', '8')};")
        self.put(f"add.s32 {i}, {i}, -1;", f"setp.{self.pick('ne.s32', 'gt.s32')} {p}, {i}, 0;")
        self.put(f"@{p} bra {head};", f"{out}:")

    # --- memory

    def shift(self) -> str:
        return self.pick("", "", "", "+4", "-4", "+8")

    def access(self) -> None:
        index = self.operand()
        base = self.pick("%a0", "%a0", "%a1", "%a2")
        if self.chance(0.35):
            self.guarded(index, base)
        else:
            self.reach(index, base, self.pick("4", "4", "4", "8"))

    def guarded(self, index: str, base: str) -> None:
        """An access behind a mask of its own."""
        limit = self.pick("%r0", "%r0", "%r1", "64", "128")
        p = f"%p{self.random.randrange(8)}"
        test = self.pick("lt.u32", "lt.s32", "le.u32", "lt.u32")
        self.put(f"setp.{test} {p}, {index}, {limit};")
        if self.chance(0.4):
            self.put(f"setp.ge.and.s32 {p}, {index}, 0, {p};")
        if p not in self.predicates:
            self.predicates.append(p)
        self.reach(index, base, "4", f"@{p} ")

    def reach(self, index: str, base: str, size: str, guard: str = "") -> None:
        """A load or a store at ``base + size*index``."""
        d, space = "%d6", self.pick("", ".global") if base != "%a2" else ".shared"
        if base == "%a2":
            space = ".shared"
        kind = self.random.randrange(4)
        if kind == 0:
            self.put(f"mul.wide.u32 {d}, {index}, {size};")
        elif kind == 1:
            self.put(f"cvt.{self.pick('u64.u32', 's64.s32')} {d}, {index};",
                     f"mul.lo.s64 {d}, {d}, {size};")  # fmt: skip
        else:
            self.put(f"mul.wide.s32 {d}, {index}, {size};")
        self.put(f"add.s64 {d}, {base}, {d};")
        place = f"[{d}{self.shift()}]"
        if self.chance(0.3):
            target = self.fresh()
            self.put(f"{guard}ld{space}.u32 {target}, {place};")
            self.known.append(target)
        else:
            self.put(f"{guard}st{space}.u32 {place}, {self.operand()};")


def generate(seed: int) -> str:
    return Writer(seed).text()
