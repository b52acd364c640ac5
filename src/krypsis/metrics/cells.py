"""What the metrics have in common that charge each cell of the table for itself."""

from __future__ import annotations

from abc import abstractmethod
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.frequency import FrequencySet
from krypsis.groups import FloatArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.base import Metric
from krypsis.recoding import Outcome

CellTable = tuple[list[FloatArray], list[FloatArray]]
"""Per attribute the penalties ``[level, value]``, and their sums over all records per level."""

_tables: WeakKeyDictionary[FrequencySet, dict[type[Metric], CellTable]] = WeakKeyDictionary()


class CellMetric(Metric):
    """Charges each cell between 0 (unchanged) and 1 (nothing left); a suppressed record costs 1 in every cell.

    A penalty never falls from one level to the next, which makes the lower bound of the search hold.
    """

    @abstractmethod
    def penalties(self, hierarchy: Hierarchy) -> FloatArray:
        """Return the penalty ``[level, value]`` of releasing a value at a level."""

    @abstractmethod
    def combine(self, losses: FloatArray, weights: FloatArray) -> float:
        """Return the score from the mean penalty of each attribute."""

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        return self.combine(self.attribute_losses(outcome), outcome.frequency.attribute_weights)

    def attribute_losses(self, outcome: Outcome) -> FloatArray:
        """Return the mean penalty of each attribute."""
        penalties, totals = self._table(outcome.frequency)
        sums = np.array([totals[position][level] for position, level in enumerate(outcome.levels)])
        if outcome.suppressed:
            spared = [
                penalties[position][level] @ outcome.suppressed_values[position]
                for position, level in enumerate(outcome.levels)
            ]
            sums += outcome.suppressed - np.array(spared)
        losses: FloatArray = sums / outcome.rows
        return losses

    def _table(self, frequency: FrequencySet) -> CellTable:
        tables = _tables.setdefault(frequency, {})
        if type(self) not in tables:
            penalties = [self.penalties(hierarchy) for hierarchy in frequency.hierarchies]
            totals = [penalty @ marginal for penalty, marginal in zip(penalties, frequency.marginals, strict=True)]
            tables[type(self)] = (penalties, totals)
        return tables[type(self)]


def weighted_mean(losses: FloatArray, weights: FloatArray) -> float:
    """Return the mean of the attributes' losses by weight."""
    return float(losses @ weights / weights.sum())
