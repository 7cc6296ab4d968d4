"""A random kernel observed: its launch, what is said of it, and the shortest text that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel
from ptxlint.simt import Allocation, ConcreteLaunch

from .claims import Observation
from .generate import HEAD, TAIL, generate
from .launches import kernels_of, noise
from .observe import observe

BLOCKS = ("64", "33x3", "7x5x2", "32x4", "96", "1", "16x4", "20", "128", "8x8x2", "64x2")
GRIDS = ("2", "1", "2x2", "1x3")
RANGES = {
    "n": ("0..100", "1..64", "5", "64", "0..4294967295", "1..1000", "2147483647", "0"),
    "m": ("-5..5", "10", "-1", "0..300", "-2147483648..2147483647", "100", "1..2"),
    "w": ("0..4096", "100", "-8..8", "4294967296", "0..9223372036854775807"),
    "q": ("0..300", "7", "65535", "1..2", "0..65535"),
}
BUFFERS = ("256", "1024", "4096@4", "1000@8", "64@128")
MAX_STEPS = 1000


def contracts(random: Random) -> tuple[Contract, list[Contract]]:
    """A launch in ranges, and single launches inside it: its ends and its middle."""
    ranges = {name: random.choice(choices) for name, choices in RANGES.items()}
    block, grid = random.choice(BLOCKS), random.choice(GRIDS)
    buffers = [f"{name}={random.choice(BUFFERS)}" for name in "xy"]

    def one(tenths: int) -> list[str]:
        chosen = []
        for name, text in ranges.items():
            low, _, high = text.partition("..")
            first, last = int(low), int(high or low)
            chosen.append(f"{name}={first + (last - first) * tenths // 10}")
        return chosen

    said = [[f"{name}={text}" for name, text in ranges.items()], *map(one, (0, 10, 4))]
    whole, *single = (Contract.of(block=block, grid=grid, arg=a, buffer=buffers) for a in said)
    return whole, single


def observations(kernel: Kernel, seed: int) -> Iterator[Observation]:
    """The kernel under three contracts that allow a launch, from the vaguest to the launch."""
    random = Random(seed)
    whole, singles = contracts(random)
    vague = (resolved([Contract()], kernel), resolved([whole], kernel))
    facts = [Facts(kernel, said, "sm_80") for said in vague]
    for single in singles:
        launch = resolved([single], kernel)
        own = Facts(kernel, launch, "sm_80")
        known = random.choice((facts[1], facts[1], facts[0], own))
        contents = dict(noise(launch, seed, random.choice((4, 64, 2000))))
        concrete = aligned(launch.concrete(kernel, contents), known)
        yield observe(kernel, known.launch, concrete, known, MAX_STEPS)


def aligned(launch: ConcreteLaunch, facts: Facts) -> ConcreteLaunch:
    """The launch with buffers nobody declared aligned as their elements are, and no better: that
    much is taken for granted of them."""
    arguments = []
    for formal, argument in zip(facts.kernel.arguments, launch.arguments, strict=False):
        region = facts.pointers.get(formal.word)
        if isinstance(argument, Allocation) and region in facts.aligns:
            argument = replace(argument, align=facts.aligns[region])
        arguments.append(argument)
    return replace(launch, arguments=tuple(arguments))


@dataclass(frozen=True)
class Family:
    """Random kernels: the text of each, from ``head`` to ``tail``, and what is observed of it."""

    generate: Callable[[int], str]
    head: str
    tail: str
    observations: Callable[[Kernel, int], Iterator[Observation]]

    def observed(self, text: str, seed: int) -> Observation:
        (kernel,) = kernels_of(text)
        seen = Observation()
        for part in self.observations(kernel, seed):
            seen.add(part)
        return seen

    def failure(self, text: str, seed: int) -> str | None:
        """The claim that the first violation is about; a text that cannot be read fails in no
        way."""
        try:
            violations = self.observed(text, seed).violations
        except AssertionError:
            return None
        except Exception as error:
            return type(error).__name__
        return violations[0].claim if violations else None

    def shrunk(self, text: str, fails: Callable[[str], bool]) -> str:
        """The text without the lines that it fails without."""
        lines = text.removeprefix(self.head).removesuffix(self.tail).split("\n")
        size = len(lines) // 2
        while size:
            start = 0
            while start < len(lines):
                fewer = lines[:start] + lines[start + size :]
                if fails(self._text(fewer)):
                    lines = fewer
                else:
                    start += size
            size //= 2
        return self._text(lines)

    def _text(self, lines: list[str]) -> str:
        return self.head + "\n".join(lines) + self.tail

    def report(self, seed: int) -> str:
        """What went wrong with a seed, in the shortest kernel found."""
        text = self.generate(seed)
        wrong = self.failure(text, seed)
        short = self.shrunk(text, lambda candidate: self.failure(candidate, seed) == wrong)
        if wrong and wrong[0].isupper():
            return f"seed {seed}: {wrong}\n{short}"
        listed = "\n".join(v.located(short) for v in self.observed(short, seed).violations[:5])
        return f"seed {seed}:\n{listed}\n{short}"


ANY = Family(generate, HEAD, TAIL, observations)
"""Kernels of all kinds, declared, in ranges, or not at all."""
