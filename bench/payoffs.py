"""How long a payoff takes: emission, assembly, lint, and simulation on the interpreter.

    python -m bench.payoffs

Times are processor times in milliseconds, best of three, so other work on the machine counts
little. The payoff is the count of dates above a level and the greatest price, as folds and written
out date by date. Written out, it is compared with CUDA C in which the dates are written out as
well, compiled by NVRTC; assembly is by `ptxas`, where it is found.
"""

from __future__ import annotations

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


def simulation() -> None:
    print("\n| payoff | price | million path-steps a second |")
    print("| --- | --- | --- |")
    for name, payoff, model, steps in (
        ("Asian put, 12 dates", products.asian_put(100, dates(12)), ONE, 12),
        ("Asian put, 252 dates", products.asian_put(100, dates(252)), ONE, 252),
        ("put on the mean of 3 assets, 12 dates", basket(12), THREE, 12),
    ):
        paths = 100_000
        seconds = 1e-3 * best(lambda: price(payoff, model, paths=paths))  # noqa: B023
        found = price(payoff, model, paths=paths)
        print(f"| {name} | {found} | {paths * steps / seconds / 1e6:.1f} ({seconds:.2f} s) |")


def linted() -> None:
    print("\n| payoff | lint, s of processor |")
    print("| --- | --- |")
    for count in (12, 252):
        kernel = payoff_program(basket(count), THREE).kernel()
        seconds = 1e-3 * best(lambda: lint(kernel))  # noqa: B023
        print(f"| 3 assets, {count} dates | {seconds:.2f} (exit {lint(kernel)[0]}) |")


if __name__ == "__main__":
    emission()
    simulation()
    linted()
