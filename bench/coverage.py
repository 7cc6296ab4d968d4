"""How often the 99 % interval of a price holds the price, over 200 seeds.

    python -m bench.coverage [SEEDS]

A right interval misses about one seed in a hundred; z is the distance from the reference in
standard errors, with mean 0 and deviation 1.
"""

from __future__ import annotations

import sys
from statistics import mean, stdev

from pricing_kernels.payoffs import S, black_scholes, bridge, dates, maximum, price, products
from tests.payoffs.closed_forms import digital_call, down_and_out_put, lookback_put

PATHS = 20_000
ONE = black_scholes(100, 0.03, 0.3)
EVEREST = black_scholes([100.0] * 12, 0.03, 0.3, correlation=0.5)
T = dates(12)
CASES = (
    ("put", products.put(100), ONE, 1.0, 10.3278618),
    ("put, by a bridge", products.put(100), bridge(ONE), 1.0, 10.3278618),
    ("digital", products.digital_call(110), ONE, 1.0, digital_call(100, 110, 0.03, 0.3, 1.0)),
    ("barrier, 12", products.down_and_out_put(100, 80, T), ONE, 1.0,
     down_and_out_put(100, 100, 80, 0.03, 0.3, 12)),
    ("lookback, 12", products.lookback_put(T), ONE, 1.0, lookback_put(100, 0.03, 0.3, 12)),
    ("lookback, 12, of stored paths", maximum(T, lambda t: S(0, t) - S(0, 1.0)), ONE, 1.0,
     lookback_put(100, 0.03, 0.3, 12)),
    ("arithmetic Asian, 12", products.asian_put(100, T), ONE, 1.0, 6.4118608),
    ("geometric Asian, 50", products.geometric_asian_put(100, dates(50)), ONE, 1.0, 6.4506399),
    ("Everest, correlation 0.5", products.everest(), EVEREST, 10.0, 1.027659),
)  # fmt: skip


def main(seeds: int) -> None:
    print(f"| {seeds} seeds of {PATHS} paths | inside of 99 % | mean z | deviation of z |")
    print("| --- | --- | --- | --- |")
    for name, payoff, model, maturity, exact in CASES:
        inside, distances = 0, []
        for seed in range(seeds):
            found = price(payoff, model, maturity, paths=PATHS, seed=seed)
            low, high = found.interval(0.99)
            inside += low <= exact <= high
            distances.append((found.price - exact) / found.stderr)
        figures = f"{inside} | {mean(distances):+.2f} | {stdev(distances):.2f}"
        print(f"| {name} | {figures} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
