"""Device functions: what they compute, how parameters travel, what is not followed and why."""

from __future__ import annotations

import re

import numpy as np
import pytest

from analyses.program import Effect
from ptxlint.simt import Allocation, ConcreteLaunch, run

from .programs import STORE, gives, kernel_of, ran, text_of

CALLER = ".param .b32 p; .param .b32 q; .param .b32 back;"
SQUARE = """.func (.param .b32 r) square(.param .b32 a) {
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [a]; mul.lo.u32 %r1, %r1, %r1; st.param.u32 [r], %r1; ret;
}"""
TWICE = ".func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }"
ABS = """.func (.reg .s32 r) distance(.reg .s32 a, .reg .s32 b) {
    .reg .pred %p;
    setp.lt.s32 %p, a, b;
    @%p bra LESS;
    sub.s32 r, a, b;
    ret;
LESS:
    sub.s32 r, b, a;
}"""
PICK = """.func (.param .b32 r) pick(.param .align 8 .b8 s[16], .param .b32 i) {
    .reg .b64 %rd<4>; .reg .b32 %r<3>;
    ld.param.u32 %r1, [i]; mov.b64 %rd1, s; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
    ld.local.u32 %r2, [%rd3]; st.param.u32 [r], %r2; ret;
}"""
ARGUMENTS = (Allocation(32), Allocation(0), 0)
THREADS = np.arange(32)


def test_a_value_travels_through_param_space() -> None:
    body = f"{{ {CALLER} st.param.b32 [p], %r1; call.uni (back), square, (p);"
    gives(ran(f"{body} ld.param.b32 %r9, [back]; }} {STORE}", module=SQUARE), THREADS**2)


def test_parameters_of_a_call_are_no_memory() -> None:
    body = f"{{ {CALLER} st.param.b32 [p], %r1; call.uni (back), square, (p);"
    kernel = kernel_of(text_of(f"{body} ld.param.b32 %r9, [back]; }} {STORE}", SQUARE))
    assert [i.text for i in kernel.instructions if i.access and i.access.space == "param"] == [
        "ld.param.u64", "ld.param.u64", "ld.param.u32",
    ]  # fmt: skip
    assert all(region.parameter for region in kernel.regions)


def test_registers_and_constants_as_parameters() -> None:
    body = f"call (%r9), twice, (%r1); call (%r8), twice, (21); add.u32 %r9, %r9, %r8; {STORE}"
    gives(ran(body, module=TWICE), 2 * THREADS + 42)
    gives(ran(f"call (%r9), square, (%r1); {STORE}", module=SQUARE), THREADS**2)
    gives(ran(f"call (%r9), square, (9); {STORE}", module=SQUARE), [81] * 32)


def test_a_function_with_branches_and_returns_in_the_middle() -> None:
    gives(ran(f"call (%r9), distance, (%r1, 7); {STORE}", module=ABS), abs(THREADS - 7))


def test_a_guarded_call_is_made_by_some() -> None:
    body = f"mov.u32 %r9, 5; setp.lt.u32 %p1, %r1, 8; @%p1 call (%r9), twice, (%r1); {STORE}"
    gives(ran(body, module=TWICE), np.where(THREADS < 8, 2 * THREADS, 5))


def test_a_call_in_a_loop_and_calls_in_functions() -> None:
    inner = f"{TWICE}\n.func (.reg .u32 r) fourfold(.reg .u32 a) {{ .reg .u32 %r1;"
    inner += "call (%r1), twice, (a); call (r), twice, (%r1); ret; }"
    body = f"""mov.u32 %r9, %r1; mov.u32 %r8, 0;
    AGAIN: call (%r9), fourfold, (%r9); add.u32 %r8, %r8, 1;
        setp.lt.u32 %p1, %r8, 3; @%p1 bra AGAIN; {STORE}"""
    gives(ran(body, module=inner), 64 * THREADS)


def test_an_argument_whose_address_is_taken_is_local_memory() -> None:
    body = f"""{{ .param .align 8 .b8 s[16]; {CALLER} add.u32 %r8, %r1, 100; and.b32 %r7, %r1, 3;
        st.param.v2.b32 [s], {{%r1, %r8}}; st.param.b64 [s+8], 30064771075; st.param.b32 [p], %r7;
        call (back), pick, (s, p); ld.param.b32 %r9, [back]; }} {STORE}"""
    expected = [[i, i + 100, 3, 7][i % 4] for i in range(32)]
    gives(ran(body, module=PICK), expected)


def test_an_argument_read_past_its_end() -> None:
    body = f"{{ .param .align 8 .b8 s[16]; {CALLER} st.param.b32 [p], 4;"
    body += f"call (back), pick, (s, p); ld.param.b32 %r9, [back]; }} {STORE}"
    (fault,) = ran(body, 1, module=PICK).faults
    assert (fault.kind, fault.region, fault.distance) == ("out-of-bounds", "s", 16)


