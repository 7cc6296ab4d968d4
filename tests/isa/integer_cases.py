"""What integer, extended-precision, logic and byte instructions should give, in Python integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.isa.case import Case, integers

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
NEWER = r"clmad|[us]8x4|(add|sub)\.sat\.([us]16x2|u32)"  # than PTX 9.0: ptxas may refuse them
SMALL = (0, 1, 2, 5, 31, 32, 33, 64, 255, 256, M32)


def clamp(name: str) -> Callable[[int], int]:
    bits = int(name[1:])
    low, high = (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
    )
    return lambda x: max(low, min(high, x))


def signed(bits: int, x: int) -> int:
    x %= 1 << bits
    return x - (1 << bits) if x >> (bits - 1) else x


def quotient(a: int, b: int) -> int:
    """Towards zero; by zero all ones."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - b * quotient(a, b) if b else -1


def carryless(a: int, b: int) -> int:
    result = 0
    for i in range(64):
        result ^= a << i if b >> i & 1 else 0
    return result


def low24(name: str, x: int) -> int:
    return signed(24, x) if name == "s32" else x % (1 << 24)


def bit_find(bits: int, a: int) -> int:
    """The highest bit that differs from the sign, by a text of binary digits."""
    digits = f"{a % (1 << bits):0{bits}b}"
    other = "0" if a < 0 else "1"
    return bits - 1 - digits.index(other) if other in digits else -1


def nth_set(mask: int, base: int, offset: int) -> int:
    """As the manual tells it: walk from base, counting ones."""
    if base > 31:
        return -1
    if offset == 0:
        return base if mask >> base & 1 else -1
    position, count = base, abs(offset) - 1
    while 0 <= position < 32:
        if mask >> position & 1:
            if count == 0:
                return position
            count -= 1
        position += 1 if offset > 0 else -1
    return -1


def place(bits: int, number: int) -> int:
    """Of a position or a length beyond 255 the low byte counts, in 64 bits all of it."""
    return min(number, 64) if bits == 64 else number & 255


def extract(kind: str, a: int, start: int, length: int) -> int:
    """A field of bits past the top of the word repeats its sign."""
    bits = int(kind[1:])
    start, length = place(bits, start), place(bits, length)
    word = a % (1 << bits)
    top = word >> (bits - 1) if kind[0] == "s" else 0
    extended = word | ((-1 << bits) if top else 0)
    field = (extended >> start) & ((1 << length) - 1)
    last = min(start + length - 1, bits - 1)
    sign = kind[0] == "s" and length > 0 and word >> last & 1
    return field | ((-1 << length) if sign else 0)


def insert(bits: int, a: int, b: int, start: int, length: int) -> int:
    result, start, length = b, place(bits, start), place(bits, length)
    for i in range(min(length, bits)):
        if start + i < bits:
            result = result & ~(1 << (start + i)) | ((a >> i & 1) << (start + i))
    return result


def mask_of(wrap: bool, start: int, length: int) -> int:
    start, length = (start % 32, length % 32) if wrap else (start, min(length, 32))
    return sum(1 << i for i in range(start, min(start + length, 32)))


def extend(kind: str, wrap: bool, a: int, length: int) -> int:
    length = length % 32 if wrap else min(length, 32)
    field = a & ((1 << length) - 1)
    return signed(length, field) if kind == "s32" and length else field


