"""Several curves in one drawing, as SVG files next to the CSV files: both axes begin at 0."""

from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN, LEGEND, NAMES = 640, 400, 60, 22, 220
COLORS = ("#0a7d7d", "#b5530e", "#5b6ee1", "#7a7a7a", "#a8324a")


def curves(path: Path, title: str, x_name: str, y_name: str, lines: dict[str, dict[float, float]]) -> None:
    """Draw each line in its color, with its name next to the drawing; all have the same x."""
    xs = sorted({x for line in lines.values() for x in line})
    heights = _heights(max(y for line in lines.values() for y in line.values()))
    across, down = (WIDTH - 2 * MARGIN) / max(xs), (HEIGHT - 2 * MARGIN) / heights[-1]
    parts = [_line(line, color, across, down) for line, color in zip(lines.values(), COLORS, strict=False)]
    names = [
        f'<text x="{WIDTH - MARGIN + 16}" y="{MARGIN + 4 + LEGEND * place}" fill="{color}">{escape(name)}</text>'
        for place, (name, color) in enumerate(zip(lines, COLORS, strict=False))
    ]
    marks = [_mark(MARGIN + x * across, HEIGHT - MARGIN + 20, f"{x:g}") for x in xs]
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH - MARGIN + NAMES} {HEIGHT}" '
        'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>'
        f"{_mark(WIDTH / 2, 24, title)}{_mark(WIDTH / 2, HEIGHT - 14, x_name)}{_mark(MARGIN, MARGIN - 14, y_name)}"
        f"{''.join(_level(y, down) for y in heights)}{''.join(marks + parts + names)}</svg>\n",
        encoding="utf-8",
    )


def _heights(highest: float) -> list[float]:
    """Return four to nine round numbers from 0 to at least the highest."""
    step = 10.0 ** floor(log10(highest))
    step = next(one for one in (step / 5, step / 2, step, step * 2) if highest / one <= 8)
    return [place * step for place in range(ceil(highest / step) + 1)]


def _level(y: float, down: float) -> str:
    top = HEIGHT - MARGIN - y * down
    line = f'<path d="M{MARGIN} {top:.1f}H{WIDTH - MARGIN}" stroke="{"#888" if y == 0 else "#ddd"}"/>'
    return f'{line}<text x="{MARGIN - 8}" y="{top + 4:.1f}" text-anchor="end">{y:.3g}</text>'


def _line(points: dict[float, float], color: str, across: float, down: float) -> str:
    places = [(MARGIN + x * across, HEIGHT - MARGIN - y * down) for x, y in sorted(points.items())]
    dots = "".join(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3" fill="{color}"/>' for left, top in places)
    route = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
    return f'<polyline points="{route}" fill="none" stroke="{color}" stroke-width="2"/>{dots}'


def _mark(left: float, top: float, words: str) -> str:
    return f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="middle">{escape(words)}</text>'
