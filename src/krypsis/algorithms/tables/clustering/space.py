"""The records of a table as points, cut into blocks where all pairs would be too many."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.blocks import cut_by_cost, cut_into_blocks
from krypsis.algorithms.tables.boxes import Axis
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.recoding import FrequencySet
from krypsis.kernels.runs import LINE, MATRIX, TREE, RunCosts, box_costs, enclose_groups, neighbor_maxima

LARGEST_MATRIX = 256
"""Up to so many values an axis has the cost of every run in a table, which is looked up fastest."""


def run_costs(axes: Sequence[Axis], largest_matrix: int = LARGEST_MATRIX) -> RunCosts:
    """Return the costs of all runs on all axes, weights included.

    Examples
    --------
    >>> from krypsis.algorithms.tables.boxes import axes_of
    >>> from krypsis.data.recoding import FrequencySet
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> from krypsis.kernels.runs import cost_of_run
    >>> from krypsis.metrics.ncp import NormalizedCertaintyPenalty
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (9, 11, 31)])
    >>> people = FrequencySet(("age",), (age,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    >>> costs = run_costs(axes_of(people, NormalizedCertaintyPenalty()))
    >>> round(cost_of_run(costs, 0, 0, 1), 3)
    0.091
    """
    parts = [_table(axis, largest_matrix) for axis in axes]
    sizes = [table.size for _, table, _ in parts]
    return RunCosts(
        kind=np.array([kind for kind, _, _ in parts], dtype=np.int64),
        start=np.cumsum([0, *sizes], dtype=np.int64)[:-1],
        width=np.array([width for _, _, width in parts], dtype=np.int64),
        missing=np.array([axis.known if axis.has_missing else -1 for axis in axes], dtype=np.int64),
        table=np.concatenate([np.zeros(0), *(table.ravel() for _, table, _ in parts)]),
    )


def _table(axis: Axis, largest_matrix: int) -> tuple[int, FloatArray, int]:
    """Return the kind of the axis, its numbers and the width of a row of them."""
    ranks = np.arange(len(axis.code_at), dtype=np.int32)
    if len(ranks) <= largest_matrix:
        low, high = np.meshgrid(ranks, ranks, indexing="ij")
        costs = axis.cost(np.minimum(low, high).ravel(), np.maximum(low, high).ravel())
        return MATRIX, axis.weight * costs, len(ranks)
    if axis.form == "node":
        # The common ancestor of a run is that of two neighbors in
        # it, so the costs of neighbors decide that of every run.
        neighbors = neighbor_maxima(axis.cost(ranks[:-1], ranks[1:]))
        return TREE, axis.weight * neighbors, neighbors.shape[1]
    return LINE, axis.weight * np.append(axis.position[: len(ranks)], 1.0), len(ranks)


@dataclass(frozen=True, eq=False)
class GroupBoxes:
    """The smallest boxes around groups, ``lows[axis, group]`` to ``highs[axis, group]``, and their sizes."""

    lows: CodeArray
    highs: CodeArray
    sizes: IntArray

    @property
    def middles(self) -> CodeArray:
        """The middle of each box, as one point."""
        return np.ascontiguousarray((self.lows + self.highs) // 2)

    def chosen(self, groups: IntArray) -> "GroupBoxes":
        """Return copies of some of them."""
        return GroupBoxes(
            np.ascontiguousarray(self.lows[:, groups]),
            np.ascontiguousarray(self.highs[:, groups]),
            self.sizes[groups],
        )


@dataclass(frozen=True, eq=False)
class RankSpace:
    """``columns[axis, record]`` are the ranks of the records; ``costs`` says what boxes around them cost."""

    columns: CodeArray
    costs: RunCosts

    @classmethod
    def of(cls, frequency: FrequencySet, axes: Sequence[Axis]) -> "RankSpace":
        """Return the records of a table, each a point of its own."""
        return cls(np.ascontiguousarray(ranks_of(frequency.codes, axes).T), run_costs(axes))

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.columns.shape[1])

    def part(self, records: IntArray) -> CodeArray:
        """Return the columns of some of the records."""
        return np.ascontiguousarray(self.columns[:, records])

    def boxes(self, group_of: CodeArray) -> GroupBoxes:
        """Return the boxes of groups that are numbered from 0 on."""
        shape = (len(self.columns), int(group_of.max(initial=-1)) + 1)
        found = GroupBoxes(np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape[1], np.int64))
        enclose_groups(self.columns, group_of, found.lows, found.highs, found.sizes)
        return found

    def penalty(self, group_of: CodeArray) -> float:
        """Return what all records pay together: the sum over the groups of size times cost of the box."""
        boxes = self.boxes(group_of)
        paid = np.zeros(len(boxes.sizes))
        box_costs(self.costs, boxes.lows, boxes.highs, paid)
        return float(paid @ boxes.sizes)

    def blocks(self, points: CodeArray, largest: int | None, tilts: FloatArray | None = None) -> list[IntArray]:
        """Cut points ``[axis, point]`` into blocks of at most ``largest``; return the points of each, in their order.

        ``tilts`` make an axis more likely to be cut than others, so that other points lie side by side in a block.
        """
        weights = np.ones(len(points)) if tilts is None else tilts
        return cut_into_blocks(points.shape[1], largest, lambda block: cut_by_cost(points, self.costs, weights, block))


def renumbered(group_of: CodeArray) -> CodeArray:
    """Return the groups numbered without gaps, in the order of their numbers.

    Examples
    --------
    >>> renumbered(np.array([7, 2, 7], dtype=np.int32)).tolist()
    [1, 0, 1]
    """
    return np.unique(group_of, return_inverse=True)[1].astype(np.int32)
