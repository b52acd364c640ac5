"""Discernibility."""

from __future__ import annotations

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric


class Discernibility(Metric):
    """How many records each record can no longer be distinguished from, summed over the records.

    Notes
    -----
    Each record costs the size of its group, so a group costs its size squared; a suppressed record costs the size of
    the table. The thesis charges the square to each record (erratum E19).

    References
    ----------
    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """

    name: ClassVar[str] = "discernibility"
    aliases: ClassVar[tuple[str, ...]] = ("dm",)
    formula: ClassVar[str] = "∑ over groups of size² + records · suppressed"
    range: ClassVar[str] = "the sum of squares of the original groups to records²"
    sentence: ClassVar[str] = "each record is charged the number of records it looks like; large groups cost most"
    reference: ClassVar[str] = "Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005"

    def best(self, outcome: Outcome) -> float:
        counts = outcome.frequency.counts
        return float(counts @ counts)

    def worst(self, outcome: Outcome) -> float:
        return float(outcome.rows) ** 2

    def compute(self, outcome: Outcome) -> float:
        return float(outcome.square_sum + outcome.rows * outcome.suppressed)
