"""The loops that form groups do what plain loops over records do, and never break their promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.clustering.growth import grow, improve
from krypsis.algorithms.tables.clustering.pair_merges import cut_in_two, merge_nearest
from krypsis.algorithms.tables.clustering.space import RankSpace
from krypsis.algorithms.tables.clustering.top_down import adjust_groups
from krypsis.kernels.runs import LINE, RunCosts

SPAN = 8

points = st.lists(st.tuples(*[st.integers(0, SPAN)] * 2), min_size=2, max_size=24)


def space_of(rows) -> RankSpace:
    """Points on two axes of equal length, on which a run costs its length."""
    line = np.append(np.arange(SPAN + 1, dtype=np.float64), SPAN)
    costs = RunCosts(
        kind=np.full(2, LINE),
        start=np.array([0, len(line)]),
        width=np.full(2, SPAN + 1),
        missing=np.full(2, -1),
        table=np.concatenate([line, line]),
    )
    return RankSpace(np.ascontiguousarray(np.array(rows, dtype=np.int32).T), costs)


def cost(rows) -> int:
    """The cost of the box around some points."""
    return sum(max(column) - min(column) for column in zip(*rows, strict=True))


def penalty(rows, group_of) -> int:
    groups = [[row for row, group in zip(rows, group_of, strict=True) if group == wanted] for wanted in set(group_of)]
    return sum(len(group) * cost(group) for group in groups)


def test_groups_are_grown_from_the_farthest_record_with_the_nearest_ones():
    rows = [(0, 0), (8, 8), (1, 0), (8, 7), (0, 2), (7, 7)]
    assert grow(space_of(rows), 2, None).tolist() == [1, 0, 1, 0, 2, 2]
    assert grow(space_of(rows), 3, None).tolist() == [1, 0, 1, 0, 1, 0]


@given(rows=points, k=st.integers(1, 5))
def test_grown_groups_have_k_records_and_less_than_twice_as_many(rows, k):
    sizes = np.bincount(grow(space_of(rows), k, None))
    assert sizes.sum() == len(rows)
    assert sizes.min() >= min(k, len(rows))
    assert sizes.max() <= 2 * k - 1


@given(rows=points, k=st.integers(2, 4))
def test_improved_groups_cost_no_more_and_keep_their_sizes(rows, k):
    if len(rows) < k:
        return
    space = space_of(rows)
    grown = grow(space, k, None)
    improved = improve(space, grown, k, None, np.ones(2))
    assert penalty(rows, improved.tolist()) <= penalty(rows, grown.tolist())
    sizes = np.bincount(improved)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1


@given(rows=points, k=st.integers(2, 3))
def test_no_single_move_or_swap_improves_groups_any_more(rows, k):
    if len(rows) < k:
        return
    space = space_of(rows)
    found = grow(space, k, None)
    for _ in range(10):  # every round ends after some sweeps, and changes may go on in the next
        found = improve(space, found, k, None, np.ones(2))
    found, least = found.tolist(), penalty(rows, found.tolist())
    for one in range(len(rows)):
        for other in range(len(rows)):
            swapped = found.copy()
            swapped[one], swapped[other] = found[other], found[one]
            assert penalty(rows, swapped) >= least
            moved = [found[other] if record == one else group for record, group in enumerate(found)]
            if found.count(found[one]) > k and found.count(found[other]) < 2 * k - 1:
                assert penalty(rows, moved) >= least


def test_a_group_is_dissolved_where_its_records_have_better_places():
    rows = [(0, 0), (0, 0), (8, 8), (8, 8), (0, 1), (8, 7)]
    improved = improve(space_of(rows), np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), 2, None, np.ones(2))
    assert sorted(np.bincount(improved)) == [3, 3]
    assert penalty(rows, improved.tolist()) == 6


def merged(rows, refused):
    """Bottom-up's step on single records, as the thesis writes it."""
    groups = {number: [row] for number, row in enumerate(rows)}
    waiting = [number for number, is_refused in enumerate(refused) if is_refused]
    home = list(range(len(rows)))
    while waiting and len(groups) > 1:
        group = waiting.pop(0)
        others = [other for other in groups if other != group]
        partner = min(
            others,
            key=lambda other: (
                len(groups[group] + groups[other]) * cost(groups[group] + groups[other]),
                len(groups[other]),
                other,
            ),
        )
        kept, gone = sorted((group, partner))
        groups[kept] = groups[kept] + groups.pop(gone)
        waiting = [other for other in waiting if other not in (group, partner)]
        home = [kept if place == gone else place for place in home]
    return home


