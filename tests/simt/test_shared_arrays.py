"""The only array of shared memory begins where shared memory does."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import ptxlint
from ptxlint.lowering.shared_arrays import BEGINNING

SIZE = 2049
ARRAY = f".shared .align 1 .b8 s[{SIZE}];"
OTHER = ".shared .align 1 .b8 t[3];"
TEXT = """.version 9.0
.target sm_75
.address_size 64
{outside}
.visible .entry k(.param .u64 out) {{
    {inside}
    .reg .b32 %r<4>;
    .reg .b64 %d<2>;
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    st.shared.u32 [%r2], %r0;
    bar.sync 0;
    ld.shared.u32 %r3, [%r2+4];
    ld.param.u64 %d0, [out];
    st.global.u32 [%d0], %r3;
    {last}
    ret;
}}
"""
ELSEWHERE = {
    "another one": ("", f"{ARRAY} {OTHER}", ""),
    "one in a scope": ("", f"{ARRAY} {{ {OTHER} }}", ""),
    "one of the module": (OTHER, ARRAY, "st.shared.u8 [t], 1;"),
    "one of a function": (f".func f() {{ {OTHER} st.shared.u8 [t], 1; ret; }}", ARRAY, "call f;"),
    "one of another module": (".extern .func f();", ARRAY, "call f;"),
}


def alignment(outside: str, inside: str, last: str = "") -> set[str]:
    """The decisions on the alignment of accesses to shared memory."""
    launch = ptxlint.Contract(block=256, buffers={"out": 4})
    text = TEXT.format(outside=outside, inside=inside, last=last)
    report = ptxlint.check(text, contract=launch)
    return {one.status.value for one in report.accesses if one.access.space == "shared"}


def test_an_array_that_is_alone_is_aligned() -> None:
    assert alignment("", ARRAY) == {"proved"}


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"])
def test_ptxas_puts_it_at_the_beginning(target: str, tmp_path: Path) -> None:
    """The section of the kernel's shared memory ends behind it; what is before it is reserved."""
    text, made = tmp_path / "k.ptx", tmp_path / "k.cubin"
    text.write_text(TEXT.format(outside="", inside=ARRAY, last="").replace("sm_75", target))
    subprocess.run(["ptxas", "-arch", target, text, "-o", made], check=True)
    assert (shared_bytes(made.read_bytes()) - SIZE) % BEGINNING == 0


def shared_bytes(image: bytes) -> int:
    """The size of the section ``.nv.shared.k`` of an ELF file of 64 bits."""
    first, size, count, names = (
        *struct.unpack_from("<Q", image, 40),
        *struct.unpack_from("<3H", image, 58),
    )
    headers = [struct.unpack_from("<2I4Q", image, first + at * size) for at in range(count)]
    text = headers[names][4]
    (found,) = [h[5] for h in headers if image[text + h[0] :].startswith(b".nv.shared.k\0")]
    return int(found)


@pytest.mark.parametrize("texts", ELSEWHERE.values(), ids=ELSEWHERE)
def test_one_among_others_is_aligned_as_declared(texts: tuple[str, str, str]) -> None:
    assert "undecided" in alignment(*texts)
