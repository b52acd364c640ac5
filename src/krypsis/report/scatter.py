"""Scatter charts as inline SVG: points in a plane, the best of them joined by a line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from krypsis.report.charts import quoted, svg, xml

WIDTH, HEIGHT = 940, 460
LEFT, RIGHT, TOP, BOTTOM = 74, 24, 14, 52
SIZES = {"refused": 2.6, "node": 3.2, "frontier": 5.0, "best": 8.0}
"""The kinds of points in the order in which they are drawn, with their sizes."""
MOST_POINTS = 2500
"""More points than this are drawn one per cell of a grid."""


@dataclass(frozen=True)
class Point:
    """A point, with the words shown when the mouse rests on it."""

    x: float
    y: float
    kind: str
    title: str


@dataclass(frozen=True)
class Axis:
    """What an axis shows; on a logarithmic one every number is above 0."""

    title: str
    written: Callable[[float], str]
    most: float = math.inf
    """No number on the axis is larger."""
    logarithmic: bool = False

    def scale(self, numbers: Sequence[float], start: float, end: float) -> _Scale:
        """Return where numbers stand on the axis when it is drawn from ``start`` to ``end``."""
        values = [math.log10(number) if self.logarithmic else number for number in numbers] or [0.0, 1.0]
        low, high = min(values), max(values)
        room = (high - low) * 0.04 or 0.5 * (abs(high) or 1)
        low, high = low - room, high + room
        if not self.logarithmic and min(values) >= 0:
            low = max(low, 0.0)  # nothing is below 0 where no figure is
        return _Scale(low, high, start, end, self.logarithmic)


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, number: float) -> float:
        value = math.log10(number) if self.logarithmic else number
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return four to ten round numbers along the axis."""
        if not self.logarithmic:
            return _round_numbers(self.low, self.high)
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        factors = (1, 2, 5) if self.high - self.low < 3.5 else (1,)
        numbers = [factor * 10.0**power for power in powers for factor in factors]
        inside = [number for number in numbers if self.low <= math.log10(number) <= self.high]
        return inside if len(inside) > 1 else _round_numbers(10.0**self.low, 10.0**self.high)


def scatter(points: Sequence[Point], across: Axis, upwards: Axis, title: str) -> str:
    """Return a chart of points; those of kind ``frontier`` and ``best`` are joined by stairs.

    Examples
    --------
    >>> chart = scatter([Point(0.1, 0.5, "best", "<a>")], Axis("loss", str), Axis("risk", str), "Risk and loss")
    >>> "<title>&lt;a&gt;</title>" in chart, 'class="best"' in chart
    (True, True)
    """
    x = across.scale([point.x for point in points], LEFT, WIDTH - RIGHT)
    y = upwards.scale([point.y for point in points], HEIGHT - BOTTOM, TOP)
    front = sorted(
        (point for point in points if point.kind in ("frontier", "best")), key=lambda point: (point.x, -point.y)
    )
    drawn = sorted(_thinned(points, x, y), key=lambda point: list(SIZES).index(point.kind))
    parts = [*_grid(across, x, upwards, y), _stairs(front, x, y), *(_dot(point, x, y) for point in drawn)]
    return svg(parts, title, WIDTH, HEIGHT, kind="chart scatter")


def _dot(point: Point, x: _Scale, y: _Scale) -> str:
    across, down, size = x.at(point.x), y.at(point.y), SIZES[point.kind]
    words = f"<title>{xml(point.title)}</title>"
    if point.kind == "best":
        corners = f"M{across:.1f} {down - size:.1f}l{size} {size}l-{size} {size}l-{size} -{size}z"
        return f'<path class="best" d="{corners}">{words}</path>'
    return f'<circle class={quoted(point.kind)} cx="{across:.1f}" cy="{down:.1f}" r="{size}">{words}</circle>'


def _stairs(front: Sequence[Point], x: _Scale, y: _Scale) -> str:
    """Return the border of what can be had: for a given loss, no less risk than the line shows."""
    if len(front) < 2:
        return ""
    steps = "".join(f"H{x.at(after.x):.1f}V{y.at(after.y):.1f}" for _, after in pairwise(front))
    return f'<path class="stairs" d="M{x.at(front[0].x):.1f} {y.at(front[0].y):.1f}{steps}"/>'


def _grid(across: Axis, x: _Scale, upwards: Axis, y: _Scale) -> list[str]:
    bottom = HEIGHT - BOTTOM
    lines = []
    for tick in _ticks(across, x):
        place = f"{x.at(tick):.1f}"
        lines.append(f'<line class="grid" x1="{place}" x2="{place}" y1="{TOP}" y2="{bottom}"/>')
        lines.append(
            f'<text class="value" x="{place}" y="{bottom + 18}" text-anchor="middle">{xml(across.written(tick))}</text>'
        )
    for tick in _ticks(upwards, y):
        place = f"{y.at(tick):.1f}"
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place}" y2="{place}"/>')
        lines.append(
            f'<text class="value" x="{LEFT - 8}" y="{place}" dy="4" text-anchor="end">'
            f"{xml(upwards.written(tick))}</text>"
        )
    middle, side = (LEFT + WIDTH - RIGHT) / 2, (TOP + bottom) / 2
    lines.append(f'<text class="axis" x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{xml(across.title)}</text>')
    lines.append(
        f'<text class="axis" transform="translate(16 {side}) rotate(-90)" text-anchor="middle">'
        f"{xml(upwards.title)}</text>"
    )
    return lines


def _ticks(axis: Axis, scale: _Scale) -> list[float]:
    return [tick for tick in scale.ticks() if tick <= axis.most]


def _thinned(points: Sequence[Point], x: _Scale, y: _Scale) -> list[Point]:
    """Return all points, or of plain ones in the same cell only the first, with the number of the others."""
    kept, cell = list(points), 2.0
    while len(kept) > MOST_POINTS and cell < WIDTH:
        cells: dict[tuple[int, int, str], list[Point]] = {}
        for number, point in enumerate(points):
            shown = point.kind in ("frontier", "best")
            key = (-number, 0, "") if shown else (int(x.at(point.x) / cell), int(y.at(point.y) / cell), point.kind)
            cells.setdefault(key, []).append(point)
        kept = [_with_others(members) for members in cells.values()]
        cell *= 1.5
    return kept


def _with_others(members: Sequence[Point]) -> Point:
    first, others = members[0], len(members) - 1
    return first if not others else Point(first.x, first.y, first.kind, f"{first.title} · and {others:,} more here")


def _round_numbers(low: float, high: float) -> list[float]:
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.10g}") for place in range(first, last + 1)]
