"""The matrix of distance vectors: Samarati's way to count groups without building any table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from krypsis.algorithms.rollup import Levels, NodeGroups
from krypsis.arrays import BoolArray
from krypsis.errors import UsageError
from krypsis.frequency import FrequencySet
from krypsis.hierarchies.base import Hierarchy
from krypsis.kernels.rows import merge

MOST_TUPLES = 2000
"""The matrix has a vector for every pair of tuples; with more of them it would not fit."""


class DistanceVectors:
    """For every two tuples and every attribute, the level at which they become alike.

    A node makes two tuples alike if and only if none of these levels lies above the node's.

    Examples
    --------
    >>> zips = Hierarchy.from_rows([["94138", "9413*", "*"], ["94139", "9413*", "*"], ["94141", "9414*", "*"]])
    >>> frequency = FrequencySet(("zip",), (zips,), np.array([[0], [1], [2]], dtype=np.int32), np.array([1, 3, 2]))
    >>> vectors = DistanceVectors(frequency)
    >>> vectors.matrix[:, :, 0].tolist()
    [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    >>> vectors.groups((1,)).sizes.tolist()
    [4, 2]
    """

    def __init__(self, frequency: FrequencySet) -> None:
        tuples = len(frequency.counts)
        if tuples > MOST_TUPLES:
            raise UsageError(
                f"the method 'distance-vectors' compares every two combinations of values and is meant for up to "
                f"{MOST_TUPLES:,} of them; here are {tuples:,}. Use the method 'frequency': it finds the same"
            )
        self._frequency = frequency
        self.matrix: npt.NDArray[np.int16] = np.stack(
            [_levels_apart(*pair) for pair in zip(frequency.hierarchies, frequency.codes.T, strict=True)], axis=2
        )

    def groups(self, levels: Levels) -> NodeGroups:
        """Return the groups at a node."""
        alike: BoolArray = np.all(self.matrix <= np.array(levels), axis=2)
        # Every tuple goes by the first one that it is like.
        first, numbers = np.unique(alike.argmax(axis=1), return_inverse=True)
        sizes = (alike[first] @ self._frequency.counts).astype(np.int64)
        sensitive = {
            name: merge(histogram, numbers.astype(np.int32)) for name, histogram in self._frequency.sensitive.items()
        }
        return NodeGroups(levels, first.astype(np.int64), sizes, sensitive)


def _levels_apart(hierarchy: Hierarchy, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
    # Values that are alike at a level are alike at all above it, so counting where they differ finds the level.
    apart = np.zeros((len(codes), len(codes)), dtype=np.int16)
    for level in hierarchy.table:
        apart += level[codes][:, None] != level[codes]
    return apart
