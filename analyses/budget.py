"""How far searches go.

Each of these numbers trades time for proofs or witnesses; none of them decides what is sound.
``python -m bench.budget`` counts what half and twice of each gives; docs/measurements/budget.md has
what it said."""

from __future__ import annotations

# --- fixpoints

WIDENING_DELAY = 2  # joins at a loop head before widening
THRESHOLD_ITERATIONS = 20  # in which widening stops at thresholds
THRESHOLDS = 64
DESCENDING_PASSES = 2
ITERATIONS = 60  # of one component; beyond it every phi is top, which was never seen

# --- values

SLICE = 24  # instructions evaluated anew for one word
DEFINITION_PARTS = 256  # symbols in the definition of a word; beyond them it is opaque
PARTS = 64  # symbols that a word is made of, for guards to narrow it
GUARDS = 24  # inequalities that narrow one range: the innermost
NEAR_INTERPRETATIONS = 2  # of words that differ by constants, compared with the next one
DISJUNCTIONS = 4  # that a path condition keeps: the innermost
CONDITION_DEPTH = 16  # conditions inside of others
SET_VALUES = 64  # phis and selects that carry one value that a guard compares,
SET_PLACES = 16  # and places where it may have been set
FACTOR_BITS = 8  # of a factor that may be set, to multiply bit by bit
POLYNOMIAL_TERMS = 24
POLYNOMIAL_DEGREE = 8

# --- proofs

FUNCTION_STEPS = 60_000  # of all searches in a function,
INSTRUCTION_STEPS = 100  # and for each of its instructions
QUERY_STEPS = 10  # that it takes to put a question
ACCESS_SHARE = 2  # an access may use 1/ACCESS_SHARE of the steps that are left
COMBINED_STEPS = 600  # of one proof by a combination of inequalities,
COMBINED_PRODUCTS = 6  # in which products are added so often
SEARCH_STEPS = 400  # of one search for bounds; of one in any order,
MORE_SEARCH_STEPS = 200  # where some are found
FIRST_SEARCH_STEPS = 50  # and where none are
SEARCH_DEPTH = 10  # inequalities subtracted from a goal
INEQUALITY_TERMS = 32
PRODUCTS = 16  # multiples of one inequality that eliminate a symbol
OTHERS_STEPS = 6000  # for a word that other threads give, and of no use for all of them
NARROWING_PASSES = 3  # over the ranges of symbols
NESTED_QUERIES = 6  # for a word that does not wrap
NESTED_SEARCHES = 2  # for invariants of loops
CHOICES_SHARE = 2  # of the steps, for the ranges of the choices of a goal
CASE_SPLITS = 5  # choices that one goal is split by
FEW = 32  # values of the last symbol of an index, for its range to be tried beside inequalities
CHAIN = 16  # selects of selects that count as one of them
NESTED_QUOTIENTS = 2  # passes of cuts; more where more quotients are nested
REPAIRS = 8  # inequalities that a model is moved to, one after the other
MODELS = 4  # that are kept to refute the next goal
SOLVER_STEPS = 4_000_000  # of z3, for one answer

# --- lanes and costs

UNROLLED = 64  # iterations of a loop
UNROLLED_NEST = 256  # iterations of a loop and its inner loops
NESTED_LOOPS = 3  # values of inner loops are computed once for each iteration outside
LOOP_PASSES = 80  # until the values of a loop are stable: a base loses a bit in each
CTAS = 16  # of a grid: in a larger one the CTAs are not evaluated separately
BASE_BITS = 12  # low bits of a base address whose value is tracked
ARRAY_BYTES = 1 << 20  # that are looked at where an array is laid out anew

# --- contracts

CONTRACT_STEPS = 400_000  # of a kernel's contract: some seconds
RESERVED_SHARE = 3  # 1/RESERVED_SHARE of what is left is kept for later attempts,
COUNTS_SHARE = 4  # 1/COUNTS_SHARE of them may be used for accesses to local arrays alone,
TRIAL_SHARE = 4  # and 1/TRIAL_SHARE is what an attempt may use that only counts if all is decided,
INFERRED_ACCESS_SHARE = 2  # an access 1/INFERRED_ACCESS_SHARE of those of the attempt
SET_ASIDE_SHARE = 4  # 1/SET_ASIDE_SHARE of them are for accesses that need more than others,
POINTERS = 16  # that one address is chosen from,
POINTER_STEPS = 256  # words that are looked at to find them
FEWER_STEPS = 10_000  # that an attempt with fewer limits of counters may use at least
TRIED_SHAPES = 6  # of the block, for accesses to arrays
INFERENCE_STEPS = 30_000  # about which needs may be left out, and about which ends
NEED_SHARE = 8  # 1/NEED_SHARE of what is left of them is for one need
LESSER_STEPS = 4_000  # at least, about bounds that are less than others in some launches
CONDITION_STEPS = 50_000  # for the conditions that a check prints of accesses it cannot prove,
CONDITION_INSTRUCTION_STEPS = 20  # and for each instruction
TRIED_NUMBERS = 4096  # for needs that no inequality decides

# --- pages

VIEW_STEPS = 1_000  # for the proofs that a page spells out,
VIEW_INSTRUCTION_STEPS = 2  # and for each instruction

# --- lowering

CALL_DEPTH = 64
INLINED_INSTRUCTIONS = 20_000

# --- replays

REPLAY_LANES = 16_384  # of a larger grid, some blocks are run
REPLAY_STEPS = 50_000
REPLAYS_STEPS = 300_000  # of all replays of a kernel in one search, in each of which
REACH_STEPS = 60_000  # of these, in which an instruction must be executed if the launch is open;
STRAY_STEPS = 5_000  # of a run in an open launch after a fault, in which nothing new is met
STEP_LANES = 2_048  # lanes that execute one instruction make a step,
REPLAY_COST = 200  # and beginning one takes as long as these
COST_STEPS = 8_000  # an access that is costly at all is so in its first executions
COST_CALLS = 4  # executions by a batch, in launches that may cost less
COST_WARPS = 256  # looked at for the cost of one execution of an access
RANGE_ENDS = 8  # launches at the ends of declared ranges
RANGE_VALUES = 16  # numbers inside of a range
BLOCK_ENDS = 4  # blocks along an axis of a large grid, where what the blocks do may end
BUFFER_WORDS = 1 << 20  # words of a buffer that a race replay fills with distinct values
EXECUTION_STEPS = 20_000  # of the run that proves a launch, and the instructions of its lanes
EXECUTION_LANES = 1 << 26  # which takes a second or two
OVERLAPS = 2  # launches in which two buffers overlap
