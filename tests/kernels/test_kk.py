"""The compiled steps to (k,k)-anonymity against a plain search through everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.boxes import Boxes, axes_of
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.algorithms.tables.kk_anonymizer.kernels import (
    BoxTree,
    boxes_over,
    cheapest,
    cover,
    grow_tree,
    hold_boxes,
    join,
    nearest_outside,
    surround,
    weight_inside,
)
from krypsis.algorithms.tables.kk_anonymizer.kk_anonymizer import closed_axes, scales_of
from krypsis.metrics.loss import Loss
from strategies import frequency_sets

ENOUGH = 10**6


@st.composite
def points(draw):
    """Axes and distinct points on them, with weights."""
    frequency = draw(frequency_sets(max_rows=30))
    axes = axes_of(frequency, Loss(), draw(st.sampled_from(["ranges", "hierarchy"])))
    if any(axis.form == "set" for axis in axes):  # a constant column
        axes = axes_of(frequency, Loss(), "ranges")
    return axes, ranks_of(frequency.codes, axes), frequency.counts


def cost(axes, low, high):
    return float(Boxes(np.array([low]), np.array([high])).costs(axes).sum())


def inside(low, high, ranks):
    return ((ranks >= low) & (ranks <= high)).all(axis=-1)


def joined(axes, low, high, point):
    low, high = low.copy(), high.copy()
    join(closed_axes(axes), low, high, point)
    return low, high


@given(points())
def test_every_part_of_a_tree_holds_its_points_and_halves(drawn):
    axes, ranks, counts = drawn
    tree = grow_tree(ranks, counts, scales_of(axes))
    assert sorted(tree.order.tolist()) == list(range(len(ranks)))
    for part in range(len(tree.start)):
        members = tree.order[tree.start[part] : tree.end[part]]
        assert tree.low[part].tolist() == ranks[members].min(axis=0).tolist()
        assert tree.high[part].tolist() == ranks[members].max(axis=0).tolist()
        assert tree.weight[part] == counts[members].sum()
        if tree.left[part] >= 0:
            halves = [tree.left[part], tree.left[part] + 1]
            assert tree.parent[halves].tolist() == [part, part]
            assert sorted(set(tree.part_of[members])) != [part]


@given(points(), st.data())
def test_a_box_is_as_wide_as_its_label_and_costs_no_more_for_it(drawn, data):
    axes, ranks, _ = drawn
    one, other = (ranks[data.draw(st.integers(0, len(ranks) - 1))] for _ in range(2))
    low, high = joined(axes, one, one, other)
    assert inside(low, high, one)
    assert inside(low, high, other)
    tight = cost(axes, np.minimum(one, other), np.maximum(one, other))
    assert cost(axes, low, high) == pytest.approx(tight)


@given(points(), st.data())
def test_the_nearest_point_outside_a_box_is_found(drawn, data):
    axes, ranks, counts = drawn
    one, other = (ranks[data.draw(st.integers(0, len(ranks) - 1))] for _ in range(2))
    low, high = joined(axes, one, one, other)
    tree = grow_tree(ranks, counts, scales_of(axes))
    within = inside(low, high, ranks)
    assert weight_inside(tree, ranks, counts, low, high, 10**6) == counts[within].sum()
    found = nearest_outside(closed_axes(axes), tree, ranks, low, high, ENOUGH)
    if within.all():
        assert found == -1
        return
    assert not within[found]
    costs = [cost(axes, np.minimum(low, point), np.maximum(high, point)) for point in ranks[~within]]
    reached = cost(axes, np.minimum(low, ranks[found]), np.maximum(high, ranks[found]))
    assert reached == pytest.approx(min(costs))


@given(points(), st.data())
def test_the_box_that_costs_least_to_widen_is_found(drawn, data):
    axes, ranks, counts = drawn
    closed = closed_axes(axes)
    boxes = [
        joined(axes, ranks[i], ranks[i], ranks[data.draw(st.integers(0, len(ranks) - 1))]) for i in range(len(ranks))
    ]
    low, high = (np.array([box[side] for box in boxes], dtype=np.int32) for side in (0, 1))
    tree = grow_tree(ranks, counts, scales_of(axes))
    hold_boxes(tree, low, high)
    point = ranks[data.draw(st.integers(0, len(ranks) - 1))]
    over = inside(low, high, point)
    assert boxes_over(tree, low, high, point, 10**6) == over.sum()
    found = cheapest(closed, tree, low, high, point, ENOUGH)
    if over.all():
        assert found == -1
        return
    assert not over[found]

    def growth(box):
        wide = cost(axes, np.minimum(low[box], point), np.maximum(high[box], point))
        return wide - cost(axes, low[box], high[box])

    assert growth(found) == pytest.approx(min(map(growth, np.flatnonzero(~over))))


@given(points(), st.integers(1, 5), st.integers(1, 5), st.sampled_from([1, 2, ENOUGH]))
def test_after_both_steps_every_box_holds_enough_and_every_point_lies_in_enough(drawn, around, over, effort):
    axes, ranks, counts = drawn
    closed, scales = closed_axes(axes), scales_of(axes)
    around, over = min(around, int(counts.sum())), min(over, len(ranks))
    low, high = np.empty_like(ranks), np.empty_like(ranks)
    surround(closed, grow_tree(ranks, counts, scales), ranks, counts, around, effort, low, high)
    before = [(low[i].tolist(), high[i].tolist()) for i in range(len(ranks))]
    tree: BoxTree = grow_tree(ranks, counts, scales)
    hold_boxes(tree, low, high)
    cover(closed, tree, ranks, np.arange(len(ranks)), over, effort, low, high)
    for place, point in enumerate(ranks):
        assert inside(low[place], high[place], point)
        assert counts[inside(low[place], high[place], ranks)].sum() >= around
        assert inside(low, high, point).sum() >= over
        assert (low[place] <= before[place][0]).all()
        assert (high[place] >= before[place][1]).all()
