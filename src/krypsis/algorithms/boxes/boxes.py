"""The boxes of groups: the lowest and the highest rank of each group on each axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.boxes.axes import Axis
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Boxes:
    """``low[group, axis]`` and ``high[group, axis]`` are ranks, both inclusive."""

    low: CodeArray
    high: CodeArray
    is_region: bool = False
    """Whether a group is published as all of its box, also where sets of values are published."""
    opened: BoolArray | None = None
    """``opened[group, axis]``: the box begins just after the value before ``low``, and is written so: ``(a-b]``."""

    def costs(self, axes: Sequence[Axis]) -> FloatArray:
        """Return ``costs[group, axis]``: what one record of the group pays on each axis, without weights."""
        columns = [axis.cost(self.low[:, place], self.high[:, place]) for place, axis in enumerate(axes)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.low), 0))


def ranks_of(codes: CodeArray, axes: Sequence[Axis]) -> CodeArray:
    """Return ``ranks[tuple, axis]`` of tuples given by their level-0 codes."""
    return np.ascontiguousarray(np.stack([axis.rank_of[codes[:, place]] for place, axis in enumerate(axes)], axis=1))


def boxes_of(ranks: CodeArray, group_of: IntArray | CodeArray, groups: int) -> Boxes:
    """Return the smallest box around each group; every group has at least one tuple.

    Examples
    --------
    >>> boxes = boxes_of(np.array([[3], [1], [2]], dtype=np.int32), np.array([0, 0, 1]), 2)
    >>> boxes.low.tolist(), boxes.high.tolist()
    ([[1], [2]], [[3], [2]])
    """
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(groups))
    sorted_ranks = ranks[order]
    return Boxes(np.minimum.reduceat(sorted_ranks, starts), np.maximum.reduceat(sorted_ranks, starts))
