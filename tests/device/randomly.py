"""Random kernels for a device: memory begins with zeros, and every register is stored at the end.

What ptxas does not take of ``generate`` is written as compilers write it: special registers are
read by moves, and an offset below 0 has its plus.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from math import prod
from random import Random

from msgspec.structs import replace

from ptxlint.contracts.contract import Contract
from ptxlint.simt import RunOptions, run
from tests.observation.generate import BEGIN, HEAD, TAIL, generate
from tests.observation.launches import noise
from tests.observation.randomly import contracts

from .launches import Case

SEEDS = 6000  # that are looked at; about one in six is taken
MAX_STEPS = 3_000
CHECKS = frozenset({"race", "init", "sync"})
ORDERS = 3
SPECIAL = re.compile(r"%(?:n?tid|n?ctaid)\.[xyz]|%laneid|%lanemask_\w\w")
BYTES = 96  # of each thread in z


def zeros(store: str, name: str, size: int, word: str = "0", step: int = 4) -> str:
    return "".join(f"st.{store} [{name}+{at}], {word};\n" for at in range(0, size, step))


PROLOGUE = f"""
.reg .pred %zp; .reg .b32 %z1, %z2; .reg .b64 %z0;
or.b32 %z1, %tid.x, %tid.y;
or.b32 %z1, %z1, %tid.z;
setp.ne.u32 %zp, %z1, 0;
@%zp bra ZEROS;
{zeros("shared.v4.u32", "s", 1024, "{0, 0, 0, 0}", 16)}{zeros("shared.u32", "t", 256)}ZEROS:
{zeros("local.u64", "l", 64, step=8)}bar.sync 0;
"""
STORES = "".join(
    f"st.global.b{bits} [%z0+{first + bits // 8 * i}], %{name}{i};\n"
    for name, bits, first, count in (("d", 64, 0, 5), ("r", 32, 40, 8), ("h", 16, 72, 4))
    for i in range(count)
)
FLAGS = "".join(f"selp.b32 %z1, {1 << i}, 0, %p{i};\nor.b32 %z2, %z2, %z1;\n" for i in range(6))
EPILOGUE = f"""
mad.lo.u32 %z1, %ctaid.y, %nctaid.x, %ctaid.x;
mad.lo.u32 %z1, %z1, %ntid.z, %tid.z;
mad.lo.u32 %z1, %z1, %ntid.y, %tid.y;
mad.lo.u32 %z1, %z1, %ntid.x, %tid.x;
ld.param.u64 %z0, [z];
mad.wide.u32 %z0, %z1, {BYTES}, %z0;
mov.u32 %z2, 64;
{FLAGS}{STORES}st.global.b32 [%z0+80], %z2;
ret;
}}
"""


def storing(text: str) -> str:
    """The kernel with another parameter, ``z``, for its registers. A thread that ends before the
    others leaves zeros there."""
    head = HEAD.replace(".param .u16 q)", ".param .u16 q, .param .u64 z)")
    body = text.removeprefix(HEAD).removesuffix(TAIL).replace("-4]", "+-4]")
    whole = f"{PROLOGUE}{BEGIN}\n{body}{EPILOGUE}"
    names = {s: "%s_" + s[1:].replace(".", "_") for s in sorted(set(SPECIAL.findall(whole)))}
    moves = "".join(f".reg .b32 {name};\nmov.u32 {name}, {s};\n" for s, name in names.items())
    return f"{head}{moves}{SPECIAL.sub(lambda found: names[found[0]], whole)}"


def drawn(seed: int) -> Case:
    random = Random(seed)
    single = random.choice(contracts(random)[1])
    threads = prod(single.grid or ()) * prod(single.block or ())
    registers = Contract.of(buffer=[f"z={BYTES * threads}"])
    contract = dataclasses.replace(single, buffers={**single.buffers, **registers.buffers})
    case = Case.of(f"random/{seed}", storing(generate(seed)), contract)
    full = dict(noise(case.declared, seed, random.choice((4, 64, 2000))))
    del full[case.kernel.parameters[-1].index]
    return dataclasses.replace(Case.of(case.name, case.text, contract, full), max_steps=MAX_STEPS)


def settled(case: Case) -> bool:
    """True if no check finds anything and every order of the threads leaves the same words."""
    alone = RunOptions(max_steps=100 * MAX_STEPS)  # threads that go by themselves
    others = [replace(alone, schedule=order) for order in range(ORDERS)]
    left = set()
    for options in (case.options, replace(case.options, checks=CHECKS), *others):
        outcome = run(case.kernel, case.launch, options)
        left.add(tuple(case.left(outcome)))
        if outcome.faults or outcome.exhausted or len(left) > 1:
            return False
    return True


def random() -> Iterator[Case]:
    yield from filter(settled, map(drawn, range(SEEDS)))