@given(rows=points, data=st.data())
def test_refused_groups_are_merged_as_the_thesis_says(rows, data):
    refused = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    space = space_of(rows)
    boxes = space.boxes(np.arange(len(rows), dtype=np.int32))
    into = np.arange(len(rows), dtype=np.int64)
    merge_nearest(boxes.lows, boxes.highs, boxes.sizes, np.array(refused), space.costs, into)
    assert into.tolist() == merged(rows, refused)


@given(rows=points, data=st.data(), by_box=st.booleans())
def test_a_cut_leaves_no_part_empty_and_none_too_full(rows, data, by_box):
    most_first = data.draw(st.integers(1, len(rows) - 1))
    most_second = data.draw(st.integers(len(rows) - most_first, len(rows) - 1))
    space, second = space_of(rows), np.zeros(len(rows), dtype=np.bool_)
    cut_in_two(space.columns, space.costs, most_first, most_second, by_box, second)
    assert 0 < second.sum() <= most_second
    assert 0 < (~second).sum() <= most_first


@pytest.mark.parametrize(("by_box", "expected"), [(False, [0, 0, 0, 1]), (True, [0, 0, 1, 1])])
def test_records_go_to_the_nearer_of_two_far_apart_or_to_the_cheaper_box(by_box, expected):
    """(5, 1) is nearer to (0, 0) than to (8, 8); but after (0, 7) went to the first part, the second is cheaper."""
    space, second = space_of([(0, 0), (0, 7), (5, 1), (8, 8)]), np.zeros(4, dtype=np.bool_)
    cut_in_two(space.columns, space.costs, 3, 3, by_box, second)
    assert second.tolist() == expected


@given(rows=points, k=st.integers(2, 4), data=st.data())
def test_adjusted_groups_are_large_enough_and_hold_all_records(rows, k, data):
    if len(rows) < k:
        return
    groups = data.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    group_of = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    space = space_of(rows)
    boxes = space.boxes(group_of)
    adjust_groups(space.columns, space.costs, k, group_of, boxes.lows, boxes.highs, boxes.sizes)
    assert np.bincount(group_of, minlength=len(boxes.sizes)).tolist() == boxes.sizes.tolist()
    assert all(size == 0 or size >= k for size in boxes.sizes)


@pytest.mark.parametrize(
    ("rows", "group_of", "expected"),
    [
        # One record more costs the small group 1, merging all would cost everybody 8: it borrows the nearest.
        ([(0, 0), (0, 1), (8, 0), (8, 0), (8, 0)], [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]),
        # The donor would be torn to nothing useful, and its neighbor is just as near: it is merged.
        ([(0, 0), (0, 1), (0, 1), (8, 8), (8, 8)], [0, 1, 1, 2, 2], [1, 1, 1, 2, 2]),
    ],
    ids=["borrows", "merges"],
)
def test_a_small_group_takes_the_cheaper_of_borrowing_and_merging(rows, group_of, expected):
    numbers = np.array(group_of, dtype=np.int32)
    space = space_of(rows)
    boxes = space.boxes(numbers)
    adjust_groups(space.columns, space.costs, 2, numbers, boxes.lows, boxes.highs, boxes.sizes)
    assert numbers.tolist() == expected


@given(rows=st.lists(st.tuples(*[st.integers(0, SPAN)] * 2), min_size=20, max_size=200), largest=st.integers(16, 40))
def test_blocks_hold_every_point_once_and_are_neither_too_large_nor_alone(rows, largest):
    space = space_of(rows)
    found = [block.tolist() for block in space.blocks(space.columns, largest)]
    assert sorted(point for block in found for point in block) == list(range(len(rows)))
    assert max(map(len, found)) <= largest
    assert min(map(len, found)) >= 2


def test_points_that_lie_together_stay_in_one_block():
    rows = [(x, y) for x in (0, 8) for y in (0, 8) for _ in range(16)]
    found = space_of(rows).blocks(space_of(rows).columns, 16)
    assert sorted(block.tolist() for block in found) == [list(range(start, start + 16)) for start in (0, 16, 32, 48)]
