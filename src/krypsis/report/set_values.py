"""What a report on sets of items says, as frozen values; the JSON file is exactly this."""

from __future__ import annotations

from typing import Literal

from krypsis.report.parts import Citation
from krypsis.report.values import Bar, Direction, DossierSection, PromiseResult, Value


class KnownItems(Value):
    """How many records are told apart from all others by a number of their items, before and after.

    ``after`` is empty where no record is published as one set: then the promise limits what can be found.
    """

    known: int
    before: float
    after: float | None
    is_exact: bool


class SetMetricFigure(Value):
    """One metric of published sets with all that is needed to read it."""

    name: str
    value: float
    range: str
    formula: str
    sentence: str
    direction: Direction


class Counts(Value):
    """How often something occurs, in ranges, before and after; ``after`` is empty where that is not published."""

    title: str
    sentence: str
    before: tuple[Bar, ...]
    after: tuple[Bar, ...]
    total: int | None = None
    """What shares are told of, where the bars do not add up to it."""


class SetReportContent(Value):
    """All that a report says about a release of sets."""

    kind: Literal["transactions"] = "transactions"
    release_id: str
    """Of the release that the report is about, also in its manifest."""
    title: str
    name: str
    tool_version: str
    holds: bool
    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    guarantee: str
    records_published: int
    items_before: int
    items_published: int
    occurrences: int
    identified: tuple[KnownItems, ...]
    lost: tuple[str, ...]
    metrics: tuple[SetMetricFigure, ...]
    counts: tuple[Counts, ...]
    band: tuple[str, str] | None = None
    """Two drawings of which records hold which items, as they came and with neighbors alike."""
    algorithm: str
    dossier: DossierSection | None = None
    citation: Citation
