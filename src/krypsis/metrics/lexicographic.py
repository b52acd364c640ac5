"""Several metrics in order of preference."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from pydantic import Field, field_validator

from krypsis.data.recoding import LevelsOutcome, Outcome
from krypsis.metrics.base import Metric, metric_of


class Lexicographic(Metric):
    """Prefers what is best by the first metric, among those what is best by the second, and so on.

    Notes
    -----
    Samarati's preferences among k-minimal tables are such orders: ``height`` (minimum absolute distance),
    ``relative-height`` (minimum relative distance), ``lost-groups`` (maximum distribution) and ``suppressed-share``
    (minimum suppression), in any order. The score shown is that of the first metric.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001, section 4.

    Examples
    --------
    >>> [metric.name for metric in Lexicographic(order="suppressed-share+loss").criteria]
    ['suppressed-share', 'loss']
    """

    name: ClassVar[str] = "lexicographic"
    reported: ClassVar[bool] = False
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "the first metric; among equals the second; and so on"
    range: ClassVar[str] = "that of the first metric"
    sentence: ClassVar[str] = "what matters most is settled first, the rest only among equals"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    order: str = Field(default="suppressed-share+loss", description="metrics joined by +, the most important first")

    @field_validator("order")
    @classmethod
    def _known(cls, order: str) -> str:
        for name in order.split("+"):
            metric_of(name)
        return order

    @cached_property
    def criteria(self) -> tuple[Metric, ...]:
        return tuple(metric_of(name) for name in self.order.split("+"))

    def best(self, outcome: Outcome) -> float:
        return self.criteria[0].best(outcome)

    def worst(self, outcome: Outcome) -> float:
        return self.criteria[0].worst(outcome)

    def compute(self, outcome: Outcome) -> float:
        return self.criteria[0].compute(outcome)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:
        return self.criteria[0].lower_bound(outcome, highest)
