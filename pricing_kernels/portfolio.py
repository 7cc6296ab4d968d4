"""A portfolio: many European calls on assets of one volatility, by the formula of Black and
Scholes, one option a thread. Where the options lie in memory is a layout."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.layouts import FLAGS, flagged, records, stored, structures
from pricing_kernels.link import Fragment

BLOCK: Final = 256
FIELDS: Final = ("spot", "strike", "years")
MOST: Final = 2**24

_VALUES: Final = """\
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || !F::there(flags, i))
        return;
    float spot = L::field(options, 0, i, count), strike = L::field(options, 1, i, count);
    float years = L::field(options, 2, i, count), deviation = volatility * sqrtf(years);
    float far = (__logf(spot / strike) + rate * years) / deviation + 0.5f * deviation;
    float owned = 0.5f * erfcf(-0.70710678f * far);
    float exercised = 0.5f * erfcf(-0.70710678f * (far - deviation));
    values[i] = spot * owned - strike * __expf(-rate * years) * exercised;
}
"""


class PortfolioError(ValueError):
    """Options that have no value by the formula."""


def values(
    options: NDArray[np.float32],
    rate: float,
    volatility: float,
    there: NDArray[np.bool_] | None = None,
    *,
    layout: str = "soa",
    flags: str = "all",
    engine: str = "simt",
) -> NDArray[np.float32]:
    """The values of calls; ``options`` has their spots, strikes and years by field. Those that are
    not ``there`` have the value 0. Raises PortfolioError, EngineError."""
    numbers = np.asarray(options, np.float32)
    if numbers.ndim != 2 or len(numbers) != len(FIELDS) or not 1 <= numbers.shape[1] <= MOST:
        raise PortfolioError(f"options of shape {numbers.shape}, expected 3 rows: {FIELDS}")
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise PortfolioError("spots, strikes and years: expected positive numbers")
    count = numbers.shape[1]
    mask = np.ones(count, bool) if there is None else np.asarray(there, bool)
    if mask.shape != (count,) or (flags == "all" and not mask.all()):
        raise PortfolioError(f"flags {flags!r}: expected one of holes, bits, and {count} of them")
    made = kernel(layout, flags)
    launch = made.contract.launch(count=count, rate=rate, volatility=volatility)
    contents = {"options": stored(numbers, layout), "flags": flagged(mask, flags)}
    return np.asarray(engines.engine(engine)(made.ptx(), launch, contents)["values"])


def kernel(layout: str, flags: str) -> EmittedKernel:
    """The kernel for options of a layout, with flags. Raises PortfolioError."""
    if layout not in ("aos", "soa") or flags not in FLAGS:
        raise PortfolioError(
            f"no layout {layout!r} with flags {flags!r}; there are aos, soa; {', '.join(FLAGS)}"
        )
    reader, words = FLAGS[flags]
    laid = structures(layout, len(FIELDS))
    contract = KernelContract(
        f"portfolio_{layout}_{flags}",
        {
            "values": GlobalArray(np.float32, "count"),
            "options": GlobalArray(np.float32, f"{len(FIELDS)}*count", const=True, layout=laid),
            "flags": GlobalArray(np.uint32, words, const=True),
            "count": Scalar(np.uint32, 1, MOST),
            "rate": Scalar(np.float32, -10.0, 10.0),
            "volatility": Scalar(np.float32, 1e-3, 10.0),
        },
        (BLOCK,),
        ("count",),
    )
    imports = {"L": records(layout, len(FIELDS)), "F": reader}
    body = Fragment("portfolio", __file__, _VALUES, imports)
    return EmittedKernel(body, contract, f"Calls by the formula: {layout}, flags: {flags}.")


def kernels() -> tuple[EmittedKernel, ...]:
    """The kernels that are shipped: a structure of arrays with each kind of flags."""
    return tuple(kernel("soa", flags) for flags in FLAGS)
