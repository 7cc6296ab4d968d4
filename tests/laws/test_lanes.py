"""The concrete machine against plain Python integers, and warps against the manual lane by lane.

Small widths are exhaustive; native widths take every pair of edge words, and random ones.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from analyses.concrete.machine import BitVector, Lanes

LANES = Lanes()
SMALL = (1, 3, 4, 5)
NATIVE = (8, 16, 32, 64)
SEED = 20240607


def signed(width, x):
    return x - (1 << width) if x >> (width - 1) else x


def toward_zero(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def on_signed(function):
    return lambda w, x, y: function(signed(w, x), signed(w, y))


BINARY = {
    "add": lambda w, x, y: x + y,
    "sub": lambda w, x, y: x - y,
    "mul": lambda w, x, y: x * y,
    "mul_hi_u": lambda w, x, y: (x * y) >> w,
    "mul_hi_s": lambda w, x, y: (signed(w, x) * signed(w, y)) >> w,
    "div_u": lambda w, x, y: x // y if y else -1,
    "div_s": on_signed(lambda x, y: toward_zero(x, y) if y else -1),
    "rem_u": lambda w, x, y: x % y if y else -1,
    "rem_s": on_signed(lambda x, y: x - y * toward_zero(x, y) if y else -1),
    "min_u": lambda w, x, y: min(x, y),
    "max_u": lambda w, x, y: max(x, y),
    "min_s": on_signed(min),
    "max_s": on_signed(max),
    "and_": lambda w, x, y: x & y,
    "or_": lambda w, x, y: x | y,
    "xor": lambda w, x, y: x ^ y,
}
COMPARISON = {
    "eq": lambda w, x, y: x == y,
    "ne": lambda w, x, y: x != y,
    "lt_u": lambda w, x, y: x < y,
    "le_u": lambda w, x, y: x <= y,
    "lt_s": on_signed(lambda x, y: x < y),
    "le_s": on_signed(lambda x, y: x <= y),
}
UNARY = {
    "neg": lambda w, x: -x,
    "abs_": lambda w, x: abs(signed(w, x)),
    "not_": lambda w, x: ~x,
    "brev": lambda w, x: int(f"{x:0{w}b}"[::-1], 2),
}
COUNT = {
    "popc": lambda w, x: f"{x:b}".count("1"),
    "clz": lambda w, x: w - x.bit_length(),
}
SHIFT = {
    "shl": lambda w, x, n: x << n if n < w else 0,
    "shr_u": lambda w, x, n: x >> n if n < w else 0,
    "shr_s": lambda w, x, n: signed(w, x) >> min(n, w - 1),
}


def words(width):
    """Every word of a small width; of a native one edges and random words."""
    if width in SMALL:
        return list(range(1 << width))
    draw = random.Random(SEED + width)
    top = 1 << width
    edges = [0, 1, 2, 3, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1]
    edges += [1 << (width // 2), (1 << (width // 2)) - 1]
    return edges + [draw.getrandbits(draw.randint(1, width)) for _ in range(24)]


def amounts(width):
    return [*range(min(width + 3, 68)), 255, 256, (1 << 31) + 1, (1 << 32) - 1]


def expect(width, result, expected):
    """The result is a word of that width, masked, and equal in every lane."""
    assert result.width == width
    assert result.bits.dtype == BitVector.of(width, 0).bits.dtype
    assert result.bits.astype(object).tolist() == [int(x) & ((1 << width) - 1) for x in expected]


def check_pairs(name, width, second_width, seconds, result_width, function):
    pairs = list(itertools.product(words(width), seconds))
    a = BitVector.of(width, [x for x, _ in pairs])
    b = BitVector.of(second_width, [y for _, y in pairs])
    result = getattr(LANES, name)(a, b)
    expect(result_width, result, [function(width, x, y) for x, y in pairs])


@pytest.mark.parametrize("width", (*SMALL, 33, 48, *NATIVE))
@pytest.mark.parametrize("name", BINARY)
def test_binary_operators_compute_what_python_computes(name, width):
    check_pairs(name, width, width, words(width), width, BINARY[name])


@pytest.mark.parametrize("width", SMALL + NATIVE)
@pytest.mark.parametrize("name", COMPARISON)
def test_comparisons_are_predicates(name, width):
    check_pairs(name, width, width, words(width), 1, COMPARISON[name])


@pytest.mark.parametrize("width", (*SMALL, 33, 48, *NATIVE))
@pytest.mark.parametrize("name", SHIFT)
def test_shifts_clamp(name, width):
    check_pairs(name, width, 32, amounts(width), width, SHIFT[name])


@pytest.mark.parametrize("width", SMALL + NATIVE)
def test_unary_operators_compute_what_python_computes(width):
    a = BitVector.of(width, words(width))
    for name, function in UNARY.items():
        expect(width, getattr(LANES, name)(a), [function(width, x) for x in words(width)])
    for name, function in COUNT.items():
        expect(32, getattr(LANES, name)(a), [function(width, x) for x in words(width)])


@pytest.mark.parametrize("width", SMALL + NATIVE)
def test_widths_change_without_loss(width):
    xs = words(width)
    a = BitVector.of(width, xs)
    assert a.signed.tolist() == [signed(width, x) for x in xs]
    for wider in (w for w in (1, 4, 5, 7, 8, 16, 23, 32, 50, 64) if w >= width):
        expect(wider, LANES.zext(wider, a), xs)
        expect(wider, LANES.sext(wider, a), [signed(width, x) for x in xs])
    for low, part in ((0, 1), (0, width), (width - 1, 1), (width // 2, width - width // 2)):
        expect(part, LANES.extract(part, low, a), [x >> low for x in xs])


def test_concat_and_extract_are_inverse():
    a, b, c = BitVector.of(3, [5, 1, 7]), BitVector.of(5, [30, 0, 1]), BitVector.of(1, [1])
    whole = LANES.concat(a, b, c)
    expect(9, whole, [5 | 30 << 3 | 1 << 8, 1 | 1 << 8, 7 | 1 << 3 | 1 << 8])
    expect(5, LANES.extract(5, 3, whole), [30, 0, 1])
    low, high = BitVector.of(64, [0x0123456789ABCDEF, 1]), BitVector.of(64, [0xFEDCBA9876543210])
    both = LANES.concat(low, high)
    values = [x | 0xFEDCBA9876543210 << 64 for x in (0x0123456789ABCDEF, 1)]
    for start, width in ((0, 64), (64, 64), (32, 64), (60, 8), (1, 63), (96, 32), (0, 1)):
        expect(width, LANES.extract(width, start, both), [x >> start for x in values])
    expect(
        64,
        LANES.extract(64, 64, LANES.select(BitVector.of(1, [0, 1]), both, both)),
        [values[0] >> 64] * 2,
    )
    for operator in (LANES.add, LANES.eq, LANES.lt_s, LANES.min_u):
        with pytest.raises(NotImplementedError, match="128 bits"):
            operator(both, both)


def test_constants_broadcast_and_select_chooses():
    a = BitVector.of(32, range(64))
    expect(32, LANES.add(a, LANES.const(32, -1)), range(-1, 63))
    expect(8, LANES.const(8, 0x1FF), [0xFF])
    odd = LANES.eq(LANES.and_(a, LANES.const(32, 1)), LANES.const(32, 1))
    chosen = LANES.select(odd, a, LANES.const(32, 7))
    expect(32, chosen, [x if x % 2 else 7 for x in range(64)])


def test_prmt_picks_bytes_and_replicates_signs():
    draw = random.Random(SEED)
    rows = [[draw.getrandbits(32) for _ in range(3)] for _ in range(300)]

    def permuted(a, b, selector):
        source = (a | b << 32).to_bytes(8, "little")
        chosen = []
        for place in range(4):
            nibble = selector >> 4 * place & 15
            byte = source[nibble & 7]
            chosen.append(byte if nibble < 8 else (255 if byte > 127 else 0))
        return int.from_bytes(bytes(chosen), "little")

    columns = [BitVector.of(32, column) for column in zip(*rows, strict=True)]
    expect(32, LANES.prmt(*columns), [permuted(*row) for row in rows])


# --- warps


def shuffled(mode, values, lanes, clamps, members, active):
    """One warp, a lane at a time, after the pseudocode of shfl.sync."""
    results, predicates = [], []
    for here in range(32):
        b, c = lanes[here] & 31, clamps[here] & 31
        segment = clamps[here] >> 8 & 31
        last = (here & segment) | (c & ~segment & 31)
        first = here & segment
        if mode == "up":
            source, fits = here - b, here - b >= last
        elif mode == "down":
            source, fits = here + b, here + b <= last
        elif mode == "bfly":
            source, fits = here ^ b, (here ^ b) <= last
        else:
            source = first | (b & ~segment & 31)
            fits = source <= last
        source = source if fits else here
        heard = active[source] and members[here] >> source & 1
        results.append(values[source if heard else here])
        predicates.append(fits)
    return results, predicates


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles_follow_the_manual(mode):
    draw = random.Random(SEED)
    clamps = [0x1F, 0, 0x181F, 0x1C1F, 0x1E1F, 0x1800, 0x1C00, 0x1F1F, 0x1003]
    for clamp in clamps + [draw.getrandbits(13) for _ in range(8)]:
        lanes = [draw.choice([1, 2, 4, 31, draw.getrandbits(32)]) for _ in range(64)]
        values = [draw.getrandbits(32) for _ in range(64)]
        members = draw.choice([0xFFFFFFFF, draw.getrandbits(32)])
        active = [draw.random() < 0.8 for _ in range(64)]
        word, fits = Lanes(active=np.array(active)).shuffle(
            mode, *(BitVector.of(32, x) for x in (values, lanes, clamp, members))
        )
        for warp in (slice(0, 32), slice(32, 64)):
            results, predicates = shuffled(
                mode, values[warp], lanes[warp], [clamp] * 32, [members] * 32, active[warp]
            )
            assert word.bits[warp].tolist() == results
            assert fits.bits[warp].tolist() == predicates


def test_a_shuffle_keeps_the_width_and_knows_its_warps():
    word, fits = LANES.shuffle(
        "idx",
        BitVector.of(16, range(96)),
        LANES.const(32, 3),
        LANES.const(32, 31),
        LANES.const(32, -1),
    )
    expect(16, word, [x // 32 * 32 + 3 for x in range(96)])
    expect(1, fits, [1] * 96)
    with pytest.raises(ValueError, match="whole warps"):
        LANES.shuffle("idx", *(BitVector.of(32, range(33)) for _ in range(4)))


def test_votes_count_the_active_members_of_a_warp():
    draw = random.Random(SEED)
    for chance, members in itertools.product((0, 0.1, 0.9, 1), (0xFFFFFFFF, 0x0F0F00FF)):
        active = [draw.random() < 0.7 for _ in range(64)]
        p = [draw.random() < chance for _ in range(64)]
        lanes = Lanes(active=np.array(active))
        for warp in (slice(0, 32), slice(32, 64)):
            votes = {
                lane: p[warp][lane]
                for lane in range(32)
                if active[warp][lane] and members >> lane & 1
            }
            expected = {
                "all": all(votes.values()),
                "any": any(votes.values()),
                "uni": len(set(votes.values())) < 2,
                "ballot": sum(vote << lane for lane, vote in votes.items()),
            }
            for mode, value in expected.items():
                result = lanes.vote(mode, BitVector.of(1, p), BitVector.of(32, members))
                assert result.bits[warp].tolist() == [value] * 32
            mask = sum(on << lane for lane, on in enumerate(active[warp]))
            assert lanes.active_mask().bits[warp].tolist() == [mask] * 32


# --- the world


def test_special_registers_are_read_at_the_width_asked_for():
    lanes = Lanes(specials={"tid.x": BitVector.of(32, [70000, 3])})
    expect(32, lanes.special("tid.x", 32), [70000, 3])
    expect(16, lanes.special("tid.x", 16), [70000, 3])
    expect(64, lanes.special("tid.x", 64), [70000, 3])


def test_generic_addresses_know_their_space():
    base = 0x7F00_0000_0000
    lanes = Lanes(
        regions={"buffer": 256},
        windows={"shared": range(base, base + 1024), "local": range(16, 64)},
    )
    a = lanes.add(lanes.address("buffer", 64), BitVector.of(64, [0, 767, 768]))
    generic = lanes.convert_address("shared", True, a)
    expect(64, generic, [base + 256, base + 1023, base + 1024])
    expect(64, lanes.convert_address("shared", False, generic), [256, 1023, 1024])
    expect(64, lanes.convert_address("global", True, a), [256, 1023, 1024])
    expect(1, lanes.is_space("shared", generic), [1, 1, 0])
    expect(1, lanes.is_space("global", generic), [0, 0, 1])
    expect(1, lanes.is_space("local", BitVector.of(64, [15, 16, 63, 64])), [0, 1, 1, 0])


def test_nothing_is_unknown_to_the_concrete_machine():
    with pytest.raises(NotImplementedError):
        LANES.unknown(32)
    with pytest.raises(NotImplementedError):
        LANES.loaded(32, "global", LANES.const(64, 0))
