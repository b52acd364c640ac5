"""The axes as the compiled loops need them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.algorithms.boxes import Axis
from krypsis.arrays import FloatArray
from krypsis.kernels.runs import LINE, MATRIX, TREE, RunCosts, neighbor_maxima

LARGEST_MATRIX = 256
"""Up to so many values an axis has the cost of every run in a table, which is looked up fastest."""


def run_costs(axes: Sequence[Axis], largest_matrix: int = LARGEST_MATRIX) -> RunCosts:
    """Return the costs of all runs on all axes, weights included.

    Examples
    --------
    >>> from krypsis.algorithms.boxes import axes_of
    >>> from krypsis.frequency import FrequencySet
    >>> from krypsis.hierarchies.base import Hierarchy
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
        neighbors = neighbor_maxima(axis.cost(ranks[:-1], ranks[1:]))
        return TREE, axis.weight * neighbors, neighbors.shape[1]
    return LINE, axis.weight * np.append(axis.position[: len(ranks)], 1.0), len(ranks)