def test_words_of_another_size_go_through_memory() -> None:
    halves = """.func (.param .b64 r) joined(.param .align 8 .b8 s[8]) {
        .reg .b64 %rd1; ld.param.b64 %rd1, [s]; st.param.b64 [r], %rd1; ret; }"""
    body = "{ .param .align 8 .b8 s[8]; .param .b64 back; st.param.v2.b32 [s], {%r1, 1};"
    body += "call (back), joined, (s); ld.param.b64 %rd9, [back]; } shr.u64 %rd9, %rd9, 31;"
    gives(ran(f"{body} cvt.u32.u64 %r9, %rd9; {STORE}", module=halves), [2] * 32)


def test_the_same_name_in_a_function_is_another_variable() -> None:
    own = ".func put(.reg .u32 a) { .local .align 4 .b8 own[4]; st.local.u32 [own], a; ret; }"
    body = ".local .align 4 .b8 own[4]; st.local.u32 [own], 3; call put, (9);"
    gives(ran(f"{body} ld.local.u32 %r9, [own]; {STORE}", module=own), [3] * 32)


def test_exit_in_a_function_ends_the_thread() -> None:
    leave = ".func leave(.reg .pred p) { @p exit; ret; }"
    body = f"setp.ge.u32 %p1, %r1, 5; call leave, (%p1); mov.u32 %r9, 1; {STORE}"
    gives(ran(body, module=leave), THREADS < 5)


def test_a_fault_stands_in_the_function_and_names_its_call() -> None:
    module = '.file 1 "a.cu"\n.func put(.reg .u64 a) {\n.loc 1 3 5\nst.global.u32 [a], 1;\nret; }'
    result = ran("\n.loc 1 9 2\ncall put, (%rd5);\nadd.u64 %rd5, %rd5, 4;\ncall put, (%rd5);\n",
                 4, module=module)  # fmt: skip
    (fault,) = result.faults
    assert result.line(fault) == "st.global.u32 [a], 1;"
    assert fault.loc is not None and fault.loc.inlined_at is not None
    call = fault.loc.inlined_at
    assert (fault.loc.line, call.line, call.function) == (3, 9, "put")


@pytest.mark.parametrize(
    ("module", "call", "said"),
    [
        (".extern .func vprintf(.param .b64 a);", "call.uni vprintf, (p);", "call.uni vprintf"),
        (".func f(.reg .b32 a) { call f, (a); ret; }", "call f, (%r1);", "call f (recursive)"),
        ("", "P: .callprototype _ (); call %rd1, P;", "call %rd1 (indirect)"),
        (
            ".func f() { " + "membar.cta;" * 20_001 + "}",
            "call f;",
            "call f (too much to inline)",
        ),
    ],
)  # fmt: skip
def test_a_call_that_is_not_followed_says_why(module: str, call: str, said: str) -> None:
    text = text_of(f".param .b64 p; mov.u32 %r9, 1; {STORE} {call} {STORE}", module)
    kernel = kernel_of(text)
    unmodelled = [i.text for i in kernel.instructions if i.effects & Effect.UNMODELLED]
    assert unmodelled == [said]
    result = ran(f".param .b64 p; mov.u32 %r9, 1; {STORE} {call} {STORE}", module=module)
    assert [(f.kind, f.text) for f in result.faults] == [("unmodelled", said)]
    assert result.y().tolist() == [1] * 32


def test_deep_calls_end_somewhere() -> None:
    chain = ".func f0(.reg .u32 a) { ret; }\n" + "".join(
        f".func f{i}(.reg .u32 a) {{ call f{i - 1}, (a); ret; }}\n" for i in range(1, 100)
    )
    kernel = kernel_of(text_of("call f99, (%r1);", chain))
    (call,) = [i.text for i in kernel.instructions if i.effects & Effect.UNMODELLED]
    assert re.fullmatch(r"call f\d+ \(too much to inline\)", call)


def test_a_run_may_follow_recursion_some_levels_down() -> None:
    """Each level has variables of its own, in registers and in memory."""
    factorial = """.func (.reg .u32 r) factorial(.reg .u32 a) {
        .reg .pred %p; .reg .u32 %b; .local .align 4 .b8 own[4]; st.local.u32 [own], a;
        mov.u32 r, 1; setp.lt.u32 %p, a, 2; @%p ret;
        sub.u32 %b, a, 1; call (%b), factorial, (%b);
        ld.local.u32 r, [own]; mul.lo.u32 r, r, %b; ret; }"""
    text = text_of(f"call (%r9), factorial, (%r1); {STORE}", factorial)
    outcome = run(kernel_of(text, recursion=5), ConcreteLaunch((1, 1, 1), (8, 1, 1), 0, ARGUMENTS))
    assert [(f.kind, f.tid) for f in outcome.faults] == [("unmodelled", (7, 0, 0))]
    assert outcome.buffers[0].view("u4").tolist() == [1, 1, 2, 6, 24, 120, 720, 0]
