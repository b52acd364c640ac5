"""Curves on logarithmic axes, as SVG files next to the CSV files."""

from itertools import cycle
from math import log10
from pathlib import Path
from statistics import linear_regression
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 640, 400, 60
COLORS = (
    "#0a7d7d",
    "#c2571a",
    "#5b4b9a",
    "#a8324a",
    "#3f7d20",
    "#b8860b",
    "#1f6fb2",
    "#7a4a2b",
    "#555555",
    "#c04fa0",
)

Points = dict[float, float]
"""What grows → seconds."""


def plot(path: Path, title: str, x_name: str, points: Points) -> None:
    """Draw seconds over what grows, both on logarithmic axes."""
    frame = _Frame([points])
    texts = "".join(
        f'<text x="{frame.left(x):.1f}" y="{frame.top(y) - 10:.1f}" text-anchor="middle">{y:.3g} s</text>'
        for x, y in points.items()
    )
    _write(path, title, x_name, frame, _line(frame, points, COLORS[0]) + texts)


def plot_curves(path: Path, title: str, x_name: str, curves: dict[str, Points]) -> None:
    """Draw several curves, each with its name and exponent."""
    frame = _Frame(list(curves.values()), right=200)
    drawn = ""
    tops = _apart([frame.top(list(points.values())[-1]) for points in curves.values()])
    for (name, points), color, top in zip(curves.items(), cycle(COLORS), tops, strict=False):
        drawn += _line(frame, points, color) + _name(frame, f"{name}: n^{exponent(points):.2f}", points, color, top)
    _write(path, title, x_name, frame, drawn)


def exponent(points: Points) -> float:
    """Return the power of what grows that fits the seconds best: the slope on logarithmic axes."""
    return linear_regression([log10(x) for x in points], [log10(y) for y in points.values()]).slope


class _Frame:
    """Where points lie in the picture."""

    def __init__(self, curves: list[Points], right: int = 0) -> None:
        xs, ys = [log10(x) for curve in curves for x in curve], [log10(y) for curve in curves for y in curve.values()]
        self.ticks = sorted({x for curve in curves for x in curve})
        self.xs, self.ys, self.right = (min(xs), max(xs)), (min(ys), max(ys)), right

    def left(self, x: float) -> float:
        return _place(log10(x), self.xs, MARGIN, WIDTH - MARGIN)

    def top(self, y: float) -> float:
        return _place(log10(y), self.ys, HEIGHT - MARGIN, MARGIN)


def _place(value: float, ends: tuple[float, float], start: float, end: float) -> float:
    low, high = ends
    return start + (end - start) * (value - low) / (high - low) if high > low else (start + end) / 2


def _apart(tops: list[float], least: float = 13) -> list[float]:
    """Return heights near the given ones, so far apart that names do not cover each other."""
    moved = dict(enumerate(tops))
    before = float("-inf")
    for place in sorted(moved, key=lambda place: moved[place]):
        before = moved[place] = max(moved[place], before + least)
    return [moved[place] for place in range(len(tops))]


def _name(frame: _Frame, name: str, points: Points, color: str, top: float) -> str:
    end = frame.left(max(points))
    line = f'<line x1="{end}" y1="{frame.top(points[max(points)]):.1f}" x2="{WIDTH - MARGIN + 10}" y2="{top:.1f}" '
    text = f'<text x="{WIDTH - MARGIN + 14}" y="{top + 4:.1f}" fill="{color}">{escape(name)}</text>'
    return f'{line} stroke="{color}" stroke-dasharray="2 3"/>{text}'


def _line(frame: _Frame, points: Points, color: str) -> str:
    places = [(frame.left(x), frame.top(y)) for x, y in points.items()]
    dots = "".join(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3" fill="{color}"/>' for left, top in places)
    line = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
    return f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>{dots}'


def _write(path: Path, title: str, x_name: str, frame: _Frame, drawn: str) -> None:
    ticks = "".join(
        f'<text x="{frame.left(x):.1f}" y="{HEIGHT - MARGIN + 20}" text-anchor="middle">{x:,.0f}</text>'
        for x in frame.ticks
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + frame.right} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="15">{escape(title)}</text>'
        f'{drawn}{ticks}<text x="{WIDTH / 2}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_name)}</text></svg>\n',
        encoding="utf-8",
    )
