"""Discernibility without a penalty for suppression."""

from __future__ import annotations

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric


class DiscernibilityStar(Metric):
    """How many records each record cannot be distinguished from, summed, as if no group were suppressed.

    Notes
    -----
    A suppressed group costs its size squared like any other, so the figure grows with generalization alone; ARX calls
    it monotonic discernability (DM*).

    References
    ----------
    LeFevre et al., "Mondrian multidimensional k-anonymity", ICDE 2006, section 2.2.
    """

    name: ClassVar[str] = "discernibility-star"
    aliases: ClassVar[tuple[str, ...]] = ("dm*", "dm-star")
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over groups of size², suppressed groups included"
    range: ClassVar[str] = "the sum of squares of the original groups to records²"
    sentence: ClassVar[str] = "each record is charged the number of records it would look like, suppressed or not"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    def best(self, outcome: Outcome) -> float:
        counts = outcome.frequency.counts
        return float(counts @ counts)

    def worst(self, outcome: Outcome) -> float:
        return float(outcome.rows) ** 2

    def compute(self, outcome: Outcome) -> float:
        return float(outcome.sizes @ outcome.sizes)
