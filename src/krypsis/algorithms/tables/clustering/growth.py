"""Groups are grown around seeds and then improved, block by block."""

from typing import NamedTuple

import numpy as np

from krypsis.algorithms.tables.blocks import Grouped, gathered
from krypsis.algorithms.tables.clustering.space import RankSpace, renumbered
from krypsis.algorithms.threads import work_on_each
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, box_cost, join_costs, widen


@compiled
def grow_groups(columns: CodeArray, costs: RunCosts, k: int, group_of: CodeArray) -> int:
    """Form groups of ``k`` records one after the other; return their number and write the group of each record.

    A group starts with the record farthest from the start of the group before, and takes the record that makes its
    box least expensive until it has ``k``. Fewer than ``k`` are left at the end; each joins the group it adds least to.
    If there are fewer than ``k`` to begin with, they are one group.
    """
    axes, left = columns.shape
    free = columns.copy()
    records = np.arange(left)
    joined = np.empty(left)
    low, high = columns[:, 0].copy(), columns[:, 0].copy()
    lows, highs = np.empty((axes, left // k + 1), np.int32), np.empty((axes, left // k + 1), np.int32)
    groups = 0
    # Greedy k-member (Byun et al.): one cluster per iteration while k records are left.
    while left >= k:
        # Step 1: r = the record farthest from the cluster before, here from the lowest corner of its box.
        place = _farthest(costs, low, free, joined[:left])
        for size in range(k):
            if size:
                join_costs(costs, low, high, free, free, joined[:left])
                # Step 2: add the record that increases the information loss of the cluster least, until it has k.
                place = int(joined[:left].argmin())
            else:
                low[:] = free[:, place]
                high[:] = free[:, place]
            widen(low, high, free[:, place], free[:, place])
            group_of[records[place]] = groups
            left -= 1
            # The last free record takes the place of the one that was taken, so the free ones stay in front.
            records[place] = records[left]
            free[:, place] = free[:, left]
        lows[:, groups] = low
        highs[:, groups] = high
        groups += 1
    if groups == 0:
        group_of[:] = 0
        return 1
    # Step 3: fewer than k records are left; each joins the cluster it adds the least loss to.
    _place_rest(columns, costs, k, records[:left], lows, highs, group_of, groups)
    return groups


@compiled
def _farthest(costs: RunCosts, point: CodeArray, free: CodeArray, joined: FloatArray) -> int:
    join_costs(costs, point, point, free, free, joined)
    return int(joined.argmax())


@compiled
def _place_rest(
    columns: CodeArray, costs: RunCosts, k: int, rest: IntArray, lows: CodeArray, highs: CodeArray,
    group_of: CodeArray, groups: int,
) -> None:  # fmt: skip
    """Add each record of the rest to the group whose records then pay least more."""
    sizes = np.full(groups, k)
    joined = np.empty(groups)
    paid = np.empty(groups)
    for group in range(groups):
        paid[group] = k * box_cost(costs, lows[:, group].copy(), highs[:, group].copy())
    for record in rest:
        point = columns[:, record].copy()
        join_costs(costs, point, point, lows, highs, joined)
        found = ((sizes + 1) * joined - paid).argmin()
        sizes[found] += 1
        paid[found] = sizes[found] * joined[found]
        widen(lows[:, found], highs[:, found], point, point)
        group_of[record] = found


EPSILON = 1e-9
"""Costs are sums of fractions; what is less than this apart is equal."""


class Grouping(NamedTuple):
    """Groups while they change."""

    group_of: CodeArray
    members: CodeArray
    """``members[group, place]``, as many as ``sizes[group]``."""
    sizes: IntArray
    lows: CodeArray
    highs: CodeArray
    paid: FloatArray
    """What all records of a group pay."""
    slack: FloatArray
    """What the records of a record's group would pay less if it were not among them, and as many as before."""
    settled: BoolArray
    """Records for which nothing was found since their group changed last."""


@compiled
def improve_groups(columns: CodeArray, costs: RunCosts, k: int, sweeps: int, grouping: Grouping) -> int:
    """Move and swap records and dissolve groups while that saves anything; return how often something was done.

    Every group has from ``k`` to ``2 k - 1`` records before and after; a group that is dissolved has none.
    """
    for group in range(len(grouping.sizes)):
        _renew(columns, costs, group, grouping)
    changes = 0
    # Every change lowers the penalty, so this ends; after a sweep without change no further one would find any.
    for _ in range(sweeps):
        before = changes
        for record in range(columns.shape[1]):
            if not grouping.settled[record]:
                grouping.settled[record] = True
                changes += _improve(columns, costs, k, record, grouping)
        for group in range(len(grouping.sizes)):
            changes += _dissolve(columns, costs, k, group, grouping)
        if changes == before:
            break
    return changes


@compiled
def _renew(columns: CodeArray, costs: RunCosts, group: int, grouping: Grouping) -> None:
    """Note the box of a group that has changed, what its records pay, and what each of them is to blame for."""
    size = grouping.sizes[group]
    if size == 0:
        grouping.paid[group] = 0.0
        return
    low, high = _box_without(columns, grouping.members[group, :size], -1)
    grouping.lows[:, group] = low
    grouping.highs[:, group] = high
    grouping.paid[group] = size * box_cost(costs, low, high)
    for place in range(size):
        record = grouping.members[group, place]
        grouping.settled[record] = grouping.paid[group] <= EPSILON
        grouping.slack[record] = 0.0
        if size > 1:
            low, high = _box_without(columns, grouping.members[group, :size], place)
            grouping.slack[record] = grouping.paid[group] - size * box_cost(costs, low, high)


@compiled
def _box_without(columns: CodeArray, members: CodeArray, left_out: int) -> tuple[CodeArray, CodeArray]:
    """Return the smallest box around all members but the one at a place."""
    first = members[1] if left_out == 0 else members[0]
    low, high = columns[:, first].copy(), columns[:, first].copy()
    for place in range(len(members)):
        if place != left_out:
            widen(low, high, columns[:, members[place]], columns[:, members[place]])
    return low, high


@compiled
def _place_of(members: CodeArray, record: int) -> int:
    place = 0
    while members[place] != record:
        place += 1
    return place


@compiled
def _improve(columns: CodeArray, costs: RunCosts, k: int, record: int, grouping: Grouping) -> int:
    """Do the better of moving a record and swapping it, if that saves anything."""
    group = grouping.group_of[record]
    size = grouping.sizes[group]
    members = grouping.members[group, :size]
    saved, target = EPSILON, -1
    if size > 1:
        low, high = _box_without(columns, members, _place_of(members, record))
    else:
        low, high = columns[:, record].copy(), columns[:, record].copy()
    # Moving a record away is allowed only if its group keeps k.
    if size > k:
        rest = grouping.paid[group] - (size - 1) * box_cost(costs, low, high)
        more, target = _best_target(columns, costs, k, record, grouping, rest - saved)
        saved = rest - more
    partner = _best_partner(columns, costs, record, low, high, grouping, saved)
    if partner >= 0:
        _swap(columns, costs, record, partner, grouping)
    elif target >= 0:
        _move(columns, costs, record, target, grouping)
    return 1 if partner >= 0 or target >= 0 else 0


@compiled
def _best_partner(
    columns: CodeArray, costs: RunCosts, record: int, low: CodeArray, high: CodeArray, grouping: Grouping, saved: float
) -> int:
    """Return with whom swapping a record saves most, if more than ``saved``, else -1.

    ``low`` and ``high`` are the box of its group without it.
    """
    group, found = grouping.group_of[record], -1
    size, paid, point = grouping.sizes[group], grouping.paid[group], columns[:, record].copy()
    joined = np.empty(columns.shape[1])
    join_costs(costs, low, high, columns, columns, joined)
    most = paid + grouping.slack - size * joined  # the partner's group cannot save more than its slack
    for other in range(len(most)):
        there = grouping.group_of[other]
        if there == group or most[other] <= saved:
            continue
        others = grouping.members[there, : grouping.sizes[there]]
        other_low, other_high = point.copy(), point.copy()
        if len(others) > 1:
            other_low, other_high = _box_without(columns, others, _place_of(others, other))
            widen(other_low, other_high, point, point)
        there_paid = len(others) * box_cost(costs, other_low, other_high)
        change = paid - size * joined[other] + grouping.paid[there] - there_paid
        if change > saved:
            saved, found = change, other
    return found


@compiled
def _best_target(
    columns: CodeArray, costs: RunCosts, k: int, record: int, grouping: Grouping, limit: float
) -> tuple[float, int]:
    """Return what a group with room for a record would pay more with it, at least, and that group, if below a limit."""
    point = columns[:, record].copy()
    joined = np.empty(len(grouping.sizes))
    join_costs(costs, point, point, grouping.lows, grouping.highs, joined)
    found = -1
    for group in range(len(joined)):
        size = grouping.sizes[group]
        more = (size + 1) * joined[group] - grouping.paid[group]
        if 0 < size < 2 * k - 1 and group != grouping.group_of[record] and more < limit:
            limit, found = more, group
    return limit, found


@compiled
def _swap(columns: CodeArray, costs: RunCosts, record: int, partner: int, grouping: Grouping) -> None:
    here, there = grouping.group_of[record], grouping.group_of[partner]
    grouping.members[here, _place_of(grouping.members[here], record)] = partner
    grouping.members[there, _place_of(grouping.members[there], partner)] = record
    grouping.group_of[record], grouping.group_of[partner] = there, here
    _renew(columns, costs, here, grouping)
    _renew(columns, costs, there, grouping)


@compiled
def _move(columns: CodeArray, costs: RunCosts, record: int, target: int, grouping: Grouping) -> None:
    here = grouping.group_of[record]
    grouping.sizes[here] -= 1
    last = grouping.members[here, grouping.sizes[here]]
    grouping.members[here, _place_of(grouping.members[here], record)] = last
    grouping.members[target, grouping.sizes[target]] = record
    grouping.sizes[target] += 1
    grouping.group_of[record] = target
    _renew(columns, costs, here, grouping)
    _renew(columns, costs, target, grouping)


@compiled
def _dissolve(columns: CodeArray, costs: RunCosts, k: int, group: int, grouping: Grouping) -> int:
    """Give the records of a group to others, one by one, if they all pay less there in the end."""
    left, size = grouping.paid[group] - EPSILON, grouping.sizes[group]
    members = grouping.members[group, :size].copy()
    targets = np.full(size, -1)
    for place in range(size):
        more, target = _best_target(columns, costs, k, members[place], grouping, left)
        if target < 0:
            break
        left -= more
        targets[place] = target
        _move(columns, costs, members[place], target, grouping)
    # All records found a place; else everything is moved back.
    if size and targets[size - 1] >= 0:
        return 1
    for place in range(size):
        if targets[place] >= 0:
            _move(columns, costs, members[place], group, grouping)
    return 0


SWEEPS = 8
"""How often all records of a block are looked at in one round, at most; few are left after three."""


def grow(space: RankSpace, k: int, block: int | None, threads: int = 1) -> CodeArray:
    """Return groups of ``k`` records each, a few more in some; a block of fewer records is one group."""

    def grown(records: IntArray) -> Grouped:
        group_of = np.zeros(len(records), dtype=np.int32)
        grow_groups(space.part(records), space.costs, k, group_of)
        return records, group_of

    return gathered(space.records, work_on_each(grown, space.blocks(space.columns, block), threads))


def improve(
    space: RankSpace, group_of: CodeArray, k: int, block: int | None, tilts: FloatArray, threads: int = 1
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
