"""A payoff from the idea to proved PTX, cell by cell: `python docs/examples/payoff.py`.

Editors that know ``# %%`` run it as a notebook. It takes seconds, and needs neither a GPU nor a
compiler.
"""

# %% The idea: a put on the mean of two assets, alive while the first one stays above a barrier.
from pathlib import Path
from tempfile import mkdtemp

from pricing_kernels.lint import lint
from pricing_kernels.payoffs import (
    PayoffError,
    S,
    assets,
    black_scholes,
    dates,
    maximum,
    mean,
    price,
    product,
    where,
)
from pricing_kernels.payoffs.greeks import delta, pathwise_delta
from pricing_kernels.payoffs.kernels import payoff_program
from pricing_kernels.payoffs.variance import antithetic

T = dates(12)
alive = product(T, lambda t: where(S(0, t) > 80, 1, 0))
average = mean(T, lambda t: mean(assets(2), lambda a: S(a, t)))
put = maximum(100 - average, 0)
payoff = alive * put

# %% A market, and the price with its standard error.
market = black_scholes([100, 95], rate=0.03, volatility=[0.2, 0.3], correlation=0.5)
found = price(payoff, market, maturity=1.0, paths=100_000)
low, high = found.interval(0.99)
print(f"price            {found}, 99 %: {low:.3f} to {high:.3f}")

# %% How it converged, as a picture.
folder = Path(mkdtemp())
found.plot(folder / "convergence.svg")
print(f"picture          {len(found.running)} prices in convergence.svg")

# %% The same error from fewer paths.
print(f"mirrored paths   {price(*antithetic(payoff, market), paths=20_000)}")
print(f"plain            {price(payoff, market, paths=20_000)}")

# %% Greeks: by bumps; by paths, where the payoff does not jump.
print(f"delta by bumps   {price(*delta(payoff, market), paths=20_000)}")
print(f"delta by paths   {price(*pathwise_delta(put, market), paths=20_000)} (no barrier)")
try:
    pathwise_delta(payoff, market)
except PayoffError as error:
    print(f"refused          {error.message}")

# %% What runs: PTX, with lines that lead to this file, proved for every launch.
kernel = payoff_program(payoff, market).kernel()
(folder / "payoff.ptx").write_text(kernel.ptx())
code, report = lint(kernel)
print(f"kernel           {len(kernel.ptx().splitlines())} lines of PTX, lint exits with {code}")
print(next(line for line in report.splitlines() if line.startswith("proved")))
