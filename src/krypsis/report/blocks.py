"""The blocks of a report: frozen values that a kind of data makes, and that every renderer lays out in its way.

A report is a list of sections. A section holds texts, facts, tables, charts and cards of them; numbers are numbers here
and become text in the renderers, so that page, paper and JSON say the same.

Examples
--------
>>> risk = Text(("Average risk: ", Number(0.25, "share")))
>>> report = Report("toy", "", "Report", "", "1.0", True, 4, (Section("risk", ("Risk",), (risk,)),))
>>> plain(report.section("risk").blocks[0].words)
'Average risk: 25.0 %'
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from krypsis.report.text import count, fine_percent, percent, sentence

Direction = Literal["lower is better", "higher is better"]
Unit = Literal["count", "share", "fine share"]
"""How a number is written: as it is, or in percent, also where two digits of a small share matter."""
Style = Literal["strong", "quiet", "formula", "code", "name", "aside", "good", "bad", "unknown"]
"""How a piece of text looks; ``name`` comes from outside, and the last three are pills."""
PointMark = Literal["refused", "node", "frontier", "best"]
State = Literal["holds", "broken", "undecided", "not checked"]

SHARES = "0\u00a0% to 100\u00a0%"


class Value:
    """Base of all parts of a report, as JSON holds them."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class StyledText(Value):
    """A piece of text that looks different from the text around it."""

    text: str
    style: Style


@dataclass(frozen=True)
class Number(Value):
    """A number in a text; nothing where there is none to show."""

    value: float | None = None
    unit: Unit = "count"
    strong: bool = False

    def __str__(self) -> str:
        return write_number(self.value, self.unit)


Words = tuple[str | StyledText | Number, ...]
"""A text with its numbers."""


@dataclass(frozen=True)
class Text(Value):
    """A paragraph."""

    words: Words
    style: Literal["plain", "quiet", "lead"] = "plain"
    type: Literal["text"] = field(default="text", kw_only=True)


@dataclass(frozen=True)
class Bullets(Value):
    """A list of short texts."""

    lines: tuple[Words, ...]
    type: Literal["bullets"] = field(default="bullets", kw_only=True)


@dataclass(frozen=True)
class Fact(Value):
    """Something with its name; the note is less important."""

    title: Words
    lines: tuple[Words, ...]
    note: Words = ()


@dataclass(frozen=True)
class FactList(Value):
    """Facts by name."""

    facts: tuple[Fact, ...]
    type: Literal["facts"] = field(default="facts", kw_only=True)


@dataclass(frozen=True)
class Tile(Value):
    """A figure that is seen first."""

    title: str
    value: Words
    note: Words = ()
    tip: str = ""


@dataclass(frozen=True)
class Tiles(Value):
    """The figures that are seen first, side by side."""

    tiles: tuple[Tile, ...]
    type: Literal["tiles"] = field(default="tiles", kw_only=True)


@dataclass(frozen=True)
class Meter(Value):
    """A small bar that is filled by a share."""

    share: float
    title: str


@dataclass(frozen=True)
class Cell(Value):
    """A cell of a table: words, less important lines below them, and what is shown when the mouse rests on it."""

    words: Words
    lines: tuple[Words, ...] = ()
    tip: str = ""
    meter: Meter | None = None


@dataclass(frozen=True)
class Row(Value):
    """A row of a table, the line below it, and whether it stands out."""

    cells: tuple[Cell, ...]
    below: Words = ()
    is_marked: bool = False


@dataclass(frozen=True)
class Head(Value):
    """The head of a column of a table; numbers stand on the right."""

    words: Words
    is_number: bool = False


@dataclass(frozen=True)
class TableBlock(Value):
    """A table; the first cell of each row names the row, unless said otherwise."""

    head: tuple[Head, ...]
    rows: tuple[Row, ...]
    is_small: bool = False
    names_rows: bool = True
    type: Literal["table"] = field(default="table", kw_only=True)


@dataclass(frozen=True)
class PromiseResult(Value):
    """One promise and what the checker found about it; ``holds`` is empty if it was not checked, or is undecided."""

    promise: str
    sentence: str
    checked_on: str
    protects_from: str
    does_not_protect_from: str
    reference: str
    holds: bool | None = None
    required: float | None = None
    achieved: float | None = None
    verdict: str = "This promise was not checked."
    type: Literal["promise"] = field(default="promise", kw_only=True)

    @property
    def state(self) -> State:
        """What is known about it, in a word or two."""
        if self.holds is not None:
            return "holds" if self.holds else "broken"
        return "not checked" if self.required is None else "undecided"

    def facts(self) -> FactList:
        """Return what is known about it by name."""
        return FactList(tuple(self._facts()))

    def _facts(self) -> Iterator[Fact]:
        if not self.holds:
            yield fact("Finding", sentence(self.verdict))
        if self.achieved is not None:
            level = ("required ", Number(self.required), ", achieved ", Number(self.achieved, strong=True))
            yield Fact(("Level",), (level,))
        if self.state != "not checked":
            yield fact("Checked on", self.checked_on)
        yield fact("Protects from", sentence(self.protects_from))
        yield fact("Does not protect from", sentence(self.does_not_protect_from))
        yield Fact(("Source",), (), (self.reference,))


