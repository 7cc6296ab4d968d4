"""Memory in random kernels: pointers that are made and moved, and accesses through them."""

from __future__ import annotations

from .writer import HOW_MANY, Writer

SPACES = {
    # register: state space, regions that it may point to, bytes that are surely there
    "%g": ("global", ("x", "y", "g"), 256),
    "%s": ("shared", ("s", "t"), 256),
    "%l": ("local", ("l",), 64),
    "%c": ("const", ("table",), 64),
    "%a": ("", ("s", "x", "l"), 64),  # generic
}


class Accesses(Writer):
    """Statements that touch memory."""

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
