"""Increase of discernibility."""

from __future__ import annotations

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.discernibility import Discernibility


class DiscernibilityIncrease(Discernibility):
    """How many more records each record looks like than in the original table, summed over the records.

    Notes
    -----
    Discernibility of the release minus that of the original table. It orders releases of one table as discernibility
    does; in addition, it says what the release itself has cost (erratum E20 of the thesis mixes the two up).

    References
    ----------
    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005 (discernibility).
    """

    name: ClassVar[str] = "discernibility-increase"
    aliases: ClassVar[tuple[str, ...]] = ("delta-dm",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "discernibility − ∑ over original tuples of count²"
    range: ClassVar[str] = "0 (unchanged) to records² − ∑ over original tuples of count²"
    sentence: ClassVar[str] = "how much discernibility was added by generalizing and suppressing"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return super().worst(outcome) - super().best(outcome)

    def compute(self, outcome: Outcome) -> float:
        return super().compute(outcome) - super().best(outcome)
