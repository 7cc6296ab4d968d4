"""Kernels that read from x and write to y, element for element or not quite: every way to compute
an index, in every order of a read and a write."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 w)
{
    .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
    cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [w];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x;
    mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ntid.y; mov.u32 %r20, 0; mov.u32 %r21, 0;
    mad.lo.u32 %r9, %r5, %r6, %r3;  // the number of the thread
"""
TAIL = "\nEND:\n    ret;\n}\n"

INDICES = {
    "thread": "mov.u32 %r10, %r3;",
    "thread of all": "mov.u32 %r10, %r9;",
    "guarded": "setp.ge.s32 %p1, %r9, %r1; @%p1 bra END; mov.u32 %r10, %r9;",
    "guarded as unsigned": "setp.ge.u32 %p1, %r9, %r1; @%p1 bra END; mov.u32 %r10, %r9;",
    "a block of 32": "mad.lo.u32 %r10, %r5, 32, %r3;",
    "a full block of 32": (
        "setp.ge.u32 %p1, %r3, 32; @%p1 bra END; mad.lo.u32 %r10, %r5, 32, %r3;"
    ),
    "masked": "and.b32 %r10, %r9, 63;",
    "by two": "shr.u32 %r10, %r9, 1;",
    "half of them": "and.b32 %r11, %r9, 1; setp.ne.u32 %p1, %r11, 0; @%p1 bra END;"
    " shr.u32 %r10, %r9, 1;",
    "rows": "mad.lo.u32 %r10, %r4, %r2, %r3;",
    "rows inside": "setp.ge.u32 %p1, %r3, %r2; @%p1 bra END; setp.ge.u32 %p1, %r4, 64;"
    " @%p1 bra END; setp.ge.u32 %p1, %r2, 64; @%p1 bra END; mad.lo.u32 %r10, %r4, %r2, %r3;",
    "reversed": "sub.s32 %r10, 1023, %r3;",
    "a word for all": "mov.u32 %r10, 5;",
    "of the first thread": "setp.ne.u32 %p1, %r3, 0; @%p1 bra END; mov.u32 %r10, %r5;",
    "a step": "mad.lo.u32 %r11, %r20, %r6, %r3; mov.u32 %r10, %r11;",
    "a chunk": "mad.lo.u32 %r10, %r9, 4, %r20;",
    "a chunk too short": "mad.lo.u32 %r10, %r9, 3, %r20;",
    "a stride of all": "mul.lo.u32 %r11, %r6, %r7; mad.lo.u32 %r10, %r20, %r11, %r9;",
    "steps of steps": "mad.lo.u32 %r11, %r21, 4, %r20; mad.lo.u32 %r10, %r11, %r6, %r3;",
    "less than nothing": "setp.ge.u32 %p1, %r3, 64; @%p1 bra END; shl.b32 %r11, %r3, 6;"
    " xor.b32 %r11, %r11, 0xffffffc0; setp.ge.s32 %p1, %r11, 64; @%p1 bra END;"
    " add.u32 %r12, %r3, 68; mad.lo.u32 %r10, %r12, 64, %r11;",
    "outer steps": "mad.lo.u32 %r10, %r21, %r6, %r3;",
}
READ = "mad.wide.s32 %rd3, %r10, 4, %rd1;\n    ld.global.u32 %r12, [%rd3+{}];"
WRITE = """mad.wide.s32 %rd4, %r10, 4, %rd2;
    add.u32 %r13, %r12, 3;
    st.global.u32 [%rd4+{}], %r13;"""
LOOP = """
L{0}:
    {1}
    add.u32 %r{0}, %r{0}, 1;
    setp.lt.u32 %p2, %r{0}, 4;
    @%p2 bra L{0};"""
HEADED = """
L{0}:
    setp.ge.u32 %p2, %r{0}, 4;
    @%p2 bra E{0};
    {1}
    add.u32 %r{0}, %r{0}, 1;
    bra L{0};
E{0}:"""
ANEW = "mov.u32 %r20, 0;"
ORDERS = {
    "read, write": "{i}\n {r}\n {w}",
    "write, read": "mov.u32 %r12, 1;\n {i}\n {w}\n {r}\n {w}",
    "read n ahead": "{i}\n add.u32 %r10, %r10, %r1;\n {r}\n sub.u32 %r10, %r10, %r1;\n {w}",
    "two words, one after the other": "{i}\n shl.b32 %r10, %r10, 1;\n {r}\n {w}\n"
    " ld.global.u32 %r12, [%rd3+4];\n st.global.u32 [%rd4+4], %r12;",
    "the first of two words again": "{i}\n shl.b32 %r10, %r10, 1;\n {r}\n {w}\n"
    " ld.global.v2.u32 {{%r12, %r13}}, [%rd3];\n st.global.u32 [%rd4+4], %r12;",
    "in a loop": LOOP.format(20, "{i}\n {r}\n {w}"),
    "in a loop, write first": LOOP.format(20, "mov.u32 %r12, 1;\n {i}\n {w}\n {r}\n {w}"),
    "in two loops": LOOP.format(21, ANEW + LOOP.format(20, "{i}\n {r}\n {w}")),
    "in two loops with exits at the head": HEADED.format(
        21, ANEW + HEADED.format(20, "{i}\n {r}\n {w}")
    ),
    "read in a loop, written behind it": "mov.u32 %r12, 0;" + LOOP.format(20, "{i}\n {r}") + "{w}",
    "in a loop that may end": HEADED.format(
        20, "{i}\n {r}\n setp.eq.u32 %p3, %r12, 7;\n @%p3 bra END;\n {w}"
    ),
}


def kernels() -> Iterator[tuple[str, str]]:
    """Each with what it does."""
    for index, order, ahead in product(INDICES, ORDERS, (0, 4)):
        used = INDICES[index]
        looped, nested = "loop" in order, "two loops" in order
        if ("%r20" in used and not looped) or ("%r21" in used and not nested):
            continue
        if ahead and order != "read, write":
            continue
        body = ORDERS[order].format(i=used, r=READ.format(ahead), w=WRITE.format(0))
        yield f"{index}; {order}; {ahead} ahead", HEAD + body + TAIL
