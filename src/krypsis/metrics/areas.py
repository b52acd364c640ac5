"""The area of a group: how many combinations of original values its labels stand for."""

from __future__ import annotations

from math import prod
from typing import cast

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.outcome import CellsOutcome, LevelsOutcome, Outcome
from krypsis.kernels.labels import label_areas
from krypsis.metrics.layout import Layout


def kept_areas(outcome: Outcome) -> FloatArray:
    """Return the area of each group that is kept."""
    if not isinstance(outcome, LevelsOutcome):
        return _areas_of_cells(cast("CellsOutcome", outcome))
    kept = outcome.tuples[~outcome.refused]
    areas = np.empty(len(kept))
    layout = Layout.of(outcome.frequency)
    label_areas(outcome.frequency.codes, kept, layout.starts(outcome.levels), layout.leaves, areas)
    return areas


def whole_area(frequency: FrequencySet) -> float:
    """Return the number of combinations of values that the hierarchies know, which is the area of a lost record."""
    return float(prod(len(hierarchy.values) for hierarchy in frequency.hierarchies))


def _areas_of_cells(outcome: CellsOutcome) -> FloatArray:
    areas = np.ones(outcome.group_count)
    for position in range(len(outcome.frequency.attributes)):
        areas *= outcome.kept_leaves(position)
    return areas
