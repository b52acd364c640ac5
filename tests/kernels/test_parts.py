"""Parts of a table: the compiled loops do what plain Python over the points does."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kernels import parts

LARGEST = 40


@st.composite
def points(draw):
    rows = draw(st.lists(st.tuples(st.integers(0, LARGEST), st.integers(0, 3)), min_size=1, max_size=25))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    first = draw(st.integers(0, len(rows) - 1))
    end = draw(st.integers(first + 1, len(rows)))
    return np.array(rows, dtype=np.int32), np.array(weights, dtype=np.int64), first, end


def in_order(count):
    return np.arange(count, dtype=np.int32)


@given(drawn=points(), axis=st.integers(0, 1), sparse=st.sampled_from([0, 4, 100]))
def test_every_rank_is_counted_in_order_by_counting_as_by_sorting(drawn, axis, sparse):
    ranks, weights, first, end = drawn
    counted = Counter()
    for rank, weight in zip(ranks[first:end, axis], weights[first:end], strict=True):
        counted[int(rank)] += int(weight)
    found, counts = np.empty(LARGEST + 1, dtype=np.int64), np.empty(LARGEST + 1, dtype=np.int64)
    low, high = min(counted), max(counted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "SPARSE", sparse)  # what is compiled knows its own
        for count_ranks in (parts.count_ranks, parts.count_ranks.reference):
            number = count_ranks(ranks, weights, first, end, axis, low, high, found, counts)
            assert dict(zip(found[:number].tolist(), counts[:number].tolist(), strict=True)) == counted
            assert found[:number].tolist() == sorted(counted)


@given(drawn=points(), axis=st.integers(0, 1), bounds=st.tuples(st.integers(0, LARGEST), st.integers(0, LARGEST)))
def test_points_between_two_ranks_come_first_and_nothing_is_lost(drawn, axis, bounds):
    ranks, weights, first, end = drawn
    lowest, highest = min(bounds), max(bounds)
    moved, moved_weights, order = ranks.copy(), weights.copy(), in_order(len(ranks))
    middle = parts.bring_forward(moved, moved_weights, order, first, end, axis, lowest, highest)
    inside = (lowest <= ranks[:, axis]) & (ranks[:, axis] <= highest)
    assert set(order[first:middle]) == set(first + np.flatnonzero(inside[first:end]))
    assert sorted(order[first:end]) == list(range(first, end))
    assert order[:first].tolist() == list(range(first))
    assert order[end:].tolist() == list(range(end, len(ranks)))
    assert (moved == ranks[order]).all()
    assert (moved_weights == weights[order]).all()


@given(drawn=points(), axis=st.integers(0, 1))
def test_halves_differ_by_one_point_at_most_and_no_point_of_the_first_is_behind_one_of_the_second(drawn, axis):
    ranks, _, first, end = drawn
    weights = np.ones(len(ranks), dtype=np.int64)
    median = int(np.sort(ranks[first:end, axis])[(end - first + 1) // 2 - 1])
    moved, order = ranks.copy(), in_order(len(ranks))
    middle = parts.halve(moved, weights, order, first, end, axis, median)
    assert middle - first == (end - first + 1) // 2
    assert moved[first:middle, axis].max(initial=0) <= moved[middle:end, axis].min(initial=LARGEST)
    assert (moved == ranks[order]).all()


@given(drawn=points())
def test_a_box_touches_its_points(drawn):
    ranks, _, first, end = drawn
    low, high = np.empty((1, 2), dtype=np.int32), np.empty((1, 2), dtype=np.int32)
    for measure_boxes in (parts.measure_boxes, parts.measure_boxes.reference):
        measure_boxes(ranks, np.array([first]), np.array([end]), low, high)
        assert low[0].tolist() == ranks[first:end].min(axis=0).tolist()
        assert high[0].tolist() == ranks[first:end].max(axis=0).tolist()