def dot(size: int, first: int, kinds: str, a: int, b: int, c: int) -> int:
    def at(kind: str, bits: int, low: int, word: int) -> int:
        field = word >> low & ((1 << bits) - 1)
        return signed(bits, field) if kind == "s" else field

    return c + sum(
        at(kinds[0], size, size * i, a) * at(kinds[1], 8, first + 8 * i, b)
        for i in range(32 // size)
    )


def shifted(bits: int, left: bool, wrap: bool, a: int, b: int, n: int) -> int:
    n = n % 32 if wrap else min(n, 32)
    pair = b << 32 | a
    return (pair << n >> 32 if left else pair >> n) & M32


def table_of(table: int, a: int, b: int, c: int) -> int:
    return sum(
        (table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32)
    )


def bytes_of(mode: str, a: int, b: int, c: int) -> int:
    """The rows of the manual's table of modes, highest byte first."""
    source, n = (b << 32 | a).to_bytes(8, "little"), c & 3
    if not mode:
        chosen = []
        for i in range(4):
            nibble = c >> (4 * i) & 15
            byte = source[nibble & 7]
            chosen.append((255 if byte > 127 else 0) if nibble & 8 else byte)
        return int.from_bytes(bytes(chosen), "little")
    rows = {
        "f4e": ("3210", "4321", "5432", "6543"),
        "b4e": ("5670", "6701", "7012", "0123"),
        "rc8": ("0000", "1111", "2222", "3333"),
        "ecl": ("3210", "3211", "3222", "3333"),
        "ecr": ("0000", "1110", "2210", "3210"),
        "rc16": ("1010", "3232", "1010", "3232"),
    }
    return int.from_bytes(bytes(source[int(digit)] for digit in rows[mode][n]), "big")


def carry(bits: int, function: Callable[..., int]) -> Callable[..., tuple[int, int]]:
    """Result and carry of a sum that is given in full; a negative one borrows."""

    def both(*operands: int) -> tuple[int, int]:
        total = function(*operands)
        return total % (1 << bits), int(not 0 <= total < 1 << bits)

    return both


def half(bits: int, hi: bool, sign: bool, a: int, b: int) -> int:
    full = signed(bits, a) * signed(bits, b) if sign else a * b
    return (full >> bits if hi else full) % (1 << bits)


def plain() -> list[Case]:
    cases: list[Case] = []
    for t in ("u16", "u32", "u64", "s16", "s32", "s64"):
        bits = int(t[1:])
        cases += [
            Case(f"add.{t}", lambda a, b: a + b),
            Case(f"sub.{t}", lambda a, b: a - b),
            Case(f"mul.lo.{t}", lambda a, b: a * b),
            Case(f"mul.hi.{t}", lambda a, b, n=bits: a * b >> n),
            Case(f"mad.lo.{t}", lambda a, b, c: a * b + c),
            Case(f"mad.hi.{t}", lambda a, b, c, n=bits: (a * b >> n) + c),
            Case(f"sad.{t}", lambda a, b, c: c + abs(a - b)),
            Case(f"div.{t}", quotient),
            Case(f"rem.{t}", remainder),
            Case(f"min.{t}", min),
            Case(f"max.{t}", max),
        ]
        if bits < 64:
            cases += [
                Case(f"mul.wide.{t}", lambda a, b: a * b),
                Case(f"mad.wide.{t}", lambda a, b, c: a * b + c),
            ]
        if t[0] == "s":
            cases += [Case(f"abs.{t}", abs), Case(f"neg.{t}", lambda a: -a)]
    return cases


def packed_words() -> list[Case]:
    cases: list[Case] = []
    for t, element in (("u16x2", "u16"), ("s16x2", "s16"), ("u8x4", "u8"), ("s8x4", "s8"),
                       ("u32", "u32"), ("s32", "s32")):  # fmt: skip
        limit = clamp(element)
        cases += [
            Case(f"add.{t}", lambda a, b: a + b),
            Case(f"add.sat.{t}", lambda a, b, limit=limit: limit(a + b)),
            Case(f"min.{t}", min),
            Case(f"max.{t}", max),
        ]
        if t in ("u8x4", "s8x4", "s32"):
            cases += [
                Case(f"sub.{t}", lambda a, b: a - b),
                Case(f"sub.sat.{t}", lambda a, b, limit=limit: limit(a - b)),
            ]
        if element[0] == "s":
            cases += [
                Case(f"min.relu.{t}", lambda a, b: max(0, min(a, b))),
                Case(f"max.relu.{t}", lambda a, b: max(0, a, b)),
            ]
    return [*cases, Case("neg.s8x4", lambda a: -a)]


def bits_and_fields() -> list[Case]:
    cases: list[Case] = []
    for n in (32, 64):
        cases += [
            Case(f"popc.b{n}", lambda a: a.bit_count()),
            Case(f"clz.b{n}", lambda a, n=n: n - a.bit_length()),
            Case(f"brev.b{n}", lambda a, n=n: int(f"{a:0{n}b}"[::-1], 2)),
            Case(f"bfi.b{n}", lambda a, b, s, c, n=n: insert(n, a, b, s, c), samples=SMALL),
        ]
        for t in (f"u{n}", f"s{n}"):
            top = n - 1
            cases += [
                Case(f"bfind.{t}", lambda a, n=n: bit_find(n, a)),
                Case(f"bfind.shiftamt.{t}",
                     lambda a, n=n, top=top: (lambda x: x if x < 0 else top - x)(bit_find(n, a))),
                Case(f"bfe.{t}", lambda a, s, c, t=t: extract(t, a, s, c), raw=True),
            ]  # fmt: skip
    for mode, wrap in (("clamp", False), ("wrap", True)):
        cases += [
            Case(f"bmsk.{mode}.b32", lambda a, b, w=wrap: mask_of(w, a, b)),
            *(Case(f"szext.{mode}.{t}", lambda a, b, t=t, w=wrap: extend(t, w, a, b), raw=True)
              for t in ("u32", "s32")),
        ]  # fmt: skip
    for t in ("u32", "s32"):
        cases += [
            Case(f"mul24.lo.{t}", lambda a, b, t=t: low24(t, a) * low24(t, b)),
            Case(f"mul24.hi.{t}", lambda a, b, t=t: low24(t, a) * low24(t, b) >> 16),
            Case(f"mad24.lo.{t}", lambda a, b, c, t=t: low24(t, a) * low24(t, b) + c),
            Case(f"mad24.hi.{t}", lambda a, b, c, t=t: (low24(t, a) * low24(t, b) >> 16) + c),
        ]
    limit = clamp("s32")
    hi24: Any = lambda a, b: signed(32, low24("s32", a) * low24("s32", b) >> 16)  # noqa: E731
    return [
        *cases,
        Case("mad.hi.sat.s32", lambda a, b, c: limit((a * b >> 32) + c)),
        Case("mad24.hi.sat.s32", lambda a, b, c: limit(hi24(a, b) + c)),
        Case("clmad.lo.u64", lambda a, b, c: carryless(a, b) & M64 ^ c),
        Case("clmad.hi.u64", lambda a, b, c: carryless(a, b) >> 64 ^ c),
        Case("fns.b32", lambda a, b, c: nth_set(a, b, signed(32, c)), raw=True,
             samples=(0, 1, 2, 5, 17, 31, 32, M32, M32 - 1, M32 - 4, 0x80000001, 0x0F0F00F1)),
        *(Case(f"dp4a.{x}32.{y}32", lambda a, b, c, k=x + y: dot(8, 0, k, a, b, c), raw=True)
          for x in "us" for y in "us"),
        *(Case(f"dp2a.{m}.{k[0]}32.{k[1]}32", lambda a, b, c, k=k, f=f: dot(16, f, k, a, b, c),
               raw=True) for m, f in (("lo", 0), ("hi", 16)) for k in ("uu", "us", "su", "ss")),
    ]  # fmt: skip


def carries() -> list[Case]:
    cases: list[Case] = []
    for t in ("u32", "s32", "u64", "s64"):
        n, sign = int(t[1:]), t[0] == "s"
        some = tuple(integers(n)[::2])
        cases += [
            Case(f"add.cc.{t}", carry(n, lambda a, b: a + b), raw=True),
            Case(f"addc.cc.{t}", carry(n, lambda a, b, k: a + b + k), raw=True),
            Case(f"addc.{t}", lambda a, b, k: a + b + k, raw=True),
            Case(f"sub.cc.{t}", carry(n, lambda a, b: a - b), raw=True),
            Case(f"subc.cc.{t}", carry(n, lambda a, b, k: a - b - k), raw=True),
            Case(f"subc.{t}", lambda a, b, k: a - b - k, raw=True),
        ]
        for m in ("lo", "hi"):
            part: Any = lambda a, b, n=n, m=m, s=sign: half(n, m == "hi", s, a, b)  # noqa: E731
            full: Any = lambda a, b, c, k=0, p=part: p(a, b) + c + k  # noqa: E731
            cases += [
                Case(f"mad.{m}.cc.{t}", carry(n, full), raw=True, samples=some),
                Case(f"madc.{m}.cc.{t}", carry(n, full), raw=True),
                Case(f"madc.{m}.{t}", full, raw=True),
            ]
    return cases


def logic() -> list[Case]:
    cases: list[Case] = []
    for t in ("pred", "b16", "b32", "b64"):
        cases += [
            Case(f"and.{t}", lambda a, b: a & b, raw=True),
            Case(f"or.{t}", lambda a, b: a | b, raw=True),
            Case(f"xor.{t}", lambda a, b: a ^ b, raw=True),
            Case(f"not.{t}", lambda a: ~a, raw=True),
        ]
    for n in (16, 32, 64):
        cases += [
            Case(f"cnot.b{n}", lambda a: int(a == 0)),
            Case(f"shl.b{n}", lambda a, b, n=n: a << min(b, n)),
            *(Case(f"shr.{k}{n}", lambda a, b, n=n: a >> min(b, n)) for k in "bus"),
        ]
    for table in (0x00, 0x1B, 0x78, 0x80, 0x96, 0xB8, 0xD8, 0xE8, 0xEA, 0xF8, 0xFE, 0xFF):
        cases.append(
            Case("lop3.b32", lambda a, b, c, t=table: table_of(t, a, b, c), literals=(table,))
        )
    for name, join in (("or", lambda p, q: p or q), ("and", lambda p, q: p and q)):
        cases.append(Case(
            f"lop3.{name}.b32", raw=True, parts=2, literals=(0xE8,),
            expect=lambda a, b, c, q, j=join: (
                table_of(0xE8, a, b, c), int(j(table_of(0xE8, a, b, c) != 0, bool(q)))),
        ))  # fmt: skip
    for way in "lr":
        for mode in ("clamp", "wrap"):
            cases.append(Case(f"shf.{way}.{mode}.b32", lambda a, b, n, w=way, m=mode: shifted(
                32, w == "l", m == "wrap", a, b, n)))  # fmt: skip
    words = (*integers(32), 0x3210, 0x89AB, 0x7654, 0xFEDC, 0x12345678)
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        cases.append(Case(f"prmt.b32{'.' * bool(mode)}{mode}",
                          lambda a, b, c, m=mode: bytes_of(m, a, b, c), samples=words))  # fmt: skip
    return cases


def moves() -> list[Case]:
    types = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 pred"
    return [
        *(Case(f"mov.{t}", lambda a: a, raw=True) for t in types.split()),
        Case("mov.b32", lambda a: (a & 0xFFFF, a >> 16), raw=True, parts=2),
        Case(
            "mov.b64", lambda a: tuple(a >> (16 * i) & 0xFFFF for i in range(4)), raw=True, parts=4
        ),
    ]


CASES = [*plain(), *packed_words(), *bits_and_fields(), *carries(), *logic(), *moves()]
