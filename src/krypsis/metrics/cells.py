"""What the metrics have in common that charge each cell of the table for itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.outcome import Outcome, penalty_table
from krypsis.metrics.factors import FactoredMetric


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
    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        """Return scores from the mean penalty of each attribute, which stand side by side in the last axis."""

    def level_costs(self, frequency: FrequencySet, position: int) -> FloatArray:
        """Return ``costs[level, value]``: what an attribute costs at each level of its hierarchy."""
        hierarchy = frequency.hierarchies[position]
        climbed = np.arange(hierarchy.height + 1)[:, None] / max(hierarchy.height, 1)
        return np.asarray(self.penalty(hierarchy.leaves, len(hierarchy.values), climbed), dtype=np.float64)

    def charges(self, frequency: FrequencySet) -> Iterable[tuple[FloatArray, FloatArray]]:
        """Return for each attribute the sum of the penalties of all records and the highest of them, by level."""
        table = penalty_table(frequency, self.penalty)
        return zip(map(np.array, table.totals), map(np.array, table.highest), strict=True)

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        means = outcome.mean_penalties(self.penalty, self.generalization, self.suppression)
        return float(self.combine(means, outcome.frequency.attribute_weights))

    def least(self, frequency: FrequencySet, levels: IntArray, suppressed: IntArray) -> FloatArray:
        """Return the scores if those records were suppressed that have least to lose."""
        sums = np.empty(levels.shape)
        for position, (totals, highest) in enumerate(self.charges(frequency)):
            level = levels[:, position]
            spared = np.minimum(suppressed * highest[level], totals[level])
            sums[:, position] = self.generalization * totals[level]
            sums[:, position] += self.suppression * (suppressed - self.generalization * spared)
        return self.combine(sums / frequency.rows, frequency.attribute_weights)


def weighted_mean(losses: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the attributes' losses by weight."""
    return np.asarray(losses @ weights / weights.sum())
