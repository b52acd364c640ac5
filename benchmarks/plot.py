"""Curves on logarithmic axes, as SVG files beside the CSV files."""

from math import log10
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 640, 400, 60


def plot(path: Path, title: str, x_name: str, points: dict[float, float]) -> None:
    """Draw seconds over what grows, both on logarithmic axes."""
    xs, ys = [log10(x) for x in points], [log10(y) for y in points.values()]
    places = [
        (_place(x, xs, MARGIN, WIDTH - MARGIN), _place(y, ys, HEIGHT - MARGIN, MARGIN))
        for x, y in zip(xs, ys, strict=True)
    ]
    dots = "".join(
        f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4"/>'
        f'<text x="{left:.1f}" y="{top - 10:.1f}" text-anchor="middle">{seconds:.3g} s</text>'
        f'<text x="{left:.1f}" y="{HEIGHT - MARGIN + 20}" text-anchor="middle">{x:,.0f}</text>'
        for (left, top), (x, seconds) in zip(places, points.items(), strict=True)
    )
    line = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="15">{escape(title)}</text>'
        f'<polyline points="{line}" fill="none" stroke="#0a7d7d" stroke-width="2"/>{dots}'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_name)}</text></svg>\n',
        encoding="utf-8",
    )


def _place(value: float, values: list[float], start: float, end: float) -> float:
    low, high = min(values), max(values)
    return start + (end - start) * (value - low) / (high - low) if high > low else (start + end) / 2
