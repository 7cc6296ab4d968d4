"""European option by Monte Carlo: the CUDA C kernel, its contract, and the same sums in numpy.

The bits of a result depend on seed, paths and steps alone, not on block or grid. Three choices do
it: random numbers are counted by path (Philox counter = path, step / 4); paths are cut into
segments of 256, and a segment's payoffs lie in 256 shared slots whatever the block, where one
fixed tree adds them in float64; every segment's two sums are written out, and the host adds them
in the order of segments. A block takes segments blockIdx.x, blockIdx.x + gridDim.x, ...; any
block shape (n, 1, 1) will do.

Not handled: more than 2^31 paths, dividends, early exercise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import normal
from pricing_kernels.contract import GlobalArray, KernelContract, KernelLaunch, Scalar
from pricing_kernels.gbm import EXACT_STEP, Market
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.rng import philox

SEGMENT: Final = 256  # paths whose payoffs are added in one tree
MAX_PATHS: Final = 2**31
SEGMENTS: Final = f"(paths + {SEGMENT - 1})//{SEGMENT}"
STEPS_A_DRAW: Final = 4  # one Philox result gives four normal numbers


@dataclass(frozen=True)
class European:
    """A European call or put, and how it is simulated."""

    market: Market
    strike: float
    maturity: float
    call: bool
    paths: int
    steps: int = 1
    seed: int = 0

    @property
    def segments(self) -> int:
        """How many segments the paths fill, the last one perhaps in part."""
        return -(-self.paths // SEGMENT)

    @property
    def key(self) -> tuple[int, int]:
        """The Philox key: the low and the high word of the seed."""
        return self.seed & 0xFFFFFFFF, self.seed >> 32 & 0xFFFFFFFF


@dataclass(frozen=True)
class Price:
    """A Monte Carlo price and its standard error, which is nan for one path."""

    price: float
    stderr: float


def launch(option: European, block: int = 256, grid: int = 8) -> KernelLaunch:
    """The launch that prices `option` with `grid` blocks of `block` threads."""
    return kernel(block).contract.launch(
        (grid,),
        paths=option.paths,
        steps=option.steps,
        spot=option.market.spot,
        strike=option.strike,
        rate=option.market.rate,
        volatility=option.market.volatility,
        maturity=option.maturity,
        seed=option.seed,
        is_call=int(option.call),
    )


def estimate(sums: NDArray[np.float64], squares: NDArray[np.float64], paths: int) -> Price:
    """Adds the segments' sums in their order and forms the price with its standard error."""
    total, total_square = 0.0, 0.0
    for part, square in zip(sums.tolist(), squares.tolist(), strict=True):
        total += part
        total_square += square
    mean = total / paths
    variance = max(total_square / paths - mean * mean, 0.0)
    return Price(mean, math.sqrt(variance / (paths - 1)) if paths > 1 else math.nan)


def segment_sums(option: European) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the kernel writes, by numpy: the sums of payoffs and of their squares, by segment."""
    payoffs = np.zeros(option.segments * SEGMENT)
    payoffs[: option.paths] = _payoffs(option)
    slots = payoffs.reshape(-1, SEGMENT)
    return _tree_sum(slots), _tree_sum(slots * slots)


def _payoffs(option: European) -> NDArray[np.float32]:
    """The discounted payoff of each path, in float32 like the kernel's."""
    drift, diffusion = map(np.float32, option.market.log_step(option.maturity / option.steps))
    log_growth = np.zeros(option.paths, np.float32)
    counter = np.zeros((option.paths, 4), np.uint32)
    counter[:, 0] = np.arange(option.paths)
    for step in range(0, option.steps, STEPS_A_DRAW):
        counter[:, 1] = step // STEPS_A_DRAW
        z = normal.normals(philox.philox(counter, option.key))
        for j in range(min(STEPS_A_DRAW, option.steps - step)):
            log_growth += drift + diffusion * z[:, j]
    sign = np.float32(1.0 if option.call else -1.0)
    last = np.float32(option.market.spot) * np.exp(log_growth)
    discount = np.float32(math.exp(-option.market.rate * option.maturity))
    gain: NDArray[np.float32] = sign * (last - np.float32(option.strike))
    return discount * np.maximum(gain, np.float32(0.0))


def _tree_sum(slots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adds each row's upper half to its lower half until one column is left."""
    while slots.shape[1] > 1:
        half = slots.shape[1] // 2
        slots = slots[:, :half] + slots[:, half:]
    return slots[:, 0]


BODY: Final = Fragment(
    "european_sums",
    __file__,
    """\
{
    __shared__ double sum[SEGMENT], square[SEGMENT];
    S::LogStep law = S::log_step(rate, volatility, maturity / steps);
    float discount = __expf(-rate * maturity);
    float sign = is_call ? 1.0f : -1.0f;
    uint2 key = make_uint2(seed, seed >> 32);
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            float x = 0.0f;
            for (unsigned step = 0; step < steps; step += 4) {
                uint4 r = P::philox(make_uint4(path, step / 4, 0, 0), key);
                float2 z = N::normals(r.x, r.y);
                x = S::advance(law, x, z.x);
                if (step + 1 < steps)
                    x = S::advance(law, x, z.y);
                z = N::normals(r.z, r.w);
                if (step + 2 < steps)
                    x = S::advance(law, x, z.x);
                if (step + 3 < steps)
                    x = S::advance(law, x, z.y);
            }
            float gain = fmaxf(sign * (spot * __expf(x) - strike), 0.0f);
            double payoff = path < paths ? discount * gain : 0.0f;
            sum[slot] = payoff;
            square[slot] = payoff * payoff;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x) {
                sum[slot] += sum[slot + half];
                square[slot] += square[slot + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            sums[segment] = sum[0];
            squares[segment] = square[0];
        }
        __syncthreads();
    }
}
""",
    {"P": philox.ROUND, "N": normal.BOX_MULLER, "S": EXACT_STEP},
    {"SEGMENT": SEGMENT},
)


def kernel(block: int = 256) -> EmittedKernel:
    """The kernel for blocks of `block` threads."""
    money, rates = Scalar(np.float32, 0.0, 1e9), Scalar(np.float32, -1.0, 10.0)
    contract = KernelContract(
        "european",
        {
            "sums": GlobalArray(np.float64, "segments"),
            "squares": GlobalArray(np.float64, "segments"),
            "segments": Scalar(np.uint32, 1, MAX_PATHS // SEGMENT, equals=SEGMENTS),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "steps": Scalar(np.uint32, 1, 2**20),
            "spot": money,
            "strike": money,
            "rate": rates,
            "volatility": Scalar(np.float32, 0.0, 10.0),
            "maturity": Scalar(np.float32, 0.0, 100.0),
            "seed": Scalar(np.uint64, 0, 2**64 - 1),
            "is_call": Scalar(np.int32, 0, 1),
        },
        (block,),
    )
    return EmittedKernel(BODY, contract, "European option by Monte Carlo.")