@dataclass(frozen=True)
class RiskFigure(Value):
    """One number about risk, before and after, with all that is needed to read it."""

    name: str
    title: str
    before: float | None = None
    after: float | None = None
    unit: Unit = "share"
    low: float = 0.0
    high: float = 1.0
    direction: Direction = "lower is better"
    formula: str = ""
    sentence: str = ""

    @property
    def range(self) -> str:
        """Where the number can lie."""
        return SHARES if self.unit == "share" else f"{count(self.low)} to {count(self.high)}"

    @property
    def tip(self) -> str:
        """How the number is to be read."""
        return tip(self.sentence, self.formula, self.range, self.direction)


@dataclass(frozen=True)
class RiskFigures(Value):
    """The figures of risk for an attacker who knows some attributes."""

    attributes: tuple[str, ...]
    figures: tuple[RiskFigure, ...]
    type: Literal["risk"] = field(default="risk", kw_only=True)

    def figure(self, name: str) -> RiskFigure:
        """Return the figure of that name."""
        return next(figure for figure in self.figures if figure.name == name)

    def as_table(self) -> TableBlock:
        """Return the figures as a table."""
        return TableBlock(heads("Figure", "#Before", "#After", "What it says"), tuple(map(_risk_row, self.figures)))


def _risk_row(figure: RiskFigure) -> Row:
    before, after = Number(figure.before, figure.unit), Number(figure.after, figure.unit, strong=True)
    reading: Words = (StyledText(figure.formula, "formula"), f" · {figure.range}, {figure.direction}")
    says = Cell((figure.sentence,), (reading,))
    return Row((Cell((figure.title,)), Cell((before,), tip=figure.tip), Cell((after,), tip=figure.tip), says))


@dataclass(frozen=True)
class GaugePart(Value):
    """One part of the utility gauge, from 0 to 1; ``share`` is empty if there was nothing to lose."""

    name: str
    formula: str
    sentence: str
    share: float | None = None
    columns: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class GaugeFigure(Value):
    """How much of the data is left, from 0 to 100, with its parts."""

    value: float
    formula: str
    sentence: str
    parts: tuple[GaugePart, ...]
    direction: Direction = "higher is better"
    type: Literal["gauge"] = field(default="gauge", kw_only=True)

    @property
    def tip(self) -> str:
        """How the number is to be read."""
        return tip(self.sentence, self.formula, "0 to 100", self.direction)

    @property
    def words(self) -> Words:
        """What the number says."""
        return (f"{self.sentence} ", StyledText(self.formula, "formula"), f", {self.direction}.")

    def as_table(self) -> TableBlock:
        """Return the parts as a table."""
        return TableBlock(heads("Part", "#Kept", "", "What it says"), tuple(map(_gauge_row, self.parts)))

    def by_column(self) -> TableBlock:
        """Return what is kept of each column."""
        known = [part for part in self.parts if part.columns]
        names = dict.fromkeys(name for part in known for name, _ in part.columns)
        rows = (
            row(StyledText(name, "name"), *(Number(dict(part.columns).get(name), "share") for part in known))
            for name in names
        )
        return TableBlock(
            heads("Column", *(f"#{part.name.capitalize()}" for part in known)), tuple(rows), is_small=True
        )


def _gauge_row(part: GaugePart) -> Row:
    kept = Cell((Number(part.share, "share", strong=True),), tip=tip(part.sentence, part.formula, SHARES, HIGHER))
    meter = None if part.share is None else Meter(part.share, f"{part.name}: {percent(part.share)} kept")
    says = Cell((part.sentence,), ((StyledText(part.formula, "formula"),),))
    return Row((Cell((part.name,)), kept, Cell((), meter=meter), says))


@dataclass(frozen=True)
class Bar(Value):
    """One bar of a chart: a label, a number of records and, where records are in groups, of groups."""

    label: str
    records: int
    groups: int | None = None


