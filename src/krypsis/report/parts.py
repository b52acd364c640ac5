"""Further parts of a report on a table: utility, dependence, suppression, solution space, attacks, citation."""

from __future__ import annotations

from typing import Literal

from krypsis.report.values import Bar, Direction, Distribution, Value


class GaugePart(Value):
    """One part of the utility gauge, from 0 to 1; ``share`` is empty if there was nothing to lose."""

    name: str
    share: float | None
    formula: str
    sentence: str
    columns: tuple[tuple[str, float], ...] = ()


class GaugeFigure(Value):
    """How much of the table is left, from 0 to 100, with its parts."""

    value: float
    formula: str
    sentence: str
    direction: Direction = "higher is better"
    parts: tuple[GaugePart, ...]


class DependenceMap(Value):
    """How strongly columns depend on each other, before and after, each pair from 0 to 1."""

    columns: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    formula: str
    sentence: str
    note: str = ""


class SuppressedValue(Value):
    """Of the records that would show a value, how many were suppressed."""

    label: str
    records: int
    suppressed: int


class SuppressedBy(Value):
    """Which published values of one attribute the suppressed records would have shown, the most concerned first."""

    attribute: str
    values: tuple[SuppressedValue, ...]
    others: int
    """Suppressed records with values that are not listed."""


class Suppression(Value):
    """The suppressed records by the size of their group, and by the values they would have shown."""

    sizes: tuple[Bar, ...]
    groups: int
    attributes: tuple[SuppressedBy, ...]


class SpacePoint(Value):
    """One choice of levels: what it would lose, how risky it would be, and where it stands among the others."""

    levels: tuple[int, ...]
    loss: float
    risk: float
    kind: Literal["refused", "node", "frontier"]
    suppressed: int


class SolutionSpace(Value):
    """The choices there were, as far as they were judged, and the point of the release among them."""

    metric: str
    attributes: tuple[str, ...]
    points: tuple[SpacePoint, ...]
    loss: float
    risk: float
    judged: int
    size: int
    note: str
    metric_formula: str
    metric_sentence: str
    risk_formula: str
    risk_sentence: str


class AttackSide(Value):
    """What an attack finds in one table."""

    records: float
    exposed: float
    share: float
    average_chance: float
    highest_chance: float


class AttackResult(Value):
    """One attack that was tried on the table before and on the release."""

    name: str
    title: str
    known: tuple[str, ...]
    sensitive: str
    before: AttackSide
    after: AttackSide
    baseline: float
    formula: str
    sentence: str
    note: str = ""


class FurtherTable(Value):
    """Another table of a release of several."""

    name: str
    records_before: int
    records_published: int
    distributions: tuple[Distribution, ...]


class HistoryFigure(Value):
    """One number about a version of a table that changes."""

    name: str
    title: str
    value: int
    sentence: str


class HistorySection(Value):
    """What a history adds to the report of one of its versions: who came and left, in numbers, and what to mind."""

    version: int
    figures: tuple[HistoryFigure, ...]
    notes: tuple[str, ...]


class Citation(Value):
    """How to cite the tool and the methods of a release."""

    text: str
    bibtex: str
    methods: tuple[str, ...]
