"""Discernibility, its increase, and its variant for suppressed records."""

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
    best_needs_tuples: ClassVar[bool] = True
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
    needs_tuples: ClassVar[bool] = True
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
    best_needs_tuples: ClassVar[bool] = True
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
