"""Groups are grown around seeds and then improved, block by block."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.blocks import Grouped, gathered
from krypsis.algorithms.clustering.space import Space, renumbered
from krypsis.algorithms.threads import work_on_each
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels.clustering import grow_groups
from krypsis.kernels.improving import Grouping, improve_groups

SWEEPS = 8
"""How often all records of a block are looked at in one round, at most; few are left after three."""


def grow(space: Space, k: int, block: int | None, threads: int = 1) -> CodeArray:
    """Return groups of ``k`` records each, a few more in some; a block of fewer records is one group."""

    def grown(records: IntArray) -> Grouped:
        group_of = np.zeros(len(records), dtype=np.int32)
        grow_groups(space.part(records), space.costs, k, group_of)
        return records, group_of

    return gathered(space.records, work_on_each(grown, space.blocks(space.columns, block), threads))


def improve(
    space: Space, group_of: CodeArray, k: int, block: int | None, tilts: FloatArray, threads: int = 1
) -> CodeArray:
    """Return the groups after records were moved and swapped, and groups dissolved, within blocks of groups.

    Every group has from ``k`` to ``2 k - 1`` records before and after.
    """
    boxes = space.boxes(group_of)
    by_group = np.argsort(group_of, kind="stable").astype(np.int64)
    ends = np.cumsum(boxes.sizes)

    def improved(groups: IntArray) -> Grouped:
        records = np.concatenate([by_group[ends[group] - boxes.sizes[group] : ends[group]] for group in groups])
        grouping = _grouping(np.repeat(np.arange(len(groups)), boxes.sizes[groups]), k, len(space.columns))
        improve_groups(space.part(records), space.costs, k, SWEEPS, grouping)
        return records, renumbered(grouping.group_of)

    largest = None if block is None else max(block // k, 2)
    return gathered(space.records, work_on_each(improved, space.blocks(boxes.middles, largest, tilts), threads))


def _grouping(group_of: IntArray, k: int, axes: int) -> Grouping:
    """Return records, sorted by their groups, as the loop of the improvement needs them."""
    sizes = np.bincount(group_of).astype(np.int64)
    groups = len(sizes)
    members = np.zeros((groups, 2 * k), dtype=np.int32)
    places = np.arange(len(group_of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members[group_of, places] = np.arange(len(group_of))
    return Grouping(
        group_of=group_of.astype(np.int32),
        members=members,
        sizes=sizes,
        lows=np.zeros((axes, groups), dtype=np.int32),
        highs=np.zeros((axes, groups), dtype=np.int32),
        paid=np.zeros(groups),
        slack=np.zeros(len(group_of)),
        settled=np.zeros(len(group_of), dtype=np.bool_),
    )
