"""Ambiguity."""

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric
from krypsis.metrics.layout import kept_areas, whole_area


class Ambiguity(Metric):
    """How many original records each published record could have been, summed over the records.

    Notes
    -----
    A record published with labels that stand for ``b1, b2, …`` values could have been any of ``b1 · b2 · …``
    combinations. A suppressed record could have been anything. Numbers of combinations grow fast: on a table with many
    attributes few suppressed records outweigh all others.

    References
    ----------
    Goldberger and Tassa, "Efficient anonymizations with enhanced utility", Transactions on Data Privacy 3(2), 2010.
    """

    name: ClassVar[str] = "ambiguity"
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over records of ∏ᵢ leaves; a suppressed record costs ∏ᵢ all leaves"
    range: ClassVar[str] = "records to records · number of all combinations of values"
    sentence: ClassVar[str] = "how many combinations of original values a published record could stand for, added up"
    reference: ClassVar[str] = "Goldberger and Tassa, Efficient anonymizations with enhanced utility, TDP 3(2), 2010"

    def best(self, outcome: Outcome) -> float:
        return float(outcome.rows)

    def worst(self, outcome: Outcome) -> float:
        return outcome.rows * whole_area(outcome.frequency)

    def compute(self, outcome: Outcome) -> float:
        lost = outcome.suppressed * whole_area(outcome.frequency)
        return float(outcome.kept_sizes @ kept_areas(outcome)) + lost