@dataclass(frozen=True)
class BarChart(Value):
    """A chart with one bar per label; ``total`` is what shares are of, where the bars do not add up to it."""

    title: str
    bars: tuple[Bar, ...]
    color: Literal["before", "after"] = "after"
    caption: str = ""
    total: int | None = None
    is_wide: bool = True
    columns: tuple[str, str] = ("Value", "Records")
    type: Literal["bars"] = field(default="bars", kw_only=True)

    def as_table(self) -> TableBlock:
        """Return the bars as a table."""
        rows = tuple(row(StyledText(bar.label, "name"), Number(bar.records)) for bar in self.bars)
        return TableBlock(heads(self.columns[0], f"#{self.columns[1]}"), rows, is_small=True)


@dataclass(frozen=True)
class PairedBarChart(Value):
    """A chart with two bars per label, before and after; both have the same labels."""

    title: str
    before: tuple[Bar, ...]
    after: tuple[Bar, ...]
    column: str = "Value"
    counted: str = "Records"
    type: Literal["paired bars"] = field(default="paired bars", kw_only=True)

    def as_table(self) -> TableBlock:
        """Return the bars as a table."""
        grouped = any(bar.groups is not None for bar in self.before)
        groups = ("#Groups before", "#Groups after") if grouped else ()
        rows = (
            row(
                StyledText(old.label, "name"),
                *([Number(old.groups), Number(new.groups)] if grouped else []),
                Number(old.records),
                Number(new.records),
            )
            for old, new in zip(self.before, self.after, strict=True)
        )
        counts = (f"#{self.counted} before", f"#{self.counted} after")
        return TableBlock(heads(self.column, *groups, *counts), tuple(rows), is_small=True)


@dataclass(frozen=True)
class HeatMap(Value):
    """How strongly each two of some columns depend on each other, from 0 to 1."""

    title: str
    names: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    caption: str = ""
    type: Literal["heat map"] = field(default="heat map", kw_only=True)

    def as_table(self) -> TableBlock:
        """Return all pairs as a table."""
        rows = (
            row(StyledText(name, "name"), *map(Number, cells))
            for name, cells in zip(self.names, self.cells, strict=True)
        )
        head = (Head(("Column",)), *(Head((StyledText(name, "name"),), is_number=True) for name in self.names))
        return TableBlock(head, tuple(rows), is_small=True)


@dataclass(frozen=True)
class ShadedGrid(Value):
    """A grid of cells, each a digit from 0 (empty) to 5 (full); a row is a text of digits."""

    title: str
    rows: tuple[str, ...]
    caption: str = ""
    type: Literal["shaded grid"] = field(default="shaded grid", kw_only=True)

    def as_table(self) -> None:
        """Return nothing: a table of so many cells says nothing."""


@dataclass(frozen=True)
class NetworkDrawing(Value):
    """Vertices as dots and edges as lines; coordinates are from 0 to 1."""

    title: str
    dots: tuple[tuple[float, float], ...]
    lines: tuple[tuple[int, int], ...]
    """The numbers of the dots that are joined."""
    marked_lines: tuple[tuple[int, int], ...] = ()
    """Lines to see at once: edges that were removed, or added."""
    caption: str = ""
    type: Literal["network"] = field(default="network", kw_only=True)

    def as_table(self) -> None:
        """Return nothing: a table of edges says less than their number, which is given elsewhere."""


@dataclass(frozen=True)
class BoxDrawing(Value):
    """Records as dots in a plane, and the boxes around them; coordinates are from 0 to 1."""

    title: str
    across: str
    upwards: str
    dots: tuple[tuple[float, float], ...]
    boxes: tuple[tuple[float, float, float, float], ...]
    """Each as left, right, bottom and top."""
    caption: str = ""
    type: Literal["boxes"] = field(default="boxes", kw_only=True)

    def as_table(self) -> None:
        """Return nothing: whoever makes the drawing adds a table of what matters in it."""


@dataclass(frozen=True)
class DerivationDrawing(Value):
    """Statements in boxes, each below those that it follows from."""

    title: str
    boxes: tuple[tuple[str, Literal["stated", "public", "removed", "derived", "secret"]], ...]
    """What each says, and what it is."""
    lines: tuple[tuple[int, int], ...]
    """Pairs of a statement and one that follows from it, by the numbers of their boxes."""
    caption: str = ""
    type: Literal["derivation"] = field(default="derivation", kw_only=True)

    def as_table(self) -> None:
        """Return nothing: whoever makes the drawing adds the steps in words."""


@dataclass(frozen=True)
class Point(Value):
    """A point, with the words shown when the mouse rests on it."""

    x: float
    y: float
    mark: PointMark
    title: str


@dataclass(frozen=True)
class ChartAxis(Value):
    """What an axis shows; on a logarithmic one every number is above 0."""

    title: str
    unit: Unit = "count"
    most: float | None = None
    """No number on the axis is larger."""
    logarithmic: bool = False


