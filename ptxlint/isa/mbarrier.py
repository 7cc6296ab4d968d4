"""Barrier objects in shared memory and what completes on them (PTX ISA 9.4, "mbarrier", and the
cluster launch control of the same chapter).

Not modelled: a phase of an mbarrier ends when other threads or the copy engine have arrived, so a
wait is a branch on what they do. Rows say which operands are read and written.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "parallel-synchronization-and-communication-instructions-"
OBJECT = "{.sem}{.scope}{.shared}{.sub}.type"
UNKNOWN = Effect.UNMODELLED
LAYOUT = "layout::v0 layout::v1"

ROWS = (
    op("mbarrier.init{.layout}{.shared}{.sub}.type [a], b:u32", at=AT + "mbarrier-init",
       layout=LAYOUT, types="b64 b128", effects=UNKNOWN),
    op("mbarrier.inval{.layout}{.shared}{.sub}.type [a]", at=AT + "mbarrier-inval",
       layout=LAYOUT, types="b64 b128", effects=UNKNOWN),
    op(f"mbarrier.expect_tx{OBJECT} [a], b:u32", at=AT + "mbarrier-expect-tx", types="b64",
       effects=UNKNOWN),
    op(f"mbarrier.complete_tx{OBJECT} [a], b:u32", at=AT + "mbarrier-complete-tx",
       types="b64", effects=UNKNOWN),
    *(op(f"mbarrier.{name}{{.expect_tx}}{OBJECT} d, [a]{{, b:u32}}", at=AT + anchor, types="b64",
         effects=UNKNOWN)
      for name, anchor in (("arrive", "mbarrier-arrive"), ("arrive_drop", "mbarrier-arrive-drop"))),
    *(op(f"mbarrier.{name}.noComplete{OBJECT} d, [a], b:u32", at=AT + anchor, types="b64",
         effects=UNKNOWN)
      for name, anchor in (("arrive", "mbarrier-arrive"), ("arrive_drop", "mbarrier-arrive-drop"))),
    op(f"mbarrier.test_wait{OBJECT} p, [a], b:u64", at=AT + "mbarrier-test-wait-try-wait",
       types="b64", effects=UNKNOWN),
    op(f"mbarrier.test_wait.parity{OBJECT} p, [a], b:u32",
       at=AT + "mbarrier-test-wait-try-wait", types="b64", effects=UNKNOWN),
    op(f"mbarrier.try_wait{OBJECT} p, [a], b:u64{{, c:u32}}",
       at=AT + "mbarrier-test-wait-try-wait", types="b64", effects=UNKNOWN),
    op(f"mbarrier.try_wait.parity{OBJECT} p, [a], b:u32{{, c:u32}}",
       at=AT + "mbarrier-test-wait-try-wait", types="b64", effects=UNKNOWN),
    op("mbarrier.pending_count.type d:u32, a", at=AT + "mbarrier-pending-count", types="b64",
       effects=UNKNOWN),
    op("mbarrier.check_layout.layout{.shared}{.sub}{.type} p, [a]",
       at=AT + "mbarrier-check-layout", layout=LAYOUT, types="b64 b128", effects=UNKNOWN),
    op("cp.async.mbarrier.arrive{.noinc}{.shared}{.sub}.type [a]",
       at=AT + "cp-async-mbarrier-arrive", types="b64", effects=UNKNOWN),
    op("tensormap.cp_fenceproxy.global.sub.tensormap::generic.sem.scope.sync.aligned [a], [b], c",
       at=AT + "tensormap-cp-fenceproxy",
       effects=UNKNOWN | Effect.CONVERGENT | Effect.ALIGNED),
    op("clusterlaunchcontrol.try_cancel.async{.sub}.done{.multicast}.type [a], [b]",
       at=AT + "clusterlaunchcontrol-try-cancel", done="mbarrier::complete_tx::bytes",
       multicast="multicast::cluster::all", types="b128", effects=UNKNOWN),
    op("clusterlaunchcontrol.query_cancel.is_canceled.dtype.atype p, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="pred", atype="b128",
       effects=UNKNOWN),
    op("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.dtype.atype d, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="b32", atype="b128", effects=UNKNOWN),
    op("clusterlaunchcontrol.query_cancel.part.dtype.atype d, a:atype",
       at=AT + "clusterlaunchcontrol-query-cancel", dtype="b32", atype="b128",
       part="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z", effects=UNKNOWN),
)  # fmt: skip
