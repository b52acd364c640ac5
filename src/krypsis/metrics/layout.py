"""All labels of a frequency set in one array, for the kernels that look at thousands of nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.recoding import CellsOutcome, FrequencySet, LevelsOutcome, Outcome
from krypsis.kernels.labels import label_areas

PRIME = (1 << 40) - 87
"""Label numbers are multiples modulo this prime: those of one column stay apart, and sums of them cannot overflow."""

_layouts: "WeakKeyDictionary[FrequencySet, Layout]" = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Layout:
    """The labels of all values: attribute after attribute, level after level, value after value."""

    values: IntArray
    """The number of values of each attribute."""
    begins: IntArray
    """Where the labels of each attribute begin."""
    labels: CodeArray
    leaves: FloatArray
    """How many values each label stands for."""

    @classmethod
    def of(cls, frequency: FrequencySet) -> "Layout":
        """Return the layout of a frequency set; it is made once."""
        if frequency not in _layouts:
            tables = [hierarchy.table for hierarchy in frequency.hierarchies]
            _layouts[frequency] = cls(
                np.array([table.shape[1] for table in tables], dtype=np.int64),
                np.cumsum([0, *(table.size for table in tables[:-1])], dtype=np.int64),
                np.concatenate([table.ravel() for table in tables]),
                np.concatenate([hierarchy.leaves.ravel() for hierarchy in frequency.hierarchies]).astype(np.float64),
            )
        return _layouts[frequency]

    @cached_property
    def digits(self) -> IntArray:
        """The labels as numbers whose sum over the attributes is a good hash of a tuple."""
        lengths = np.diff(np.append(self.begins, len(self.labels)))
        factors = np.repeat(np.random.default_rng(0).integers(1, 2**31, len(lengths)), lengths)
        digits: IntArray = (self.labels + np.int64(1)) * factors % PRIME
        return digits

    def starts(self, levels: Sequence[int]) -> IntArray:
        """Return where the labels of each attribute at its level begin."""
        starts: IntArray = self.begins + self.values * np.array(levels, dtype=np.int64)
        return starts


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
