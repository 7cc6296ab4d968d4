"""Normal numbers: those of numpy up to the device's approximate functions, of the normal law, with
the tails that are stated; and the exchange that needs a barrier which the thesis leaves out."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from pricing_kernels import normal
from pricing_kernels.build import BuildError, cached_ptx
from pricing_kernels.engines import EngineError, simt
from pricing_kernels.normal import METHODS, Method
from pricing_kernels.rng import lcg_mersenne, philox, sobol, xorwow
from pricing_kernels.rng.generator import Generator, Words

from . import engine

STREAMS, COUNT = 128, 800
EXTREMES = np.array([0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1], np.uint32)
LAW = NormalDist()
LOGARITHM = 2.2e-7  # twice the error of a device's approximate ln u where u is near 1

each = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


def words(generator: Generator, state: Words, count: int) -> tuple[Words, Words]:
    numbers, after = generator.generate(state, count)
    return numbers << np.uint32(32 - generator.bits), after


@each
@pytest.mark.parametrize("module", [philox, lcg_mersenne, xorwow], ids=lambda m: m.__name__[20:])
def test_a_kernel_makes_the_normal_numbers_of_numpy(method: Method, module: object) -> None:
    generator: Generator = module.GENERATOR  # type: ignore[attr-defined]
    kernel, before = method.kernel(generator), generator.start(7, STREAMS)
    try:
        ptx = kernel.ptx()
    except BuildError as error:
        pytest.skip(str(error))
    launch = kernel.contract.launch(streams=STREAMS, count=COUNT)
    results = engine.run(ptx, launch, {"state": before})
    uniform, after = words(generator, before, COUNT)
    assert np.array_equal(results["state"], after.ravel())
    z = results["numbers"].reshape(COUNT, STREAMS)
    wanted = method.of_words(uniform)
    on_device = LOGARITHM if engine.NAME == "cupy" else 0.0
    most = 2e-6 + on_device / np.maximum(abs(wanted), math.sqrt(LOGARITHM))
    assert (abs(z - wanted) <= most).all()


@each
def test_numbers_have_the_normal_law(method: Method) -> None:
    """The distance of Kolmogorov and Smirnov: above 1.95 / sqrt(n) in 1 of 1000 cases."""
    uniform, _ = words(philox.GENERATOR, philox.GENERATOR.start(3, 256), 400)
    z = np.sort(method.of_words(uniform).astype(np.float64).ravel())
    law = np.array([LAW.cdf(x) for x in z])
    steps = np.arange(z.size + 1) / z.size
    distance = max((steps[1:] - law).max(), (law - steps[:-1]).max())
    assert distance * math.sqrt(z.size) < 1.95
    assert abs((z**4).mean() - 3) < 4 * math.sqrt(96 / z.size)


@each
def test_neighbours_are_not_correlated(method: Method) -> None:
    """The two numbers of a pair, and the numbers of a stream after each other."""
    uniform, _ = words(philox.GENERATOR, philox.GENERATOR.start(4, 256), 400)
    z = method.of_words(uniform).astype(np.float64)
    for a, b in ((z[:, 0::2], z[:, 1::2]), (z[0::2], z[1::2])):
        assert abs((a * b).mean()) * math.sqrt(a.size) < 4
        assert abs((a**2 * b**2).mean() - 1) * math.sqrt(a.size / 8) < 4


def test_the_tails_end_where_it_is_said() -> None:
    r = normal.radius(EXTREMES)
    assert (
        r[0]
        == pytest.approx(math.sqrt(66 * math.log(2)), rel=1e-6)
        == pytest.approx(6.76, abs=4e-3)
    )
    assert r[-1] == 0 and np.isfinite(r).all()
    assert normal.radius(np.array([2**32 - 2**8], np.uint32))[0] == pytest.approx(3.5e-4, rel=0.02)
    z = normal.inverse(EXTREMES)
    assert z[-1] == -z[0] == pytest.approx(6.34, abs=3e-3)


def test_the_tail_of_the_thesis_ends_earlier() -> None:
    """u = (r + 1) 2^-31 for 31 bits."""
    assert math.sqrt(-2 * math.log(2.0**-31)) == pytest.approx(6.56, abs=5e-3)


def test_the_inverse_is_the_quantile_and_increases() -> None:
    near_the_ends = np.array([2**k + d for k in range(32) for d in (-1, 0, 1)], np.uint32)
    uniform = np.unique(
        np.concatenate(
            [
                near_the_ends,
                ~near_the_ends,
                philox.philox(np.arange(8000, dtype=np.uint32).reshape(-1, 4), (1, 2)).ravel(),
            ]
        )
    )
    z = normal.inverse(uniform)
    exact = [LAW.inv_cdf((int(word) + 0.5) / 2**32) for word in uniform]
    np.testing.assert_allclose(z, exact, rtol=4e-7, atol=3e-7)
    assert (np.diff(z) >= -5e-7).all()


def test_a_quasi_random_mean_is_better_than_chance() -> None:
    """Of the integral of exp(z - 1/2), which is 1: five times nearer than a standard error."""
    points = sobol.GENERATOR.numbers(1, 1, 2**14 - 1)[:, 0]
    error = abs(np.exp(normal.inverse(points).astype(np.float64) - 0.5).mean() - 1)
    assert error < 0.2 * math.sqrt((math.e - 1) / 2**14)


@pytest.mark.parametrize(
    ("method", "change", "said"),
    [
        (normal.SHARED, ("", ""), ""),
        (normal.SHUFFLE, ("", ""), ""),
        (normal.SHARED, ("    __syncwarp();\n    float other", "    float other"), "race"),
        (normal.SHARED, ("    __syncwarp();\n    return", "    return"), "race"),
    ],
    ids=["shared", "shuffle", "no barrier after the write", "no barrier after the read"],
)
def test_the_exchange_of_a_pair_needs_both_barriers(
    method: Method, change: tuple[str, str], said: str
) -> None:
    kernel = method.kernel(xorwow.GENERATOR)
    text = kernel.cuda(lines=False)
    assert change[0] in text
    try:
        ptx = cached_ptx(text.replace(*change), "pair.cu")
    except BuildError as error:
        pytest.skip(str(error))
    launch = kernel.contract.launch(streams=64, count=4)
    contents = {"state": xorwow.GENERATOR.start(1, 64)}
    if not said:
        simt.run(ptx, launch, contents, checks=frozenset({"race"}))
        return
    with pytest.raises(EngineError, match=said):
        simt.run(ptx, launch, contents, checks=frozenset({"race"}))
