"""Payoffs: written in Python, checked before anything runs, priced by kernels that are proved.

    from pricing_kernels.payoffs import S, black_scholes, dates, maximum, mean, price

    T = dates(12)                                           # 12 equal steps to the maturity
    asian = maximum(100 - mean(T, lambda t: S(0, t)), 0)
    price(asian, black_scholes(spot=100, rate=0.03, volatility=0.3), maturity=1.0)

After the thesis (its chapters II, V.3 and VI): ``language`` has expressions and folds, ``checks``
what is refused before anything runs, ``machine`` programs of three zones, ``models`` how prices
move, ``backends`` programs as numpy, PTX and CUDA C, ``simulation`` the kernels into which they go.
"""

from pricing_kernels.engines import EngineError
from pricing_kernels.payoffs.kernels import PayoffWarning
from pricing_kernels.payoffs.language.expression import Expression, PayoffError
from pricing_kernels.payoffs.language.folds import (
    array,
    by_date,
    fold,
    let,
    maximum,
    mean,
    minimum,
    product,
    sum,
)
from pricing_kernels.payoffs.language.functions import S, exp, log, sqrt, where
from pricing_kernels.payoffs.language.sets import assets, dates, times
from pricing_kernels.payoffs.machine.dynamics import ModelError
from pricing_kernels.payoffs.models.bridge import bridge
from pricing_kernels.payoffs.models.lognormal import black_scholes, euler
from pricing_kernels.payoffs.pricing import PayoffPrice, price

__all__ = [
    "EngineError",
    "Expression",
    "ModelError",
    "PayoffError",
    "PayoffPrice",
    "PayoffWarning",
    "S",
    "array",
    "assets",
    "black_scholes",
    "bridge",
    "by_date",
    "dates",
    "euler",
    "exp",
    "fold",
    "let",
    "log",
    "maximum",
    "mean",
    "minimum",
    "price",
    "product",
    "sqrt",
    "sum",
    "times",
    "where",
]
