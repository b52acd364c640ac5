"""What a node costs: the penalties of all cells of all tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.metrics.cells import CellMetric
from krypsis.relations import Relations


class Costs:
    """The score of levels with some subjects suppressed, by a metric that charges each cell for itself."""

    def __init__(self, relations: Relations, counts: IntArray, metric: CellMetric) -> None:
        self._relations, self._metric = relations, metric
        self._row_counts = [counts[table.subjects] for table in relations.tables]
        self._penalties = [self._by_level(position) for position in range(len(relations.attributes))]

    def score(self, levels: Sequence[int], suppressed: BoolArray) -> float:
        """Return the score when the subjects that are suppressed lose all their rows."""
        means = np.zeros(len(self._relations.attributes))
        for table, weights in zip(self._relations.tables, self._row_counts, strict=True):
            gone = suppressed[table.subjects]
            for place, attribute in enumerate(table.attributes):
                cost = self._penalties[attribute][levels[attribute]][table.codes[:, place]]
                cost = np.where(gone, cost + self._metric.suppression * (1 - cost), cost)
                means[attribute] = cost @ weights / weights.sum()
        return float(self._metric.combine(means, self._relations.attribute_weights))

    def _by_level(self, position: int) -> list[FloatArray]:
        """Return the penalty of each value at each level."""
        hierarchy = self._relations.hierarchies[position]
        return [
            self._metric.generalization
            * self._metric.penalty(
                leaves, len(hierarchy.values), np.full(len(leaves), level / max(hierarchy.height, 1))
            )
            for level, leaves in enumerate(hierarchy.leaves)
        ]
