"""The picture of a price that converges: SVG text, which needs no library to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 15, 15, 45
TICKS: Final = 5

Point = tuple[int, float, float, float]
"""A number of paths, the price from them, and the ends of its interval."""


def convergence_picture(points: Sequence[Point]) -> str:
    """The running price as a line, its interval as a band, the last price as a dashed line."""
    paths = [float(point[0]) for point in points] or [0.0, 1.0]
    spread = [end for _, price, low, high in points for end in (price, low, high)]
    spread = sorted(spread) or [0.0, 1.0]
    # The band of the first points is wide: the axis holds nine tenths of all ends.
    least, most = spread[len(spread) // 20], spread[-1 - len(spread) // 20]
    if most <= least:
        least, most = least - 0.5, most + 0.5
    across, up = (
        _Axis(0.0, max(paths), LEFT, WIDTH - RIGHT),
        _Axis(least, most, HEIGHT - BOTTOM, TOP),
    )
    low = [f"{across.at(n):.1f},{up.at(low):.1f}" for n, _, low, _ in points]
    high = [f"{across.at(n):.1f},{up.at(high):.1f}" for n, _, _, high in points]
    line = [f"{across.at(n):.1f},{up.at(price):.1f}" for n, price, _, _ in points]
    last = f"{up.at(points[-1][1]):.1f}" if points else f"{up.at(least):.1f}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        "<title>Running price and its interval of 95 %, by the number of paths</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<polygon points="{" ".join([*high, *reversed(low)])}" fill="#c6dbef"/>',
        f'<polyline points="{" ".join(line)}" fill="none" stroke="#08519c" stroke-width="1.5"/>',
        f'<path d="M{LEFT} {last}H{WIDTH - RIGHT}" stroke="#444" stroke-dasharray="4 3"/>',
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="black"/>',
        *(_text(across.at(n), HEIGHT - BOTTOM + 18, "middle", f"{n:g}") for n in across.ticks()),
        *(_text(LEFT - 6, up.at(p) + 4, "end", f"{p:g}") for p in up.ticks()),
        _text(WIDTH / 2, HEIGHT - 8, "middle", "paths"),
        "</svg>", "",
    ])  # fmt: skip


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


class _Axis:
    """Values from ``low`` to ``high``, at places from one to another; others are cut there."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value: float) -> float:
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values, about so many."""
        rough = (self.high - self.low) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1.0, 2.0, 5.0, 10.0) if s * power >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [round(k * step, 12) for k in range(first, last + 1)]
