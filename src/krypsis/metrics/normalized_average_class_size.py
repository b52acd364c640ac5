"""Normalized average class size."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from krypsis.metrics.base import Metric
from krypsis.outcome import LevelsOutcome, Outcome


class NormalizedAverageClassSize(Metric):
    """How many times larger than ``k`` the published groups are on average.

    Notes
    -----
    Only published records count, so read it beside the share suppressed: leaving out large groups makes the figure
    smaller. For that reason a range of recodings is bounded by the smallest group that may survive at its lowest
    levels: every group above it holds at least one such group whole. With nothing published it is at its worst.

    References
    ----------
    LeFevre et al., "Mondrian multidimensional k-anonymity", ICDE 2006, section 2.2.
    """

    name: ClassVar[str] = "normalized-average-class-size"
    aliases: ClassVar[tuple[str, ...]] = ("cavg",)
    formula: ClassVar[str] = "published records / (groups · k)"
    range: ClassVar[str] = "1 (every group has k records) to records / k; below 1 if groups are smaller than k"
    sentence: ClassVar[str] = "1 means groups are no larger than k asks for, 3 that they are three times as large"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    k: int = Field(default=1, ge=1, description="the group size that is asked for; 1 gives the plain average")

    def best(self, outcome: Outcome) -> float:
        return outcome.rows / (len(outcome.frequency.counts) * self.k)

    def worst(self, outcome: Outcome) -> float:
        return outcome.rows / self.k

    def compute(self, outcome: Outcome) -> float:
        if not outcome.group_count:
            return self.worst(outcome)
        return (outcome.rows - outcome.suppressed) / (outcome.group_count * self.k)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:  # noqa: ARG002
        return float(outcome.kept_sizes.min()) / self.k if outcome.group_count else self.worst(outcome)
