"""Split: balanced buckets become groups of one record per value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories import splits as bucket_cuts
from krypsis.algorithms.histories.base import Snapshot
from krypsis.algorithms.histories.splits import axes_of_snapshot, split
from krypsis.algorithms.tables.boxes.boxes import boxes_of, ranks_of
from krypsis.algorithms.tables.mondrian.partition import pack_axes
from krypsis.data.hierarchies.base import Hierarchy
from oracles.histories import best_cut, naive_split

TREE = Hierarchy.from_rows(
    [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cde", "*"], ["d", "cde", "*"], ["e", "cde", "*"]]
)


def numbers(values):
    return Hierarchy.from_rows([[str(value), "*"] for value in values])


def axes_over(*hierarchies):
    names = tuple(f"q{place}" for place in range(len(hierarchies)))
    return axes_of_snapshot(Snapshot(names, hierarchies, None, "s", TREE, None, None))


def cost_over(axes):
    """What one record pays for the box around points of codes; a point's last entry says which one it is."""

    def cost(points):
        codes = np.array([point[:-1] for point in points], dtype=np.int32)
        ranks = ranks_of(codes, axes)
        return float(boxes_of(ranks, np.zeros(len(codes), dtype=np.int64), 1).costs(axes).sum())

    return cost


def by_rank(axes, slots):
    """Slots with ranks in place of codes, which is what sorting goes by."""
    return [
        [(*(int(axis.rank_of[code]) for axis, code in zip(axes, point, strict=False)), point[-1]) for point in slot]
        for slot in slots
    ]


@st.composite
def buckets(draw):
    slots, height = draw(st.integers(2, 3)), draw(st.integers(1, 5))
    point = st.tuples(st.integers(0, 5), st.integers(0, 4))
    drawn = draw(st.lists(point, min_size=slots * height, max_size=slots * height))
    return np.array(drawn, dtype=np.int32), slots, height


@given(bucket=buckets())
def test_the_groups_are_those_of_the_plain_recursion(bucket):
    codes, slots, height = bucket
    axes = axes_over(numbers([1, 2, 4, 8, 16, 32]), TREE)
    slot = np.repeat(np.arange(slots), height)
    found = split(axes, codes, np.zeros(len(codes), dtype=np.int64), slot)
    points = [(*map(int, row), number) for number, row in enumerate(codes)]
    in_slots = [points[one * height : (one + 1) * height] for one in range(slots)]
    ranked = by_rank(axes, in_slots)
    code_cost = cost_over(axes)

    def cost(part):
        return code_cost([points[point[-1]] for point in part])

    expected = {frozenset(point[-1] for point in group) for group in naive_split(ranked, cost)}
    assert {frozenset(np.flatnonzero(found == group).tolist()) for group in set(found.tolist())} == expected


@given(data=st.data(), exact=st.sampled_from([0, 1, 3, 50]), attributes=st.integers(0, 2))
def test_every_group_has_one_record_of_every_slot_of_one_bucket(data, exact, attributes):
    shapes = data.draw(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 40)), max_size=3))
    pairs = [
        (bucket, slot) for bucket, (slots, height) in enumerate(shapes) for slot in range(slots) for _ in range(height)
    ]
    pairs = data.draw(st.permutations(pairs))
    bucket, slot = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    rng = np.random.default_rng(len(pairs))
    hierarchies = (numbers(range(90)), TREE)[:attributes]
    codes = (
        np.stack([rng.integers(0, len(one.values), len(pairs)) for one in hierarchies], axis=1)
        if attributes
        else (np.zeros((len(pairs), 0)))
    )
    groups = split(axes_over(*hierarchies), codes.astype(np.int32), bucket, slot, exact)
    assert sorted(set(groups.tolist())) == list(range(sum(height for _, height in shapes)))
    for group in set(groups.tolist()):
        inside = groups == group
        (owner,) = set(bucket[inside].tolist())
        assert sorted(slot[inside].tolist()) == list(range(shapes[owner][0]))


def running_example():
    """BUC_1 of figure 2.21: flu Vince, Emily, Gary; gastritis Tom, Mary, David; ranges of T(2)."""
    people = [[(65, 36000), (25, 21000), (41, 20000)], [(60, 44000), (46, 30000), (23, 25000)]]
    ages, zips = [21, 23, 25, 41, 46, 60, 65], [12000, 20000, 21000, 25000, 30000, 36000, 44000]
    axes = axes_over(numbers(ages), numbers(zips))
    codes = [(ages.index(age), zips.index(zip_code)) for slot in people for age, zip_code in slot]
    return axes, np.array(codes, dtype=np.int32)


def test_the_first_bucket_of_the_running_example_is_cut_by_age_at_the_cost_of_the_specification():
    """S10.16: first cut by age with r = 2 at cost 4.0681818, then by age with r = 1 at cost 1.1931818 for four."""
    axes, codes = running_example()
    points = [(*map(int, row), number) for number, row in enumerate(codes)]
    price, first, second = best_cut([points[:3], points[3:]], cost_over(axes))
    assert price == pytest.approx(4.0681818)
    assert [len(slot) for slot in first] == [2, 2]
    assert best_cut(first, cost_over(axes))[0] == pytest.approx(1.1931818)
    assert {point[-1] for slot in second for point in slot} == {0, 3}  # Vince and Tom
    costs = np.empty(4)
    ranks = ranks_of(codes, axes)
    packed = pack_axes(axes, range(2))
    axis, taken = bucket_cuts.cut_exactly(ranks, packed, 0, 2, 3, np.empty(6, np.int64), costs)
    assert (axis, taken) == (0, 2)
    groups = split(axes, codes, np.zeros(6, dtype=np.int64), np.repeat([0, 1], 3))
    pairs = {frozenset(np.flatnonzero(groups == group).tolist()) for group in range(3)}
    assert pairs == {frozenset({0, 3}), frozenset({2, 4}), frozenset({1, 5})}  # Vince Tom, Gary Mary, Emily David


def test_the_compiled_loop_does_what_its_plain_form_does():
    rng = np.random.default_rng(5)
    axes = axes_over(numbers(range(40)), TREE)
    codes = np.stack([rng.integers(0, 40, 60), rng.integers(0, 5, 60)], axis=1).astype(np.int32)
    packed = pack_axes(axes, range(2))
    orders = []
    for cut in (bucket_cuts.cut_buckets, bucket_cuts.cut_buckets.reference):
        points, order = ranks_of(codes, axes), np.arange(60)
        one = np.array([0]), np.array([3]), np.array([20])
        cut(points, order, packed, *one, 8)
        orders.append(order.tolist())
    assert orders[0] == orders[1]