@dataclass(frozen=True)
class Scatter(Value):
    """Points in a plane, the best of them joined by a line; ``best`` says what the large mark is."""

    title: str
    points: tuple[Point, ...]
    across: ChartAxis
    upwards: ChartAxis
    best: str
    type: Literal["scatter"] = field(default="scatter", kw_only=True)

    def as_table(self) -> None:
        """Return nothing: whoever makes the chart adds a table of what matters in it."""


@dataclass(frozen=True)
class Pair(Value):
    """Charts side by side, such as before and after, each under its caption."""

    charts: tuple[Annotated[BarChart | HeatMap | NetworkDrawing | ShadedGrid, Field(discriminator="type")], ...]
    type: Literal["pair"] = field(default="pair", kw_only=True)


@dataclass(frozen=True)
class Folded(Value):
    """What is seen on demand, and not on paper."""

    title: str
    blocks: "tuple[Block, ...]"
    type: Literal["folded"] = field(default="folded", kw_only=True)


@dataclass(frozen=True)
class Panel(Value):
    """Blocks that belong together, under a title."""

    title: Words
    blocks: "tuple[Block, ...]"
    on_one_page: bool = False
    type: Literal["panel"] = field(default="panel", kw_only=True)


Block = Annotated[
    Text
    | Bullets
    | FactList
    | Tiles
    | TableBlock
    | PromiseResult
    | RiskFigures
    | GaugeFigure
    | BarChart
    | PairedBarChart
    | HeatMap
    | NetworkDrawing
    | BoxDrawing
    | DerivationDrawing
    | ShadedGrid
    | Scatter
    | Pair
    | Folded
    | Panel,
    Field(discriminator="type"),
]


@dataclass(frozen=True)
class Section(Value):
    """A part of a report with a heading; the key names it for programs."""

    key: str
    title: Words
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report(Value):
    """All that a report says about a release; the JSON file is exactly this."""

    kind: str
    """Of the data, as plans name it."""
    release_id: str
    """Of the release that the report is about, also in its manifest."""
    title: str
    name: str
    tool_version: str
    holds: bool
    records_published: int
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section:
        """Return the section of that key."""
        return next(section for section in self.sections if section.key == key)

    def blocks(self) -> Iterator[Any]:
        """Yield all blocks and those that they hold, from top to bottom."""
        for section in self.sections:
            yield from _with_inner(section.blocks)


HIGHER: Direction = "higher is better"
LOWER: Direction = "lower is better"


def tip(says: str, formula: str, range_: str, direction: str) -> str:
    """Return how a number is to be read, as it is shown when the mouse rests on it.

    Examples
    --------
    >>> tip("How many are lost.", "lost ÷ all", "0 to 1", "lower is better")
    'How many are lost. Formula: lost ÷ all. Range: 0 to 1. Lower is better.'
    """
    return f"{says} Formula: {formula}. Range: {range_}. {direction.capitalize()}."


def heads(*titles: str) -> tuple[Head, ...]:
    """Return the heads of columns; those of numbers begin with ``#``.

    Examples
    --------
    >>> heads("Figure", "#Before")[1]
    Head(words=('Before',), is_number=True)
    """
    return tuple(Head((title.removeprefix("#"),), title.startswith("#")) for title in titles)


def row(*cells: str | StyledText | Number | Cell) -> Row:
    """Return a row of plain cells."""
    return Row(tuple(cell if isinstance(cell, Cell) else Cell((cell,)) for cell in cells))


def fact(title: str, *lines: str) -> Fact:
    """Return a fact of plain lines."""
    return Fact((title,), tuple((line,) for line in lines))


def joined_names(names: Sequence[str], nothing: str = "") -> Words:
    """Return names from outside with commas between them.

    Examples
    --------
    >>> plain(joined_names(["age", "sex"]))
    'age, sex'
    """
    parts: list[str | StyledText] = []
    for name in names:
        parts += [", "] * bool(parts) + [StyledText(name, "name")]
    return tuple(parts) or ((nothing,) if nothing else ())


def plain(words: Words) -> str:
    """Return words as plain text."""
    return "".join(
        one if isinstance(one, str) else one.text if isinstance(one, StyledText) else str(one) for one in words
    )


def write_number(value: float | None, unit: Unit) -> str:
    """Return a number as people read it.

    Examples
    --------
    >>> write_number(0.5, "share"), write_number(1200, "count"), write_number(None, "count")
    ('50.0 %', '1,200', '–')
    """
    if value is None:
        return "–"
    return {"count": count, "share": percent, "fine share": fine_percent}[unit](value)


def _with_inner(blocks: Iterable[Any]) -> Iterator[Any]:
    for block in blocks:
        yield block
        yield from _with_inner(getattr(block, "blocks", getattr(block, "charts", ())))
