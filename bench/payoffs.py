"""How long a payoff takes: emission, assembly, lint, and simulation on the interpreter.

    python -m bench.payoffs

Times are processor times in milliseconds, best of three, so other work on the machine counts
little. The payoff is the count of dates above a level and the greatest price, as folds and written
out date by date. Written out, it is compared with CUDA C in which the dates are written out as
well, compiled by NVRTC; assembly is by `ptxas`, where it is found, and simulation is beside
QuantLib's, where that is installed.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pricing_kernels.build import BuildError, compile_ptx
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import (
    Expression,
    S,
    assets,
    black_scholes,
    dates,
    maximum,
    price,
    products,
    sum,
    where,
)
from pricing_kernels.payoffs.kernels import payoff_program
from ptxlint.checker import check
from ptxlint.options import Options
from ptxlint.source import Source

PATHS = 100_000
COUNTS = (50, 252, 1000, 4000)
MOST_UNROLLED = 1000  # of CUDA C: more takes minutes
ONE = black_scholes(100, 0.03, 0.3)
THREE = black_scholes([100.0, 90.0, 110.0], 0.03, 0.3, correlation=0.5)


def folded(count: int) -> Expression:
    over = dates(count)
    above = sum(over, lambda t: where(S(0, t) > 100, 1, 0))
    return above + maximum(over, lambda t: S(0, t))


def written_out(count: int) -> Expression:
    last = S(0, 1 / count)
    above, most = where(last > 100, 1, 0), last
    for k in range(2, count + 1):
        last = S(0, k / count)
        above, most = where(last > 100, above + 1, above), maximum(most, last)
    return above + most


def basket(count: int) -> Expression:
    """An Asian put on the mean of three assets."""
    mean = sum(dates(count), lambda t: sum(assets(3), lambda a: S(a, t))) / (3 * count)
    return maximum(100 - mean, 0)


def unrolled_cuda(count: int) -> str:
    """The same in CUDA C with every date written out; prices come from memory."""
    steps = "\n".join(
        f"    x = prices[{k}u * paths + path]; above += x > 100.0f; most = fmaxf(most, x);"
        for k in range(count)
    )
    return f"""
extern "C" __global__ void pay(const float* prices, float* payoffs, unsigned paths)
{{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float x, most = 0.0f;
    int above = 0;
{steps}
    payoffs[path] = above + most;
}}
"""


def used() -> float:
    """The processor time of this process and of its finished children, in seconds."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def best(action: Callable[[], object], turns: int = 3) -> float:
    """The least processor time of some turns, in milliseconds."""
    seconds = []
    for _ in range(turns):
        start = used()
        action()
        seconds.append(used() - start)
    return 1e3 * min(seconds)


def assembled(ptx: str) -> float | None:
    """The time of ptxas for a text; None where there is no ptxas."""
    if shutil.which("ptxas") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ptx")
        path.write_text(ptx)
        command = ["ptxas", "-arch=sm_90", "-o", str(path.with_suffix(".cubin")), str(path)]
        return best(lambda: subprocess.run(command, check=True))


def shown(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:.1f}"


def emission() -> None:
    print("| dates | payoff | emit, ms | ptxas, ms | unrolled CUDA C: NVRTC, ms | its ptxas, ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for count in COUNTS:
        for payoff, model in ((folded, ONE), (written_out, ONE), (basket, THREE)):
            made = payoff_program(payoff(count), model).kernel().ptx()
            ours = best(lambda: payoff_program(payoff(count), model).kernel().ptx())  # noqa: B023
            compiled = after = None
            if payoff is written_out and count <= MOST_UNROLLED:
                try:
                    text = unrolled_cuda(count)
                    compiled = best(lambda: compile_ptx(text, "unrolled.cu"), 1)  # noqa: B023
                    after = assembled(compile_ptx(text, "unrolled.cu"))
                except BuildError as error:
                    print(error)
            figures = " | ".join(map(shown, (ours, assembled(made), compiled, after)))
            print(f"| {count} | {payoff.__name__} | {figures} |", flush=True)


def by_quantlib(count: int) -> Callable[[], object] | None:
    """The Asian put by QuantLib's Monte Carlo engine; None where there is no QuantLib."""
    try:
        import QuantLib as ql  # noqa: N813
    except ImportError:
        return None
    today, years = ql.Date(1, 1, 2026), ql.Actual365Fixed()
    ql.Settings.instance().evaluationDate = today
    volatility = ql.BlackConstantVol(today, ql.NullCalendar(), 0.3, years)
    process = ql.BlackScholesProcess(
        ql.QuoteHandle(ql.SimpleQuote(100.0)),
        ql.YieldTermStructureHandle(ql.FlatForward(today, 0.03, years)),
        ql.BlackVolTermStructureHandle(volatility),
    )
    fixings = [today + round(365 * (k + 1) / count) for k in range(count)]
    put = ql.PlainVanillaPayoff(ql.Option.Put, 100.0)
    option = ql.DiscreteAveragingAsianOption(
        ql.Average.Arithmetic, 0.0, 0, fixings, put, ql.EuropeanExercise(fixings[-1])
    )

    def run() -> float:
        engine = ql.MCDiscreteArithmeticAPEngine(
            process, "PseudoRandom", antitheticVariate=False, controlVariate=False,
            requiredSamples=PATHS, seed=42,
        )  # fmt: skip
        option.setPricingEngine(engine)
        return float(option.NPV())

    return run


def simulation() -> None:
    """Ours and QuantLib's in turns, so that other work on the machine slows both."""
    print("\n| payoff | price | million path-steps a second | QuantLib's | ratio |")
    print("| --- | --- | --- | --- | --- |")
    asians = ((n, products.asian_put(100, dates(n)), ONE) for n in (12, 50, 252))
    for count, payoff, model in (*asians, (12, basket(12), THREE)):
        found, other = price(payoff, model, paths=PATHS), None
        theirs = by_quantlib(count) if model is ONE else None
        ours = math.inf
        for _ in range(7):
            ours = min(ours, best(lambda: price(payoff, model, paths=PATHS), 1))  # noqa: B023
            if theirs:
                other = min(other or math.inf, best(theirs, 1))
        steps = 1e-3 * PATHS * count
        name = f"{len(model.assets)} assets, {count} dates ({1e-3 * ours:.2f} s)"
        compared = f"{steps / other:.1f} | {other / ours:.1f}" if other else "- | -"
        print(f"| {name} | {found} | {steps / ours:.1f} | {compared} |", flush=True)


def linted() -> None:
    """Every launch of the contract, and with the search for races in two launches."""
    print("\n| payoff | every launch, s | and races in two, s |")
    print("| --- | --- | --- |")
    for count in (12, 252):
        kernel = payoff_program(basket(count), THREE).kernel()
        source = Source("kernel.ptx", kernel.ptx())
        options = Options(contracts=(kernel.contract.declared(),))
        alone = 1e-3 * best(lambda: check([source], options), 5)  # noqa: B023
        seconds = 1e-3 * best(lambda: lint(kernel), 5)  # noqa: B023
        code = lint(kernel, require=["bounds", "alignment", "spaces", "barriers"])[0]
        print(f"| 3 assets, {count} dates | {alone:.2f} | {seconds:.2f} (exit {code}) |")


if __name__ == "__main__":
    emission()
    simulation()
    linted()
