"""Charts as inline SVG: no script, no font, no address; colors come from the style sheet of the page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from xml.sax.saxutils import escape, quoteattr

from krypsis.report import blocks
from krypsis.report.text import LONGEST_LABEL, columns, percent, readable, shorten_text

_CHARACTER = 7.5
"""The width of a character of the 12 px text in the charts, on the wide side."""
_GAP = 8
_VALUES = 118
"""Room for the numbers behind the bars."""
_BAR = 14
_ROW = 22
_PAIR_BAR = 12
_PAIR_ROW = 38
_CELL = 34
"""Width and height of a cell of a heat map."""
_LONGEST_NAME = 16
_DARK = 0.55
"""From this shade on, numbers are written in the color of the page."""
_SIDE = 400
"""Width and height of a shaded grid."""
_DOT = 3
"""The radius of a vertex."""
FULL = 5
"""The shade of the fullest cells of a grid."""


WIDTH, HEIGHT = 940, 460
LEFT, RIGHT, TOP, BOTTOM = 74, 24, 14, 52
SIZES = {"refused": 2.6, "node": 3.2, "frontier": 5.0, "best": 8.0}
"""The kinds of points in the order in which they are drawn, with their sizes."""
MOST_POINTS = 2500
"""More points than this are drawn one per cell of a grid."""


def draw(  # noqa: PLR0911  one for each chart
    chart: (
        blocks.BarChart
        | blocks.PairedBarChart
        | blocks.HeatMap
        | blocks.NetworkDrawing
        | blocks.BoxDrawing
        | blocks.DerivationDrawing
        | blocks.ShadedGrid
        | blocks.Scatter
    ),
) -> str:
    """Return a chart of a report as a drawing."""
    match chart:
        case blocks.BarChart():
            return bar_chart(chart.bars, chart.title, chart.color, 780 if chart.is_wide else 440, chart.total)
        case blocks.PairedBarChart():
            return paired_bars(chart.before, chart.after, chart.title)
        case blocks.HeatMap():
            return heatmap(chart.names, chart.cells, chart.title)
        case blocks.NetworkDrawing():
            return network(chart.dots, chart.lines, chart.marked_lines, chart.title)
        case blocks.BoxDrawing():
            return box_drawing(chart)
        case blocks.DerivationDrawing():
            return derivation(chart.boxes, chart.lines, chart.title)
        case blocks.ShadedGrid():
            return shaded_grid(chart.rows, chart.title)
        case blocks.Scatter():
            return scatter(chart.points, chart.across, chart.upwards, chart.title)


@dataclass(frozen=True)
class _Series:
    """The bars of one color: they begin at ``left`` and take ``unit`` pixels per record."""

    kind: str
    left: float
    unit: float
    total: int

    def bar(self, records: int, top: float, height: float) -> str:
        """Return one bar with its number behind it; a bar that stands for something is never invisible."""
        length = max(records * self.unit, 1.0) if records else 0.0
        words = f"{records:,}" + (f" · {percent(records / self.total)}" if records else "")
        place = f'x="{self.left:.1f}" y="{top}" width="{length:.1f}" height="{height}" rx="2"'
        value = (
            f'<text class="value" x="{self.left + length + 6:.1f}" y="{top + height / 2 + 4:.1f}">{xml(words)}</text>'
        )
        return (f"<rect class={quoted(self.kind)} {place}/>" if records else "") + value


def bar_chart(
    bars: Sequence[blocks.Bar], title: str, kind: str = "after", width: int = 440, total: int | None = None
) -> str:
    """Return a chart with one bar per label; ``kind`` is the class that colors the bars.

    ``total`` is what shares are of, where bars do not add up to it.

    Examples
    --------
    >>> from krypsis.report.blocks import Bar
    >>> print(bar_chart([Bar(label="<b>", records=3)], "Ages"))
    <svg class="chart" role="img" aria-label="Ages" viewBox="0 0 440 26" width="440" height="26">...&lt;b&gt;...</svg>
    """
    left = _left(bars, width)
    largest = max((bar.records for bar in bars), default=0)
    series = _Series(kind, left, (width - left - _VALUES) / max(largest, 1), total or _total(bars))
    rows = [
        _label(bar.label, left, 6 + row * _ROW + _BAR / 2) + series.bar(bar.records, 6 + row * _ROW, _BAR)
        for row, bar in enumerate(bars)
    ]
    return svg(rows, title, width, 4 + len(rows) * _ROW)


def paired_bars(before: Sequence[blocks.Bar], after: Sequence[blocks.Bar], title: str, width: int = 780) -> str:
    """Return a chart with two bars per label, before above after; both sequences have the same labels.

    The bars are drawn as shares of their own total, since suppression changes the total.
    """
    left = _left(before, width)
    room = (width - left - _VALUES) / max(_largest_share(before), _largest_share(after), 1e-9)
    old, new = (
        _Series(kind, left, room / max(_total(bars), 1), _total(bars))
        for kind, bars in (("before", before), ("after", after))
    )
    rows = [
        _label(first.label, left, 6 + row * _PAIR_ROW + _PAIR_BAR)
        + old.bar(first.records, 5 + row * _PAIR_ROW, _PAIR_BAR)
        + new.bar(second.records, 7 + row * _PAIR_ROW + _PAIR_BAR, _PAIR_BAR)
        for row, (first, second) in enumerate(zip(before, after, strict=True))
    ]
    return svg(rows, title, width, 4 + len(rows) * _PAIR_ROW)


def meter(share: float, title: str, width: int = 120) -> str:
    """Return a small bar that fills from left to right with a share between 0 and 1."""
    filled = width * min(max(share, 0.0), 1.0)
    track = f'<rect class="track" x="0" y="0" width="{width}" height="8" rx="4"/>'
    fill = f'<rect class="after" x="0" y="0" width="{filled:.1f}" height="8" rx="4"/>'
    return svg([track, fill if filled else ""], title, width, 8, kind="meter")


def _left(bars: Sequence[blocks.Bar], width: int) -> float:
    """Return where the bars begin: behind the longest label, which may take a third of the width."""
    longest = max((columns(bar.label) for bar in bars), default=0) * _CHARACTER
    return min(max(longest, 40), width * 0.34) + _GAP


def _total(bars: Sequence[blocks.Bar]) -> int:
    return sum(bar.records for bar in bars)


def _largest_share(bars: Sequence[blocks.Bar]) -> float:
    return max((bar.records for bar in bars), default=0) / max(_total(bars), 1)


def _label(label: str, left: float, middle: float) -> str:
    shown = shorten_text(label, int((left - _GAP) / _CHARACTER + 0.5))
    full = f"<title>{xml(label)}</title>" if shown != label else ""
    return f'<text class="label" x="{left - _GAP:.1f}" y="{middle + 4:.1f}" text-anchor="end">{full}{xml(shown)}</text>'


def heatmap(names: Sequence[str], cells: Sequence[Sequence[float]], title: str) -> str:
    """Return the lower half of a square of cells from 0 to 1, the fuller the larger the number.

    Examples
    --------
    >>> drawn = heatmap(["age", "sex"], [[1, 0.4], [0.4, 1]], "Dependence")
    >>> drawn.count('class="cell"'), "<title>sex and age: 0.40</title>" in drawn
    (1, True)
    """
    shown = [shorten_text(name, _LONGEST_NAME) for name in names]
    left = int(max(columns(name) for name in shown) * _CHARACTER) + 12
    parts = [_heat_row(names, shown, cells, row, left) for row in range(1, len(names))]
    parts += [
        _heat_name(shown[place], left + (place + 0.5) * _CELL, (len(names) - 1) * _CELL)
        for place in range(len(names) - 1)
    ]
    return svg(parts, title, left + (len(names) - 1) * _CELL + 4, (len(names) - 1) * _CELL + left + 4)


def _heat_row(names: Sequence[str], shown: Sequence[str], cells: Sequence[Sequence[float]], row: int, left: int) -> str:
    top = (row - 1) * _CELL
    label = f'<text class="label" x="{left - 8}" y="{top + _CELL / 2 + 4}" text-anchor="end">{xml(shown[row])}</text>'
    return label + "".join(
        _heat_cell(cells[row][column], left + column * _CELL, top, f"{names[row]} and {names[column]}")
        for column in range(row)
    )


def _heat_cell(value: float, x: float, y: float, pair: str) -> str:
    color = "onfull" if value >= _DARK else "onlight"
    return (
        f"<g><title>{xml(f'{pair}: {value:.2f}')}</title>"
        f'<rect class="ground" x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" rx="3"/>'
        f'<rect class="cell" x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" rx="3" '
        f'fill-opacity="{value:.2f}"/>'
        f'<text class="{color}" x="{x + _CELL / 2}" y="{y + _CELL / 2 + 4}" text-anchor="middle">{value:.2f}</text></g>'
    )


def _heat_name(name: str, x: float, y: float) -> str:
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
    angle = math.pi * (1 - share)
    x, y = middle + radius * math.cos(angle), middle - radius * math.sin(angle)
    return f"M{middle - radius:.1f} {middle:.1f}A{radius:.1f} {radius:.1f} 0 0 1 {x:.1f} {y:.1f}"


def network(
    dots: Sequence[tuple[float, float]],
    lines: Sequence[tuple[int, int]],
    marked: Sequence[tuple[int, int]],
    title: str,
) -> str:
    """Return dots joined by lines as a drawing; marked lines are drawn over the others.

    Examples
    --------
    >>> network([(0, 0), (1, 1)], [(0, 1)], [], "Friends").count("<circle")
    2
    """
    room = _SIDE - 2 * _DOT
    places = [(f"{_DOT + room * x:.1f}", f"{_DOT + room * y:.1f}") for x, y in dots]

    def path(pairs: Sequence[tuple[int, int]], look: str) -> str:
        strokes = "".join(f"M{' '.join(places[one])}L{' '.join(places[other])}" for one, other in pairs)
        return f'<path {look} fill="none" d="{strokes}"/>' if strokes else ""

    plain = path(lines, 'stroke="currentColor" stroke-opacity="0.25" stroke-width="0.7"')
    bold = path(marked, 'class="changed" stroke="#c2410c" stroke-width="1.2"')
    circles = [f'<circle class="after" cx="{x}" cy="{y}" r="{_DOT}"/>' for x, y in places]
    return svg([plain, bold, *circles], title, _SIDE, _SIDE)


def box_drawing(chart: blocks.BoxDrawing) -> str:
    """Return dots and the boxes around them as a drawing, with the names of both axes.

    Examples
    --------
    >>> drawn = box_drawing(blocks.BoxDrawing("Cuts", "age", "sex", ((0.5, 0.5),), ((0, 0.5, 0, 1), (0.5, 1, 0, 1))))
    >>> drawn.count("<circle"), drawn.count("<rect")
    (1, 2)
    """
    room = _SIDE - 2 * _EDGE

    def across(x: float) -> float:
        return _EDGE + room * x

    def down(y: float) -> float:
        return _EDGE + room * (1 - y)

    look = 'fill="currentColor" fill-opacity="0.06" stroke="currentColor" stroke-width="1.2"'
    drawn = [
        f'<rect x="{across(left):.1f}" y="{down(top):.1f}" width="{room * (right - left):.1f}" '
        f'height="{room * (top - bottom):.1f}" {look}/>'
        for left, right, bottom, top in chart.boxes
    ]
    circles = [f'<circle class="after" cx="{across(x):.1f}" cy="{down(y):.1f}" r="{_DOT}"/>' for x, y in chart.dots]
    names = [
        f'<text x="{_SIDE / 2}" y="{_SIDE - 6}" text-anchor="middle">{xml(chart.across)}</text>',
        f'<text transform="translate(14 {_SIDE / 2}) rotate(-90)" text-anchor="middle">{xml(chart.upwards)}</text>',
    ]
    return svg([*drawn, *circles, *names], chart.title, _SIDE, _SIDE)


_EDGE = 24
"""Room around the boxes for the names of the axes."""


def derivation(boxes: Sequence[tuple[str, str]], lines: Sequence[tuple[int, int]], title: str) -> str:
    """Return statements in boxes, each in the row below the last one that it follows from.

    Examples
    --------
    >>> drawn = derivation([("ann : Smoker", "stated"), ("ann : AtRisk", "secret")], [(0, 1)], "Why ann is at risk")
    >>> drawn.count("<rect"), drawn.count("<path")
    (2, 1)
    """
    level = [0] * len(boxes)
    for _ in boxes:  # a derivation has no circles, so no statement moves more often
        for one, other in lines:
            level[other] = max(level[other], level[one] + 1)
    in_row = [
        [place for place, row in enumerate(level) if row == number] for number in range(max(level, default=0) + 1)
    ]
    width = WIDTH if max(map(len, in_row)) > 2 else WIDTH // 2
    middles: dict[int, tuple[float, float]] = {}
    parts: list[str] = []
    for number, row in enumerate(in_row):
        room = width / max(len(row), 1)
        for column, place in enumerate(row):
            middles[place] = (room * (column + 0.5), _STEP * number + _BOX / 2 + 1)
            parts.append(_box(*boxes[place], *middles[place], room - 12))
    strokes = ""
    for one, other in lines:
        (left, top), (right, bottom) = middles[one], middles[other]
        strokes += f"M{left:.1f} {top + _BOX / 2:.1f}L{right:.1f} {bottom - _BOX / 2:.1f}"
    joined = f'<path stroke="currentColor" stroke-opacity="0.4" stroke-width="1" fill="none" d="{strokes}"/>'
    return svg([joined, *parts], title, width, _STEP * len(in_row) - (_STEP - _BOX) + 2)


_STEP, _BOX = 62, 30
"""How far apart the rows of a derivation are, and how high a box is."""
_LETTER = 6.6
"""How wide a letter is at most, on average."""
_LOOKS = {
    "stated": 'stroke="currentColor" fill="none"',
    "public": 'stroke="currentColor" stroke-opacity="0.35" fill="none"',
    "removed": 'stroke="#c2410c" stroke-width="2" stroke-dasharray="5 3" fill="none"',
    "derived": 'stroke="currentColor" stroke-opacity="0.35" stroke-dasharray="2 2" fill="none"',
    "secret": 'stroke="#c2410c" stroke-width="1.5" fill="#c2410c" fill-opacity="0.12"',
}


def _box(words: str, kind: str, x: float, y: float, room: float) -> str:
    """Return a statement in a box; what does not fit is cut, and shown whole when the mouse rests on it."""
    fitting = max(int(room / _LETTER) - 2, 3)
    shown = words if len(words) <= fitting else words[: fitting - 1] + "…"
    wide = min(room, _LETTER * (len(shown) + 2))
    place = f'x="{x - wide / 2:.1f}" y="{y - _BOX / 2:.1f}" width="{wide:.1f}" height="{_BOX}" rx="4"'
    text = f'<text class="value" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{xml(shown)}</text>'
    return f"<g><title>{xml(words)}</title><rect {place} {_LOOKS[kind]}/>{text}</g>"


def shaded_grid(rows: Sequence[str], title: str) -> str:
    """Return a grid of cells as a drawing; the larger the digit of a cell, the darker it is.

    Examples
    --------
    >>> shaded_grid(["0110", "0000"], "Items").count("M1 0h2v1h-2z")
    1
    """
    width, height = max(map(len, rows), default=0), len(rows)
    paths = [_shade_path(rows, shade) for shade in range(1, FULL + 1)]
    scale = f'<g transform="scale({_SIDE / max(width, 1):.6g} {_SIDE / max(height, 1):.6g})">'
    frame = f'<rect class="track" x="0" y="0" width="{_SIDE}" height="{_SIDE}" fill-opacity="0.25"/>'
    return svg([frame, scale, *paths, "</g>"], title, _SIDE, _SIDE)


def _shade_path(rows: Sequence[str], shade: int) -> str:
    """Return the cells of one shade as one path of runs along the rows."""
    runs = []
    for place, line in enumerate(rows):
        column = 0
        for digit, cells in groupby(line):
            length = len(list(cells))
            if digit == str(shade):
                runs.append(f"M{column} {place}h{length}v1h-{length}z")
            column += length
    return f'<path class="after" fill-opacity="{shade / FULL:.2g}" d="{"".join(runs)}"/>' if runs else ""


def scatter(points: Sequence[blocks.Point], across: blocks.ChartAxis, upwards: blocks.ChartAxis, title: str) -> str:
    """Return a chart of points; those of kind ``frontier`` and ``best`` are joined by stairs.

    Examples
    --------
    >>> from krypsis.report.blocks import ChartAxis, Point
    >>> chart = scatter([Point(0.1, 0.5, "best", "<a>")], ChartAxis("loss"), ChartAxis("risk"), "Risk and loss")
    >>> "<title>&lt;a&gt;</title>" in chart, 'class="best"' in chart
    (True, True)
    """
    x = _scale(across, [point.x for point in points], LEFT, WIDTH - RIGHT)
    y = _scale(upwards, [point.y for point in points], HEIGHT - BOTTOM, TOP)
    front = sorted(
        (point for point in points if point.mark in ("frontier", "best")), key=lambda point: (point.x, -point.y)
    )
    drawn = sorted(_thinned(points, x, y), key=lambda point: list(SIZES).index(point.mark))
    parts = [*_grid(across, x, upwards, y), _stairs(front, x, y), *(_dot(point, x, y) for point in drawn)]
    return svg(parts, title, WIDTH, HEIGHT, kind="chart scatter")


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


def _scale(axis: blocks.ChartAxis, numbers: Sequence[float], start: float, end: float) -> _Scale:
    """Return where numbers stand on an axis that is drawn from ``start`` to ``end``."""
    values = [math.log10(number) if axis.logarithmic else number for number in numbers] or [0.0, 1.0]
    low, high = min(values), max(values)
    room = (high - low) * 0.04 or 0.5 * (abs(high) or 1)
    low, high = low - room, high + room
    if not axis.logarithmic and min(values) >= 0:
        low = max(low, 0.0)  # nothing is below 0 where no figure is
    return _Scale(low, high, start, end, axis.logarithmic)


def _dot(point: blocks.Point, x: _Scale, y: _Scale) -> str:
    across, down, size = x.at(point.x), y.at(point.y), SIZES[point.mark]
    words = f"<title>{xml(point.title)}</title>"
    if point.mark == "best":
        corners = f"M{across:.1f} {down - size:.1f}l{size} {size}l-{size} {size}l-{size} -{size}z"
        return f'<path class="best" d="{corners}">{words}</path>'
    return f'<circle class={quoted(point.mark)} cx="{across:.1f}" cy="{down:.1f}" r="{size}">{words}</circle>'


def _stairs(front: Sequence[blocks.Point], x: _Scale, y: _Scale) -> str:
    """Return the border of what can be had: for a given loss, no less risk than the line shows."""
    if len(front) < 2:
        return ""
    steps = "".join(f"H{x.at(after.x):.1f}V{y.at(after.y):.1f}" for _, after in pairwise(front))
    return f'<path class="stairs" d="M{x.at(front[0].x):.1f} {y.at(front[0].y):.1f}{steps}"/>'


def _grid(across: blocks.ChartAxis, x: _Scale, upwards: blocks.ChartAxis, y: _Scale) -> list[str]:
    bottom = HEIGHT - BOTTOM
    lines = []
    for tick in _ticks(across, x):
        place = f"{x.at(tick):.1f}"
        lines.append(f'<line class="grid" x1="{place}" x2="{place}" y1="{TOP}" y2="{bottom}"/>')
        words = xml(blocks.write_number(tick, across.unit))
        lines.append(f'<text class="value" x="{place}" y="{bottom + 18}" text-anchor="middle">{words}</text>')
    for tick in _ticks(upwards, y):
        place = f"{y.at(tick):.1f}"
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place}" y2="{place}"/>')
        lines.append(
            f'<text class="value" x="{LEFT - 8}" y="{place}" dy="4" text-anchor="end">'
            f"{xml(blocks.write_number(tick, upwards.unit))}</text>"
        )
    middle, side = (LEFT + WIDTH - RIGHT) / 2, (TOP + bottom) / 2
    lines.append(f'<text class="axis" x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{xml(across.title)}</text>')
    lines.append(
        f'<text class="axis" transform="translate(16 {side}) rotate(-90)" text-anchor="middle">'
        f"{xml(upwards.title)}</text>"
    )
    return lines


def _ticks(axis: blocks.ChartAxis, scale: _Scale) -> list[float]:
    return [tick for tick in scale.ticks() if axis.most is None or tick <= axis.most]


def _thinned(points: Sequence[blocks.Point], x: _Scale, y: _Scale) -> list[blocks.Point]:
    """Return all points, or of plain ones in the same cell only the first, with the number of the others."""
    kept, cell = list(points), 2.0
    while len(kept) > MOST_POINTS and cell < WIDTH:
        cells: dict[tuple[int, int, str], list[blocks.Point]] = {}
        for number, point in enumerate(points):
            shown = point.mark in ("frontier", "best")
            key = (-number, 0, "") if shown else (int(x.at(point.x) / cell), int(y.at(point.y) / cell), point.mark)
            cells.setdefault(key, []).append(point)
        kept = [_with_others(members) for members in cells.values()]
        cell *= 1.5
    return kept


def _with_others(members: Sequence[blocks.Point]) -> blocks.Point:
    first, others = members[0], len(members) - 1
    return (
        first if not others else blocks.Point(first.x, first.y, first.mark, f"{first.title} · and {others:,} more here")
    )


def _round_numbers(low: float, high: float) -> list[float]:
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.10g}") for place in range(first, last + 1)]


def svg(parts: Sequence[str], title: str, width: int, height: int, kind: str = "chart") -> str:
    """Return a drawing with a name for those who cannot see it."""
    head = f'<svg class="{kind}" role="img" aria-label={quoted(title)} viewBox="0 0 {width} {height}"'
    return f'{head} width="{width}" height="{height}">{"".join(parts)}</svg>'


def xml(text: str) -> str:
    """Return a label as text of a drawing."""
    return escape(readable(text))


def quoted(text: str) -> str:
    """Return a label as the value of an attribute."""
    return quoteattr(readable(text, longest=2 * LONGEST_LABEL))
