"""Small kernels whose cost is known, written as the index of one access."""

from __future__ import annotations

from analyses.traffic.costs import Cost
from analyses.traffic.patterns import Pattern
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from tests.observation.launches import kernels_of

TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v4.u32"}
WORDS = {1: "%h", 2: "%h", 4: "%v", 8: "%w", 16: "{%v, %v1, %v2, %v3}"}


def text(lines: str, space: str = "shared", size: int = 4, params: str = "") -> str:
    """A kernel that computes a byte offset in ``%i`` from ``%t`` (tid.x), ``%u`` (tid.y) and so on,
    then stores so many bytes there. ``STORE`` stands for the store, if it is not to come last."""
    base = {"shared": "mov.u32 %b, s;\nadd.u32 %b, %b, %i;", "global":
            "ld.param.u64 %p, [y];\ncvta.to.global.u64 %p, %p;\ncvt.s64.s32 %q, %i;\n"
            "add.s64 %p, %p, %q;"}[space]  # fmt: skip
    place = {"shared": "%b", "global": "%p"}[space]
    store = f"{base}\nst.{space}.{TYPES[size]} [{place}], {WORDS[size]};"
    body = lines.replace("STORE", store) if "STORE" in lines else f"{lines}\n{store}"
    return f"""
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y{params}) {{
.shared .align 128 .b8 s[49152];
.reg .b16 %h; .reg .b32 %i, %b, %t, %u, %z, %l, %n, %v<4>, %r<9>, %v; .reg .b64 %p, %q, %w;
.reg .pred %c<4>;
mov.u32 %t, %tid.x;
mov.u32 %u, %tid.y;
mov.u32 %z, %tid.z;
mov.u32 %l, %laneid;
{body}
ret;
}}
"""


def accesses(ptx: str, block: str, *arguments: str, arch: str = "sm_80") -> list[AccessFacts]:
    (kernel,) = kernels_of(ptx)
    contract = Contract.of(block=block, grid="2", arg=arguments, buffer=["y=1048576"])
    facts = Facts(kernel, resolved([contract], kernel), arch)
    return [access for access in facts.accesses if access.place.access.kind == "store"]


def exact(access: AccessFacts) -> Cost:
    """The cost, which must be exact."""
    assert isinstance(access.pattern, Pattern), access.pattern
    assert access.cost is not None
    assert access.pattern.exact and access.cost.exact, (access.pattern.assumptions, access.cost)
    return access.cost


def cost_of(
    lines: str, block: str = "32", space: str = "shared", size: int = 4, arch: str = "sm_80"
) -> Cost:
    (access,) = accesses(text(lines, space, size), block, arch=arch)
    return exact(access)
