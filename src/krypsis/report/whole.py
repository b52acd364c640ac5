"""All that a report on a table says; the JSON file is exactly this."""

from __future__ import annotations

from typing import Literal

from krypsis.report.parts import (
    AttackResult,
    Citation,
    DependenceMap,
    FurtherTable,
    GaugeFigure,
    HistorySection,
    SolutionSpace,
    Suppression,
)
from krypsis.report.values import (
    AttributeLoss,
    Distribution,
    DossierSection,
    MetricFigure,
    PromiseResult,
    SetRisk,
    Value,
    most_at_risk,
)


class ReportContent(Value):
    """All that a report says about a release."""

    kind: Literal["table"] = "table"
    release_id: str
    """Of the release that the report is about, also in its manifest."""
    title: str
    name: str
    tool_version: str
    holds: bool
    summary: tuple[str, ...]
    promises: tuple[PromiseResult, ...]
    disclosed: int = 0
    """How many records lie in groups in which a sensitive value is certain, or nearly so, added up over the columns."""
    guarantee: str = ""
    """What the method guarantees beyond the promises, or that it guarantees nothing."""
    records_before: int
    records_published: int
    suppressed: int
    suppressed_share: float
    suppression: str
    history: HistorySection | None = None
    """Of a version of a table that changes: what is new in it."""
    risk: tuple[SetRisk, ...]
    risk_unit: Literal["record", "subject"] = "record"
    """What is counted in groups: records, or subjects who may have rows in several tables."""
    attacks: tuple[AttackResult, ...] = ()
    gauge: GaugeFigure
    attributes: tuple[AttributeLoss, ...]
    metrics: tuple[MetricFigure, ...]
    changes: tuple[str, ...] = ()
    """What was changed or made by chance, one sentence each."""
    suppressed_by: Suppression | None = None
    distributions: tuple[Distribution, ...]
    dependence: DependenceMap | None = None
    tables: tuple[FurtherTable, ...] = ()
    space: SolutionSpace | None = None
    algorithm: str
    metric: str
    score: float | None
    dossier: DossierSection | None = None
    citation: Citation

    @property
    def main_risk(self) -> SetRisk | None:
        """The quasi-identifier set under which the published table is most at risk, if groups were looked at."""
        return most_at_risk(self.risk) if self.risk else None
