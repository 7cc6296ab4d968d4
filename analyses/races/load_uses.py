"""Which accesses use the word of a load.

A load races with a store of another thread only if its word matters. Compilers let all lanes load
what a few of them store: the word of the others is computed with, and goes nowhere (Triton keeps
such copies of small tensors). So a load is no conflict in a thread that makes none of the accesses
which use its word. A word that decides a branch or a mask, or that other lanes see, matters always.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyses.def_use import User, users_of
from analyses.program import Assume, Effect, Instr, Operand, Phi, SsaFunction, Terminator


def accesses_that_use_loads(function: SsaFunction) -> dict[Instr, frozenset[Instr]]:
    """For each load of shared or global memory all of whose uses are accesses, these accesses."""
    users = users_of(function)
    found = dict[Instr, frozenset[Instr]]()
    for block in function.blocks:
        for instr in block.instrs:
            if _is_plain_load(instr):
                accesses = _accesses_that_use(instr, users)
                if accesses is not None:
                    found[instr] = accesses
    return found


def _is_plain_load(instr: Instr) -> bool:
    access = instr.access
    if access is None or access.kind != "load" or access.asynchronous:
        return False
    return access.space not in ("param", "const", "local") and not instr.opaque


def _accesses_that_use(
    load: Instr, users: Mapping[Operand, Iterable[User]]
) -> frozenset[Instr] | None:
    """The accesses that use the words of a load, by way of arithmetic; None if there are none, or
    if anything else uses them."""
    accesses = set[Instr]()
    seen, work = set[Operand](), list[Operand](load.defs)
    while work:
        word = work.pop()
        if word in seen:
            continue
        seen.add(word)
        for user in users.get(word, ()):
            if isinstance(user, (Phi, Assume)):
                work.append(user.target)
            elif isinstance(user, Terminator) or _decides(user, word):
                return None
            elif user.access is not None:
                accesses.add(user)
            else:
                work += user.defs
    return frozenset(accesses) or None


def _decides(user: Instr, word: Operand) -> bool:
    """True if the word decides if an access is made, or does what is neither arithmetic nor an
    access."""
    if user.access is None:
        return user.effects != Effect.NONE or bool(user.opaque)
    return user.access.mask == word or user.access.asynchronous or bool(user.opaque)
