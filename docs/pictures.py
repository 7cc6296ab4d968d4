"""The pictures of the documentation, as SVG: ``python docs/generate.py`` writes them."""

from __future__ import annotations

from collections.abc import Iterable

INK, PAPER, LINE = "#1f2933", "#ffffff", "#9aa5b1"
GOOD, BAD, OPEN = "#2f855a", "#c53030", "#a0aec0"
BANKS = 32
CELL = 8


def svg(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    style = f"font-family:system-ui,sans-serif;font-size:13px;fill:{INK}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img" style="{style}">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def label(x: float, y: float, text: str, anchor: str = "middle", weight: str = "normal") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{text}</text>'


# --- from text to findings


def box(x: int, y: int, width: int, lines: tuple[str, ...]) -> Iterable[str]:
    height = 18 * len(lines) + 14
    yield (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="none"'
        f' stroke="{LINE}"/>'
    )
    for number, line in enumerate(lines):
        weight = "normal" if number else "bold"
        yield label(x + width / 2, y + 22 + 18 * number, line, weight=weight)


def arrow(*points: tuple[int, int]) -> str:
    path = "L".join(f"{x} {y}" for x, y in points)
    return f'<path d="M{path}" stroke="{INK}" fill="none" marker-end="url(#head)"/>'


def pipeline() -> str:
    head = (
        '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
    )
    parts = [
        head,
        *box(10, 60, 120, ("PTX", "text of kernels")),
        *box(165, 60, 130, ("SSA form", "one row for", "each instruction")),
        *box(330, 60, 140, ("facts", "values, addresses", "divergence, lanes", "barriers, races")),
        *box(505, 60, 125, ("rules", "a claim about", "an instruction")),
        *box(665, 10, 150, ("verdict", "proved, undecided,", "not checked")),
        *box(665, 110, 150, ("findings", "proved, or with", "a witness")),
        *box(330, 180, 140, ("contract", "declared launches")),
        *box(505, 180, 125, ("interpreter", "replays launches")),
        arrow((130, 85), (163, 85)),
        arrow((295, 85), (328, 85)),
        arrow((470, 85), (503, 85)),
        arrow((400, 60), (400, 35), (663, 35)),
        arrow((630, 100), (663, 130)),
        arrow((400, 180), (400, 148)),
        arrow((567, 128), (567, 178)),
        arrow((630, 195), (663, 165)),
    ]
    return svg(825, 240, "From PTX to findings", parts)


# --- what a word says about launches

WORDS = (
    ("proved", "safe in every allowed launch"),
    ("conditional", "safe where the printed condition holds"),
    ("undecided", "neither proved nor refuted"),
    ("finding: proved", "wrong in every allowed launch"),
    ("finding: witness", "wrong in one replayed launch"),
)
COLUMNS, ROWS = 12, 4


def dot(x: int, y: int, known: str) -> str:
    """A launch: safe, wrong, or not known. Shapes tell them apart without colours."""
    match known:
        case "safe":
            return f'<circle cx="{x}" cy="{y}" r="5" fill="{GOOD}"/>'
        case "wrong":
            return f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="{BAD}"/>'
    return f'<circle cx="{x}" cy="{y}" r="4.5" fill="none" stroke="{OPEN}"/>'


def known_of(word: str, column: int, row: int) -> str:
    match word:
        case "proved":
            return "safe"
        case "finding: proved":
            return "wrong"
        case "conditional":
            return "safe" if column < 7 else ""
        case "finding: witness":
            return "wrong" if (column, row) == (8, 1) else ""
    return ""


def certainty() -> str:
    parts = [label(20, 24, "Each mark is a launch that the declarations allow.", "start")]
    for number, (word, meaning) in enumerate(WORDS):
        y = 44 + 74 * number
        parts.append(label(250, y + 28, word, "start", "bold"))
        parts.append(label(250, y + 47, meaning, "start"))
        for row in range(ROWS):
            for column in range(COLUMNS):
                known = known_of(word, column, row)
                parts.append(dot(28 + 17 * column, y + 10 + 15 * row, known))
    below = 44 + 74 * len(WORDS) + 14
    for x, known in ((28, "safe"), (110, "wrong"), (200, "not known")):
        parts.append(dot(x, below - 4, known))
        parts.append(label(x + 12, below, known, "start"))
    return svg(560, below + 16, "What the words claim about the allowed launches", parts)


# --- banks


def heat(x: int, y: int, row: int) -> Iterable[str]:
    """The bank of each lane that reads one column of rows with so many words."""
    size = BANKS * CELL
    yield f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="none" stroke="{LINE}"/>'
    used = [lane * row % BANKS for lane in range(BANKS)]
    for lane, bank in enumerate(used):
        fill = BAD if used.count(bank) > 1 else GOOD
        at = f'x="{x + bank * CELL}" y="{y + lane * CELL}"'
        yield f'<rect {at} width="{CELL}" height="{CELL}" fill="{fill}"/>'
    wavefronts = max(used.count(bank) for bank in used)
    yield label(x + size / 2, y - 24, f"tile[32][{row}]", weight="bold")
    yield label(x + size / 2, y - 8, f"tile[threadIdx.x][0]: {wavefronts} wavefronts")
    yield label(x + size / 2, y + size + 18, "bank 0 to 31")
    yield (
        f'<text transform="translate({x - 8} {y + size / 2}) rotate(-90)" text-anchor="middle">'
        "lane 0 to 31</text>"
    )


def banks() -> str:
    parts = [*heat(40, 50, 32), *heat(350, 50, 33)]
    return svg(630, 340, "The lanes of a warp and the banks of shared memory", parts)


PICTURES = {"pipeline.svg": pipeline, "certainty.svg": certainty, "banks.svg": banks}
