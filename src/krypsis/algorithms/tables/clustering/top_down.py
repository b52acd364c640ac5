"""Top-down."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.blocks import gathered
from krypsis.algorithms.tables.clustering.pair_merges import cut_large, merge_refused, second_parts
from krypsis.algorithms.tables.clustering.search import GroupingSearch
from krypsis.algorithms.tables.clustering.space import RankSpace, renumbered
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, box_cost, join_costs, widen
from krypsis.progress import Progress

EPSILON = 1e-9
"""Costs are sums of fractions; what is less than this apart is equal."""


class Members(NamedTuple):
    """Groups while they change: boxes, sizes, and the records of a group as a chain from ``head[group]`` on."""

    group_of: CodeArray
    lows: CodeArray
    highs: CodeArray
    sizes: IntArray
    paid: FloatArray
    head: IntArray
    following: IntArray


@compiled
def adjust_groups(
    columns: CodeArray, costs: RunCosts, k: int, group_of: CodeArray, lows: CodeArray, highs: CodeArray, sizes: IntArray
) -> None:
    """Change the groups until all have at least ``k`` records or only one is left; groups that are gone have size 0."""
    head, following = np.full(len(sizes), -1), np.full(len(group_of), -1)
    paid = np.zeros(len(sizes))
    groups = Members(group_of, lows, highs, sizes, paid, head, following)
    # Backwards, so that every chain lists its records in ascending order.
    for record in range(len(group_of) - 1, -1, -1):
        following[record] = head[group_of[record]]
        head[group_of[record]] = record
    for group in range(len(sizes)):
        paid[group] = sizes[group] * box_cost(costs, lows[:, group].copy(), highs[:, group].copy())
    # Repeat until all groups have k records. Each step fills one group or removes it, so this ends.
    while (sizes > 0).sum() > 1 and ((sizes > 0) & (sizes < k)).any():
        for group in range(len(sizes)):
            if 0 < sizes[group] < k and (sizes > 0).sum() > 1:
                _adjust(columns, costs, k, group, groups)


@compiled
def _adjust(columns: CodeArray, costs: RunCosts, k: int, group: int, groups: Members) -> None:
    joined = np.empty(len(groups.sizes))
    low, high = groups.lows[:, group].copy(), groups.highs[:, group].copy()
    join_costs(costs, low, high, groups.lows, groups.highs, joined)
    # Adjustment (b): merge G with the group that gives the smallest penalty of the union.
    merging, partner = _cheapest_merge(group, groups, joined)
    # Adjustment (a): take k - |G| records from a donor of at least 2k - |G|, if that is cheaper than (b).
    donor = _cheapest_donor(columns, costs, k, group, groups, merging - EPSILON)
    if donor >= 0:
        _borrow(columns, costs, k, group, donor, groups)
        return
    record = groups.head[group]
    while record >= 0:
        after = groups.following[record]
        _attach(record, partner, groups)
        record = after
    groups.sizes[group] = 0
    groups.head[group] = -1
    _measure(columns, costs, partner, groups)


@compiled
def _cheapest_merge(group: int, groups: Members, joined: FloatArray) -> tuple[float, int]:
    """Return what merging costs at least, and with which group; of equally cheap ones the smaller."""
    best, found = np.inf, -1
    for other in range(len(joined)):
        size = groups.sizes[other]
        if other == group or size == 0:
            continue
        change = (groups.sizes[group] + size) * joined[other] - groups.paid[other] - groups.paid[group]
        if change < best - EPSILON or (change <= best + EPSILON and size < groups.sizes[found]):
            best, found = min(best, change), other
    return best, found


@compiled
def _cheapest_donor(columns: CodeArray, costs: RunCosts, k: int, group: int, groups: Members, limit: float) -> int:
    """Return the group from which borrowing costs least, if less than a limit, else -1; it keeps at least ``k``."""
    need, found = k - groups.sizes[group], -1
    for donor in range(len(groups.sizes)):
        if donor == group or groups.sizes[donor] < k + need:
            continue
        _, ours, theirs = _loan(columns, costs, need, group, donor, groups)
        change = k * ours + (groups.sizes[donor] - need) * theirs - groups.paid[donor] - groups.paid[group]
        if change < limit:
            limit, found = change, donor
    return found


@compiled
def _loan(
    columns: CodeArray, costs: RunCosts, need: int, group: int, donor: int, groups: Members
) -> tuple[IntArray, float, float]:
    """Choose records of a group one by one, each the nearest; return them, and what a record then pays in both."""
    records = np.empty(groups.sizes[donor], np.int64)
    record = groups.head[donor]
    for place in range(len(records)):
        records[place] = record
        record = groups.following[record]
    points = columns[:, records].copy()
    low, high = groups.lows[:, group].copy(), groups.highs[:, group].copy()
    joined, chosen = np.empty(len(records)), np.zeros(len(records), np.bool_)
    # The set G' of least penalty is built greedily: the nearest record, the box widened by it, and so on.
    for _ in range(need):
        join_costs(costs, low, high, points, points, joined)
        joined[chosen] = np.inf
        nearest = joined.argmin()
        chosen[nearest] = True
        widen(low, high, points[:, nearest], points[:, nearest])
    rest = points[:, ~chosen]
    rest_low, rest_high = rest[:, 0].copy(), rest[:, 0].copy()
    for place in range(1, rest.shape[1]):
        widen(rest_low, rest_high, rest[:, place], rest[:, place])
    return records[chosen], box_cost(costs, low, high), box_cost(costs, rest_low, rest_high)


@compiled
def _borrow(columns: CodeArray, costs: RunCosts, k: int, group: int, donor: int, groups: Members) -> None:
    records, _, _ = _loan(columns, costs, k - groups.sizes[group], group, donor, groups)
    for record in records:
        _detach(record, donor, groups)
        _attach(record, group, groups)
    _measure(columns, costs, group, groups)
    _measure(columns, costs, donor, groups)


@compiled
def _attach(record: int, group: int, groups: Members) -> None:
    groups.following[record] = groups.head[group]
    groups.head[group] = record
    groups.group_of[record] = group
    groups.sizes[group] += 1


@compiled
def _detach(record: int, group: int, groups: Members) -> None:
    groups.sizes[group] -= 1
    if groups.head[group] == record:
        groups.head[group] = groups.following[record]
        return
    before = groups.head[group]
    while groups.following[before] != record:
        before = groups.following[before]
    groups.following[before] = groups.following[record]


@compiled
def _measure(columns: CodeArray, costs: RunCosts, group: int, groups: Members) -> None:
    """Note the box of a group that has changed, and what its records pay."""
    record = groups.head[group]
    low, high = columns[:, record].copy(), columns[:, record].copy()
    while record >= 0:
        widen(low, high, columns[:, record], columns[:, record])
        record = groups.following[record]
    groups.lows[:, group] = low
    groups.highs[:, group] = high
    groups.paid[group] = groups.sizes[group] * box_cost(costs, low, high)


NEGLIGIBLE_COST = 1e-9
"""Groups whose records pay no more than this are as good as they can be."""


def divide(
    space: RankSpace, promises: Promises, rng: np.random.Generator, progress: Progress, *, by_box: bool = False
) -> CodeArray:
    """Cut groups in two as long as one part at least is accepted; those that cost nothing stay whole.

    Only accepted parts of ``2 k`` records and more are cut further. All groups of a level are cut together.
    """
    # Records are assigned in random order, as in the source paper.
    order = rng.permutation(space.records).astype(np.int64)
    group_of = np.zeros(space.records, dtype=np.int32)
    active = np.zeros(1, dtype=np.int64)
    # The paper's recursion, level by level. It stops below 2k
    # records, not at k: a further cut would have to be repaired.
    while len(active := active[np.bincount(group_of)[active] >= 2 * promises.k]) and not progress.wants_stop():
        group_of, active = _cut_once(space, promises, group_of, active, order, by_box=by_box)
    return group_of


def _cut_once(
    space: RankSpace, promises: Promises, group_of: CodeArray, active: IntArray, order: IntArray, *, by_box: bool
) -> tuple[CodeArray, IntArray]:
    """Return the groups after one cut of each active group, and those to go on with."""
    second, paid = second_parts(space, group_of, active, 0, order, by_box=by_box)
    groups = int(group_of.max()) + 1
    place = np.zeros(groups, dtype=np.int64)
    place[active] = np.arange(len(active))
    cut = np.where(second, groups + place[group_of], group_of).astype(np.int32)
    accepted = promises.keep(cut, groups + len(active))
    first, behind = accepted[active], accepted[groups:]
    # "T1 or T2 has >= k tuples", here: one part at least is accepted; a group that costs nothing gains nothing.
    worth = (paid > NEGLIGIBLE_COST) & (first | behind)
    number = groups + np.cumsum(worth) - 1
    divided = np.where(second & worth[place[group_of]], number[place[group_of]], group_of).astype(np.int32)
    return divided, np.concatenate([active[worth & first], number[worth & behind]])


def adjust(space: RankSpace, group_of: CodeArray, k: int, block: int | None) -> CodeArray:
    """Let groups of fewer than ``k`` records borrow or merge, within blocks of groups; a block may be left as one."""
    boxes = space.boxes(group_of)
    if not (boxes.sizes < k).any():
        return group_of
    by_group = np.argsort(group_of, kind="stable").astype(np.int64)
    ends = np.cumsum(boxes.sizes)

    def adjusted(groups: IntArray) -> tuple[IntArray, CodeArray]:
        records = np.concatenate([by_group[ends[group] - boxes.sizes[group] : ends[group]] for group in groups])
        part = boxes.chosen(groups)
        inside = np.repeat(np.arange(len(groups), dtype=np.int32), part.sizes)
        adjust_groups(space.part(records), space.costs, k, inside, part.lows, part.highs, part.sizes)
        return records, renumbered(inside)

    return gathered(space.records, map(adjusted, space.blocks(boxes.middles, block)))


class TopDown(GroupingSearch):
    """Divides the table around two records that are far apart, again and again, and repairs groups that got too small.

    Notes
    -----
    To find two records far apart, the farthest from a random one is looked for, then the farthest from that one, at
    most six times. The others, in random order, go to the nearer of the two. A group is cut as long as it has ``2 k``
    records, costs anything, and one part at least is accepted. Then every group of fewer than ``k`` records takes the
    cheaper of two ways: it borrows records from a group that has enough, or it is merged with another. Groups of
    ``2 k`` records that come of that are cut as in bottom-up. Nothing is suppressed.

    In the paper a record goes to the part whose box is then less expensive: ``assign=box``. Boxes that have taken in a
    few records far out are soon as large as the whole, and then decide nothing: on Adult the loss is two to four times
    as large.

    Beyond the paper: any models decide which parts are accepted; groups that are still refused in the end are merged as
    in bottom-up. Only groups of the same block borrow and merge; with ``block=none`` all do.

    Cost: ``n`` for every level of cuts, of which there are about ``log n`` unless many records lie far out; the repair
    costs ``block`` for every small group.

    References
    ----------
    Xu et al., "Utility-based anonymization using local recoding", KDD 2006, section 4.2.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> points = pl.DataFrame({"x": [10, 20, 20, 50, 50, 60], "y": [60, 70, 50, 20, 10, 15]})
    >>> release = krypsis.anonymize(points, dict.fromkeys(points.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=3", algorithm="top-down", metric="generalized-loss")
    >>> sorted(set(release.table.rows()))
    [('[10-20]', '[50-70]'), ('[50-60]', '[10-20]')]
    """

    name: ClassVar[str] = "top-down"
    reference: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    assign: Literal["seed", "box"] = Field(
        default="seed",
        description="a record goes to the nearer of the two records a group is divided around, or to the part whose "
        "box is then less expensive",
    )
    seed: int = Field(default=0, ge=0, description="of all random choices")

    def _groups(self, space: RankSpace, promises: Promises, progress: Progress) -> CodeArray:
        rng = np.random.default_rng(self.seed)
        # Step 1: divide around two seeds, again and again.
        group_of = divide(space, promises, rng, progress, by_box=self.assign == "box")
        # Step 2 (adjustment): repair the groups that got fewer than k records.
        group_of = adjust(space, group_of, promises.k, self.block)
        # Beyond the paper: promises other than k are settled as in bottom-up.
        group_of = merge_refused(space, promises, group_of, self.block)
        # Repairs may leave groups of 2k records and more; split them as bottom-up does.
        return cut_large(space, promises, group_of)
