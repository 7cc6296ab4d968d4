"""A shuffle gives the word of some lane: what a domain says of all lanes it says of the result."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from analyses.concrete.machine import BitVector, Lanes

from .judge import MEMBERS

WIDTH, LANES = 4, 64


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_result_is_a_word_of_some_lane(name: str, mode: str) -> None:
    random, member, told = Random(name + mode), MEMBERS[name], 0
    top = member.domain.top(WIDTH)
    for fact, admitted in zip(member.every(WIDTH), member.members(WIDTH), strict=True):
        words = np.flatnonzero(admitted).tolist()
        if not words:
            continue
        active = [random.random() < 0.8 for _ in range(LANES)]
        clamp = random.choice((31, 0x1C1F, 0x1800))
        control = [random.getrandbits(5), clamp, random.getrandbits(32)]
        machine = Lanes(active=np.array(active))
        asked = [BitVector.of(32, number) for number in control]
        word = BitVector.of(WIDTH, [random.choice(words) for _ in range(LANES)])
        seen, _ = machine.shuffle(mode, word, *asked)
        given = [member.domain.const(32, number) for number in control]
        claim, _ = member.domain.shuffle(mode, fact, *given)
        assert member.domain.admits(claim, seen)[active].all(), (fact, claim)
        told += claim != top
    assert told
