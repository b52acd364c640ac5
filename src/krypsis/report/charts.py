"""Bar charts as inline SVG: no script, no font, no address; colors come from the style sheet of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from krypsis.report.text import LONGEST_LABEL, columns, percent, readable, shorten_text
from krypsis.report.values import Bar

_CHARACTER = 7.5
"""The width of a character of the 12 px text in the charts, on the wide side."""
_GAP = 8
_VALUES = 118
"""Room for the numbers behind the bars."""
_BAR = 14
_ROW = 22
_PAIR_BAR = 12
_PAIR_ROW = 38


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


def bar_chart(bars: Sequence[Bar], title: str, kind: str = "after", width: int = 440, total: int | None = None) -> str:
    """Return a chart with one bar per label; ``kind`` is the class that colors the bars.

    ``total`` is what shares are told of, where bars do not add up to it.

    Examples
    --------
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


def paired_bars(before: Sequence[Bar], after: Sequence[Bar], title: str, width: int = 780) -> str:
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


def _left(bars: Sequence[Bar], width: int) -> float:
    """Return where the bars begin: behind the longest label, which may take a third of the width."""
    longest = max((columns(bar.label) for bar in bars), default=0) * _CHARACTER
    return min(max(longest, 40), width * 0.34) + _GAP


def _total(bars: Sequence[Bar]) -> int:
    return sum(bar.records for bar in bars)


def _largest_share(bars: Sequence[Bar]) -> float:
    return max((bar.records for bar in bars), default=0) / max(_total(bars), 1)


def _label(label: str, left: float, middle: float) -> str:
    shown = shorten_text(label, int((left - _GAP) / _CHARACTER + 0.5))
    full = f"<title>{xml(label)}</title>" if shown != label else ""
    return f'<text class="label" x="{left - _GAP:.1f}" y="{middle + 4:.1f}" text-anchor="end">{full}{xml(shown)}</text>'


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
