"""Cards: what a notebook shows of a release, a plan, a verdict, an exploration or sets of items.

A card is one piece of HTML with its own styles and a drawing: no script, no font, no address. What is on it is said by
the object it shows, which names nothing that is private. Every text is escaped here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from krypsis.texts.printable import one_line

LONGEST = 60
"""Longer cells and labels are cut."""
MOST_COLUMNS = 10
"""Further columns are counted, not shown."""

MARKS = {True: ("✓", "kept", "#1a7f37"), False: ("✗", "not kept", "#cf222e"), None: ("?", "undecided", "#9a6700")}
"""Whether a promise holds → a sign, a word for those who cannot see it, and a color."""

_FRAME = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:10px 14px;max-width:760px"
_QUIET = "opacity:.7"
_CELL = "border:1px solid rgba(128,128,128,.3);padding:2px 8px;text-align:left"


@dataclass(frozen=True)
class CardRows:
    """A few rows of a table."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""


@dataclass(frozen=True)
class Bars:
    """A small bar chart: label → how many."""

    title: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Card:
    """What is on a card, from top to bottom; all of it is plain text.

    Examples
    --------
    >>> card = Card("Release <b>", facts={"records": "12"}, promises=[(True, "Kept: everything.")])
    >>> "Release &lt;b&gt;" in card.html(), "<b>" in card.html()
    (True, False)
    """

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    promises: Sequence[tuple[bool | None, str]] = ()
    """Whether each promise holds, and what is said about it."""
    bars: Bars | None = None
    tables: Sequence[CardRows] = ()
    note: str = ""

    def html(self) -> str:
        """Return the card as HTML."""
        parts = [
            f"<div><strong>{text(self.title)}</strong></div>",
            *(_promise(holds, sentence) for holds, sentence in self.promises),
            _facts(self.facts),
            "" if self.bars is None or not self.bars.counts else _chart(self.bars),
            *map(_table, self.tables),
            f'<div style="{_QUIET}">{text(self.note)}</div>' if self.note else "",
        ]
        return f'<div style="{_FRAME}">{"".join(parts)}</div>'


def text(given: object, longest: int | None = None) -> str:
    """Return a text as HTML shows it, on one line; a longer one is cut.

    Examples
    --------
    >>> text("<script>"), text("a long text", longest=6)
    ('&lt;script&gt;', 'a lon…')
    """
    shown = one_line(str(given))
    return escape(shown if longest is None or len(shown) <= longest else shown[: longest - 1] + "…")


def group_size_bars(sizes: Iterable[int]) -> Bars:
    """Return how many groups there are of each size; sizes are taken together in classes that double.

    Examples
    --------
    >>> group_size_bars([2, 3, 3, 9]).counts
    {'2–3': 3, '4–7': 0, '8–15': 1}
    """
    found = Counter(size.bit_length() - 1 for size in sizes if size > 0)
    classes = range(min(found, default=0), max(found, default=-1) + 1)
    names = {power: "1" if power == 0 else f"{2**power}–{2 ** (power + 1) - 1}" for power in classes}
    return Bars("Groups by number of records", {names[power]: found[power] for power in classes})


def _promise(holds: bool | None, sentence: str) -> str:
    sign, word, color = MARKS[holds]
    return f'<div><span style="color:{color}" title="{word}">{sign}</span> {text(sentence)}</div>'


def _facts(facts: Mapping[str, str]) -> str:
    shown = " · ".join(f"<span>{text(name)}: {text(value)}</span>" for name, value in facts.items() if value)
    return f"<div>{shown}</div>" if shown else ""


def _chart(bars: Bars) -> str:
    """Return the bars, one below the other, each with its label before and its number behind it."""
    largest, rows = max(1, *bars.counts.values()), []
    for place, (label, count) in enumerate(bars.counts.items()):
        top, width = 16 * place, 240 * count / largest
        rows.append(
            f'<text x="150" y="{top + 11}" text-anchor="end">{text(label, longest=22)}</text>'
            f'<rect x="156" y="{top + 2}" width="{width:.1f}" height="11" fill="#4c78a8"/>'
            f'<text x="{160 + width:.1f}" y="{top + 11}">{count:,}</text>'
        )
    size = f'width="460" height="{16 * len(rows) + 2}" role="img" aria-label="{text(bars.title)}"'
    drawing = f'<svg {size} font-size="11" fill="currentColor">{"".join(rows)}</svg>'
    return f'<div style="{_QUIET};margin-top:6px">{text(bars.title)}</div>{drawing}'


def _table(shown: CardRows) -> str:
    columns = shown.columns[:MOST_COLUMNS]
    head = "".join(f'<th style="{_CELL}">{text(name, longest=LONGEST)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row[:MOST_COLUMNS])}</tr>" for row in shown.rows)
    more = len(shown.columns) - len(columns)
    caption = f"{shown.caption}{f' ({more} further columns)' * (more > 0)}"
    table = f'<table style="border-collapse:collapse;margin:2px 0"><tr>{head}</tr>{body}</table>'
    return f'<div style="{_QUIET};margin-top:6px">{text(caption)}</div>{table}'


def _cell(value: object) -> str:
    return f'<td style="{_CELL}">{"" if value is None else text(value, longest=LONGEST)}</td>'
