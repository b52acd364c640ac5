"""What a report says, as frozen values; the JSON file is exactly this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

Direction = Literal["lower is better", "higher is better"]
Unit = Literal["share", "count"]


class Value(BaseModel):
    """Base of the parts of a report."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PromiseResult(Value):
    """One promise and what the checker found about it; ``holds`` is empty if it was not checked, or is undecided."""

    promise: str
    sentence: str
    checked_on: str
    holds: bool | None = None
    required: float | None = None
    achieved: float | None = None
    verdict: str = "This promise was not checked."
    protects_from: str
    does_not_protect_from: str
    reference: str

    @property
    def state(self) -> Literal["holds", "broken", "undecided", "not checked"]:
        """What is known about it, in a word or two."""
        if self.holds is not None:
            return "holds" if self.holds else "broken"
        return "not checked" if self.required is None else "undecided"


class RiskFigure(Value):
    """One number about risk, before and after, with all that is needed to read it."""

    name: str
    title: str
    before: float | None
    after: float | None
    unit: Unit
    low: float
    high: float
    direction: Direction
    formula: str
    sentence: str


class SizeBucket(Value):
    """How many groups, and records in them, have a size from ``smallest`` to ``largest``."""

    label: str
    smallest: int
    largest: int | None
    groups_before: int
    groups_after: int
    records_before: int
    records_after: int


class SetRisk(Value):
    """The risk for an attacker who knows one set of quasi-identifiers."""

    attributes: tuple[str, ...]
    records_before: int
    records_after: int
    groups_before: int
    groups_after: int
    figures: tuple[RiskFigure, ...]
    sizes: tuple[SizeBucket, ...]

    def figure(self, name: str) -> RiskFigure:
        """Return the figure of that name."""
        return next(figure for figure in self.figures if figure.name == name)


class AttributeLoss(Value):
    """What one quasi-identifier has lost."""

    attribute: str
    hierarchy: str
    """The name of its hierarchy; empty if it has none."""
    level: int | None
    """The level all values were taken to, if they went to the same."""
    height: int | None
    weight: float
    loss: float
    values_before: int
    values_after: int


class MetricFigure(Value):
    """One metric of the release with its range; ``position`` is its place from best (0) to worst (1)."""

    name: str
    value: float
    best: float
    worst: float
    position: float
    formula: str
    sentence: str
    direction: Direction


class Bar(Value):
    """One bar of a chart: a label and a number of records."""

    label: str
    records: int


class Distribution(Value):
    """The values of one attribute before and after; if ``aligned``, both have the same bars in the same order."""

    attribute: str
    role: Literal["quasi-identifier", "sensitive"]
    aligned: bool
    before: tuple[Bar, ...]
    after: tuple[Bar, ...]
    note: str


class DossierFact(Value):
    """What the dossier says at one place."""

    title: str
    entries: tuple[str, ...]


class DossierSection(Value):
    """What the publisher documents about the release, and what to think of."""

    profile: str
    as_of: str
    notice: str
    facts: tuple[DossierFact, ...]
    hints: tuple[str, ...]


def most_at_risk(sets: Sequence[SetRisk]) -> SetRisk:
    """Return the quasi-identifier set under which the published table is most at risk; of equals, the first."""
    return max(sets, key=lambda risk: risk.figure("highest-prosecutor-risk").after or 0.0)
