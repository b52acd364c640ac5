"""What the metrics have in common that charge each cell of the table for itself."""

from __future__ import annotations

from abc import abstractmethod

from pydantic import Field

from krypsis.groups import FloatArray, IntArray
from krypsis.metrics.factors import FactoredMetric
from krypsis.outcome import Outcome


class CellMetric(FactoredMetric):
    """Charges each cell between 0 (unchanged) and 1 (nothing left); a suppressed record costs 1 in every cell.

    Two factors shift the balance. A kept cell pays its penalty times ``generalization``; a suppressed one pays what it
    would pay if it were kept, and ``suppression`` times the rest up to 1. A penalty never falls from one level to the
    next, and suppressing never makes a cell cheaper, which makes the lower bound of the search hold.
    """

    suppression: float = Field(
        default=1.0, ge=0, le=1, description="how much of what is left of a record counts as lost when it is suppressed"
    )

    @staticmethod
    @abstractmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:
        """Return the cost of labels that stand for so many ``leaves`` of all ``values``.

        ``climbed`` says how far up their hierarchy they are, from 0 to 1; its shape goes with that of ``leaves``.
        """

    @abstractmethod
    def combine(self, losses: FloatArray, weights: FloatArray) -> float:
        """Return the score from the mean penalty of each attribute."""

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        means = outcome.mean_penalties(self.penalty, self.generalization, self.suppression)
        return self.combine(means, outcome.frequency.attribute_weights)


def weighted_mean(losses: FloatArray, weights: FloatArray) -> float:
    """Return the mean of the attributes' losses by weight."""
    return float(losses @ weights / weights.sum())
