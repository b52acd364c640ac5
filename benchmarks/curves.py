"""Several curves in one drawing, as SVG files beside the CSV files: both axes begin at 0."""

from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN, LEGEND = 640, 400, 60, 22
COLORS = ("#0a7d7d", "#b5530e", "#5b6ee1", "#7a7a7a", "#a8324a")


def curves(path: Path, title: str, x_name: str, y_name: str, lines: dict[str, dict[float, float]]) -> None:
    """Draw each line in its color, with its name beside the drawing; all have the same x."""
    xs = sorted({x for line in lines.values() for x in line})
    across = (WIDTH - 2 * MARGIN) / max(xs)
    down = (HEIGHT - 2 * MARGIN) / max(y for line in lines.values() for y in line.values())
    parts = [_line(line, color, across, down) for line, color in zip(lines.values(), COLORS, strict=False)]
    names = [
        f'<text x="{MARGIN + 12}" y="{MARGIN + LEGEND * place}" fill="{color}">{escape(name)}</text>'
        for place, (name, color) in enumerate(zip(lines, COLORS, strict=False))
    ]
    marks = [_mark(MARGIN + x * across, HEIGHT - MARGIN + 20, f"{x:g}") for x in xs]
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
        f"{_mark(WIDTH / 2, 24, title)}{_mark(WIDTH / 2, HEIGHT - 14, x_name)}{_mark(MARGIN, MARGIN - 14, y_name)}"
        f'<path d="M{MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}" fill="none" stroke="#888"/>'
        f"{''.join(marks + parts + names)}</svg>\n",
        encoding="utf-8",
    )


def _line(points: dict[float, float], color: str, across: float, down: float) -> str:
    places = [(MARGIN + x * across, HEIGHT - MARGIN - y * down) for x, y in sorted(points.items())]
    dots = "".join(
        f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3" fill="{color}"/>{_mark(left, top - 8, f"{y:.3g}")}'
        for (left, top), (_, y) in zip(places, sorted(points.items()), strict=True)
    )
    route = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
    return f'<polyline points="{route}" fill="none" stroke="{color}" stroke-width="2"/>{dots}'


def _mark(left: float, top: float, words: str) -> str:
    return f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="middle">{escape(words)}</text>'
