"""Heat maps and the dial of the gauge as inline SVG; colors come from the style sheet of the page."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from krypsis.report.charts import svg, xml
from krypsis.report.text import columns, shorten_text

CELL = 34
CHARACTER = 7.5
LONGEST_NAME = 16
DARK = 0.55
"""From this shade on, numbers are written in the color of the page."""


def heatmap(names: Sequence[str], cells: Sequence[Sequence[float]], title: str) -> str:
    """Return the lower half of a square of cells from 0 to 1, the fuller the larger the number.

    Examples
    --------
    >>> drawn = heatmap(["age", "sex"], [[1, 0.4], [0.4, 1]], "Dependence")
    >>> drawn.count('class="cell"'), "<title>sex and age: 0.40</title>" in drawn
    (1, True)
    """
    shown = [shorten_text(name, LONGEST_NAME) for name in names]
    left = int(max(columns(name) for name in shown) * CHARACTER) + 12
    parts = [_row(names, shown, cells, row, left) for row in range(1, len(names))]
    parts += [
        _below(shown[place], left + (place + 0.5) * CELL, (len(names) - 1) * CELL) for place in range(len(names) - 1)
    ]
    return svg(parts, title, left + (len(names) - 1) * CELL + 4, (len(names) - 1) * CELL + left + 4)


def _row(names: Sequence[str], shown: Sequence[str], cells: Sequence[Sequence[float]], row: int, left: int) -> str:
    top = (row - 1) * CELL
    label = f'<text class="label" x="{left - 8}" y="{top + CELL / 2 + 4}" text-anchor="end">{xml(shown[row])}</text>'
    return label + "".join(
        _cell(cells[row][column], left + column * CELL, top, f"{names[row]} and {names[column]}")
        for column in range(row)
    )


def _cell(value: float, x: float, y: float, pair: str) -> str:
    color = "onfull" if value >= DARK else "onlight"
    return (
        f"<g><title>{xml(f'{pair}: {value:.2f}')}</title>"
        f'<rect class="ground" x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="3"/>'
        f'<rect class="cell" x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="3" '
        f'fill-opacity="{value:.2f}"/>'
        f'<text class="{color}" x="{x + CELL / 2}" y="{y + CELL / 2 + 4}" text-anchor="middle">{value:.2f}</text></g>'
    )


def _below(name: str, x: float, y: float) -> str:
    place = f"translate({x + 4:.1f} {y + 8}) rotate(-90)"
    return f'<text class="label" transform="{place}" text-anchor="end">{xml(name)}</text>'


def dial(value: float, title: str, size: int = 220) -> str:
    """Return half a circle that fills from left to right with a number from 0 to 100.

    Examples
    --------
    >>> 'class="arc"' in dial(50, "half"), 'class="arc"' in dial(0, "nothing")
    (True, False)
    """
    share = min(max(value / 100, 0.0), 1.0)
    middle, radius = size / 2, size / 2 - 16
    track = f'<path class="ring" d="{_arc(middle, radius, 1.0)}"/>'
    filled = f'<path class="arc" d="{_arc(middle, radius, share)}"/>' if share else ""
    number = f'<text class="big" x="{middle}" y="{middle - 2}" text-anchor="middle">{value:.0f}</text>'
    ends = "".join(
        f'<text class="value" x="{x}" y="{middle + 20}" text-anchor="middle">{end}</text>'
        for x, end in ((16, 0), (size - 16, 100))
    )
    return svg([track, filled, number, ends], title, size, int(middle) + 26, kind="dial")


def _arc(middle: float, radius: float, share: float) -> str:
    angle = pi * (1 - share)
    x, y = middle + radius * cos(angle), middle - radius * sin(angle)
    return f"M{middle - radius:.1f} {middle:.1f}A{radius:.1f} {radius:.1f} 0 0 1 {x:.1f} {y:.1f}"
