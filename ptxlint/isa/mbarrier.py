"""Barrier objects in shared memory and what completes on them (PTX ISA 9.4, "mbarrier", and the
cluster launch control of the same chapter).

The object is opaque to programs: its 64 bits are laid out here. From bit 0: the arrivals that the
phase still waits for (20 bits), those that each phase waits for (20), the bytes of transactions
still to come (21, signed), two bits of 0, and the parity of the phase. When neither arrivals nor
bytes are owed the phase is over: the parity flips and the arrivals are owed again.

An operation is an atomic, its ``sem`` gives the new object, its result is the old one: the state of
the phase it arrived at. A wait loads the object and asks if its parity is still that of the phase:
a phase before the last cannot be asked about. A wait does not block: programs poll in a loop, and
``simt`` lets other threads run first.

Not modelled: objects of 128 bits and layouts other than the first, cluster launch control. An
object of another CTA cannot be named, as ``mapa`` is unmodelled.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from analyses.program import Effect
from ptxlint.isa.row import Form, op

AT = "parallel-synchronization-and-communication-instructions-"
OBJECT = "{.sem}{.scope}{.shared}{.sub}.type"
UNKNOWN = Effect.UNMODELLED
LAYOUT = "layout::v0 layout::v1"
PENDING, EXPECTED, BYTES = (0, 20), (20, 20), (40, 21)  # the first bit and the width of each
PARITY = 63


def field(o: Algebra[V], place: tuple[int, int], word: V) -> V:
    first, width = place
    return o.zext(64, o.extract(width, first, word))


def barrier_object(o: Algebra[V], parity: V, pending: V, expected: V, owed: V) -> V:
    """The object with these fields, each cut to its width; ``parity`` is one bit."""
    cut = (o.trunc(width, word) for word, (_, width) in
           ((pending, PENDING), (expected, EXPECTED), (owed, BYTES)))  # fmt: skip
    return o.concat(*cut, o.const(2, 0), parity)


def changed(o: Algebra[V], old: V, arrivals: V, owed: V, dropped: V) -> V:
    """The object after these arrivals, with so many more bytes owed, and so many arrivals fewer
    in each phase to come."""
    zero = o.const(64, 0)
    pending = o.sub(field(o, PENDING, old), arrivals)
    expected = o.sub(field(o, EXPECTED, old), dropped)
    sent = o.add(field(o, BYTES, old), owed)
    cut = o.shl(sent, o.const(32, 64 - BYTES[1]))
    over = o.and_(o.eq(pending, zero), o.eq(cut, zero))
    parity = o.xor(o.extract(1, PARITY, old), over)
    return barrier_object(o, parity, o.select(over, expected, pending), expected, sent)


def wide(o: Algebra[V], a: V) -> V:
    return o.zext(64, a) if o.width(a) < 64 else a


def arrived(o: Algebra[V], f: Form, old: V, b: V | None = None) -> V:
    """``b`` counts arrivals."""
    zero, count = o.const(64, 0), o.const(64, 1) if b is None else wide(o, b)
    return changed(o, old, count, zero, count if f.has("arrive_drop") else zero)


def arrived_expecting(o: Algebra[V], f: Form, old: V, b: V) -> V:
    """``b`` counts the bytes that one arrival announces."""
    zero, one = o.const(64, 0), o.const(64, 1)
    return changed(o, old, one, wide(o, b), one if f.has("arrive_drop") else zero)


def transacted(o: Algebra[V], f: Form, old: V, b: V) -> V:
    """Bytes are announced, or have come."""
    zero, owed = o.const(64, 0), wide(o, b)
    return changed(o, old, zero, owed if f.has("expect_tx") else o.neg(owed), zero)


def copies_arrived(o: Algebra[V], f: Form, old: V) -> V:
    """The copies that were issued before are done; an arrival counted in by itself changes
    nothing."""
    zero, one = o.const(64, 0), o.const(64, 1)
    return changed(o, old, one if f.has("noinc") else zero, zero, zero)


def fresh(o: Algebra[V], f: Form, b: V) -> V:
    count = wide(o, b)
    return barrier_object(o, o.const(1, 0), count, count, o.const(64, 0))


def pending_count(o: Algebra[V], f: Form, a: V) -> V:
    first, width = PENDING
    return o.zext(32, o.extract(width, first, a))


def cleared(o: Algebra[V], f: Form) -> V:
    return o.const(64, 0)


def passed(o: Algebra[V], f: Form, word: V, b: V, c: V | None = None) -> V:
    """True if the phase is over that a state or a parity names. ``c``, the time limit of a
    suspended thread, has no effect."""
    place = 0 if f.has("parity") else PARITY
    return o.ne(o.extract(1, PARITY, word), o.extract(1, place, b))


ATOMIC, LOAD, STORE = Effect.ATOMIC, Effect.LOAD, Effect.STORE
ARRIVALS = (("arrive", "mbarrier-arrive"), ("arrive_drop", "mbarrier-arrive-drop"))
WAITS = AT + "mbarrier-test-wait-try-wait"

ROWS = (
    op("mbarrier.init{.shared}{.sub}.type [a], b:u32", at=AT + "mbarrier-init", types="b64",
       effects=STORE, sem=fresh),
    op("mbarrier.init{.layout}{.shared}{.sub}.type [a], b:u32", at=AT + "mbarrier-init",
       layout=LAYOUT, types="b64 b128", effects=UNKNOWN, memory="store a:16"),
    op("mbarrier.inval{.shared}{.sub}.type [a]", at=AT + "mbarrier-inval", types="b64",
       effects=STORE, sem=cleared),
    op("mbarrier.inval{.layout}{.shared}{.sub}.type [a]", at=AT + "mbarrier-inval",
       layout=LAYOUT, types="b64 b128", effects=UNKNOWN, memory="store a:16"),
    op(f"mbarrier.expect_tx{OBJECT} [a], b:u32", at=AT + "mbarrier-expect-tx", types="b64",
       effects=ATOMIC, sem=transacted),
    op(f"mbarrier.complete_tx{OBJECT} [a], b:u32", at=AT + "mbarrier-complete-tx",
       types="b64", effects=ATOMIC, sem=transacted),
    *(op(f"mbarrier.{name}{OBJECT} d, [a]{{, b:u32}}", at=AT + anchor, types="b64",
         effects=ATOMIC, sem=arrived)
      for name, anchor in ARRIVALS),
    *(op(f"mbarrier.{name}.expect_tx{OBJECT} d, [a], b:u32", at=AT + anchor, types="b64",
         effects=ATOMIC, sem=arrived_expecting)
      for name, anchor in ARRIVALS),
    *(op(f"mbarrier.{name}.noComplete{OBJECT} d, [a], b:u32", at=AT + anchor, types="b64",
         effects=ATOMIC, sem=arrived)
      for name, anchor in ARRIVALS),
    op(f"mbarrier.test_wait{OBJECT} p, [a], b:u64", at=WAITS, types="b64", effects=LOAD,
       sem=passed),
    op(f"mbarrier.test_wait.parity{OBJECT} p, [a], b:u32", at=WAITS, types="b64", effects=LOAD,
       sem=passed),
    op(f"mbarrier.try_wait{OBJECT} p, [a], b:u64{{, c:u32}}", at=WAITS, types="b64",
       effects=LOAD, sem=passed),
    op(f"mbarrier.try_wait.parity{OBJECT} p, [a], b:u32{{, c:u32}}", at=WAITS, types="b64",
       effects=LOAD, sem=passed),
    op("mbarrier.pending_count.type d:u32, a", at=AT + "mbarrier-pending-count", types="b64",
       sem=pending_count),
    op("mbarrier.check_layout.layout{.shared}{.sub}{.type} p, [a]",
       at=AT + "mbarrier-check-layout", layout=LAYOUT, types="b64 b128", effects=UNKNOWN,
       memory="load a:16"),
    op("cp.async.mbarrier.arrive{.noinc}{.shared}{.sub}.type [a]",
       at=AT + "cp-async-mbarrier-arrive", types="b64", effects=ATOMIC, sem=copies_arrived),
    op("tensormap.cp_fenceproxy.global.sub.tensormap::generic.sem.scope.sync.aligned [a], [b], c",
       at=AT + "tensormap-cp-fenceproxy",
       effects=UNKNOWN | Effect.CONVERGENT | Effect.ALIGNED,
       memory="load shared b:128, store global a:128"),
    op("clusterlaunchcontrol.try_cancel.async{.sub}.done{.multicast}.type [a], [b]",
       at=AT + "clusterlaunchcontrol-try-cancel", done="mbarrier::complete_tx::bytes",
       multicast="multicast::cluster::all", types="b128", effects=UNKNOWN,
       memory="store shared a:16, atomic shared b:8"),
    op("clusterlaunchcontrol.query_cancel.is_canceled.dtype.atype p, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="pred", atype="b128",
       effects=UNKNOWN),
    op("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.dtype.atype d, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="b32", atype="b128", effects=UNKNOWN),
    op("clusterlaunchcontrol.query_cancel.part.dtype.atype d, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="b32", atype="b128",
       part="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z", effects=UNKNOWN),
)  # fmt: skip
