"""Communication between the lanes of a warp (PTX ISA 9.4: ``shfl`` under "Data Movement and
Conversion", the rest under "Parallel Synchronization and Communication").

Each is an operator of the world around a thread: a lane's result depends on what other lanes hold.
The forms without ``.sync`` mean all active lanes. ``elect`` chooses the lowest member, which the
manual leaves open.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from analyses.program import Effect
from ptxlint.isa.formats import MAGNITUDE, NAN, SIGN
from ptxlint.isa.row import Form, op, primitive

AT = "parallel-synchronization-and-communication-instructions-"
TOGETHER = Effect.CONVERGENT


def membermask(o: Algebra[V], members: V | None) -> V:
    """The members of the operation: all lanes where the operand is left out."""
    return o.const(32, -1) if members is None else members


def shfl(
    o: Algebra[V], f: Form, a: V, lane: V, clamp: V, members: V | None = None
) -> V | tuple[V, V]:
    mode = f.one_of("up", "down", "bfly", "idx")
    word, in_range = o.shuffle(mode, a, lane, clamp, membermask(o, members))
    return (word, in_range) if f.parts == 2 else word


def vote(o: Algebra[V], f: Form, p: V, members: V | None = None) -> V:
    return o.vote(f.one_of("all", "any", "uni", "ballot"), p, membermask(o, members))


def match(o: Algebra[V], f: Form, a: V, members: V) -> V | tuple[V, V]:
    """The members that hold this lane's word, or all members if all of them hold the same."""
    same = o.match(a, members)
    if f.has("any"):
        return same
    voters = o.vote("ballot", o.const(1, 1), members)
    agree = o.eq(same, voters)
    mask = o.select(agree, same, o.const(32, 0))
    return (mask, agree) if f.parts == 2 else mask


def redux(o: Algebra[V], f: Form, a: V, members: V) -> V:
    function = f.one_of("add", "and", "or", "xor", "min", "max")
    if function in ("min", "max"):
        function += "_s" if f.type.signed else "_u"
    return o.reduce(function, a, members)


def redux_float(o: Algebra[V], f: Form, a: V, members: V) -> V:
    """Floats in the order of signed integers: those with a sign have their other bits flipped. NaN,
    whose integers are at both ends, loses or, under .NaN, wins; it is the result if all are NaN."""
    least, greatest = o.const(32, SIGN), o.const(32, MAGNITUDE)
    if f.has("abs"):
        a = o.and_(a, greatest)
    first, last = (greatest, least) if f.has("max") else (least, greatest)
    integer = o.select(o.funordered(a, a), first if f.has("NaN") else last, flipped(o, a))
    found = o.reduce("max_s" if f.has("max") else "min_s", integer, members)
    unordered = o.or_(o.eq(found, least), o.eq(found, greatest))
    return o.select(unordered, o.const(32, NAN), flipped(o, found))


def flipped(o: Algebra[V], a: V) -> V:
    negative = o.shr_s(a, o.const(32, 31))
    return o.xor(a, o.and_(negative, o.const(32, MAGNITUDE)))


def elect(o: Algebra[V], f: Form, members: V) -> tuple[V, V]:
    leader = o.clz(o.brev(members))
    return leader, o.eq(leader, o.special("laneid", 32))


ROWS = (
    op("shfl{.sync}.mode.type d{|p}, a, b:u32, c:u32{, e:u32}",
       at="data-movement-and-conversion-instructions-shfl-sync",
       mode="up down bfly idx", types="b32", effects=TOGETHER, sem=shfl),
    op("vote{.sync}.mode.type d, a{, b:u32}", at=AT + "vote-sync", mode="all any uni",
       types="pred", effects=TOGETHER, sem=vote),
    op("vote{.sync}.ballot.type d, a:pred{, b:u32}", at=AT + "vote-sync", types="b32",
       effects=TOGETHER, sem=vote),
    op("match.any.sync.type d:u32, a, b:u32", at=AT + "match-sync", types="b32 b64",
       effects=TOGETHER, sem=match),
    op("match.all.sync.type d:u32{|p}, a, b:u32", at=AT + "match-sync", types="b32 b64",
       effects=TOGETHER, sem=match),
    op("activemask.type d", at=AT + "activemask", types="b32", effects=TOGETHER,
       sem=primitive(Algebra.active_mask)),
    op("redux.sync.op.type d, a, b:u32", at=AT + "redux-sync", op="add min max",
       types="u32 s32", effects=TOGETHER, sem=redux),
    op("redux.sync.op.type d, a, b:u32", at=AT + "redux-sync", op="and or xor",
       types="b32", effects=TOGETHER, sem=redux),
    op("redux.sync.op{.abs}{.NaN}.type d, a, b:u32", at=AT + "redux-sync", op="min max",
       types="f32", effects=TOGETHER, sem=redux_float),
    op("elect.sync d:u32{|p}, a:u32", at=AT + "elect-sync", effects=TOGETHER, sem=elect),
)  # fmt: skip
