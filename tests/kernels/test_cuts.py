"""Where an axis may be cut: every candidate is one, in its order, and none is forgotten."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.boxes import axes_of
from krypsis.algorithms.tables.mondrian.kernels import find_cut
from krypsis.algorithms.tables.mondrian.partition import pack_axes
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.kernels.runs import common_level, run_cost
from strategies import frequency_sets

TREE = Hierarchy.from_rows(
    [["a", "x", "*"], ["b", "x", "*"], ["c", "x", "*"], ["d", "y", "*"], ["e", "z", "*"], [None, None, "*"]]
)
LINE = Hierarchy.from_rows([[str(number), "*"] for number in range(5)] + [[None, "*"]])


def packed(hierarchy):
    codes = np.zeros((1, 1), dtype=np.int32)
    frequency = FrequencySet(("a",), (hierarchy,), codes, np.ones(1, dtype=np.int64))
    return pack_axes(axes_of(frequency, registry.create("metric", "loss")), [0])


def all_cuts(hierarchy, counts, k, *, separating=False):
    """Every cut that is found when the ones before are passed over, as (lowest, highest) ranks."""
    found = []
    for passed in range(6):
        ranks = np.flatnonzero(counts).astype(np.int64)
        amounts = np.array(counts, dtype=np.int64)[ranks]
        cut = np.full(2, -1, dtype=np.int64)
        number, total = len(ranks), int(amounts.sum())
        if not find_cut(packed(hierarchy), 0, ranks, amounts, number, total, k, passed, separating, cut):
            break
        found.append(tuple(cut.tolist()))
    return found


def test_a_line_is_cut_at_the_median_then_before_it():
    assert all_cuts(LINE, [1, 1, 1, 1, 0, 0], 1) == [(0, 1), (0, 0)]


@pytest.mark.parametrize(
    ("counts", "k", "cuts"), [([1, 1, 1, 1, 0, 0], 2, [(0, 1)]), ([2, 4, 0, 0, 0, 0], 2, [(0, 0)])]
)
def test_the_two_tables_for_which_the_thesis_finds_no_cut_have_one(counts, k, cuts):
    assert all_cuts(LINE, counts, k) == cuts


def test_missing_values_leave_first():
    assert all_cuts(LINE, [1, 1, 1, 1, 0, 1], 1) == [(0, 4), (0, 2), (0, 1)]


def test_the_largest_child_of_a_tree_leaves_first_then_children_are_halved():
    assert all_cuts(TREE, [1, 1, 0, 3, 2, 0], 2) == [(3, 3), (0, 3), (0, 2)]


def test_below_one_node_its_children_count():
    assert all_cuts(TREE, [1, 3, 2, 0, 0, 0], 1) == [(1, 1), (0, 1), (0, 0)]


def test_cuts_whose_sides_might_be_published_alike_are_left_out_where_that_matters():
    assert all_cuts(TREE, [1, 1, 0, 3, 2, 0], 2, separating=True) == [(3, 3)]
    assert all_cuts(LINE, [1, 1, 1, 1, 0, 1], 1, separating=True) == [(0, 4)]
    assert all_cuts(LINE, [1, 1, 1, 1, 0, 0], 1, separating=True) == [(0, 1), (0, 0)]


@given(counts=st.lists(st.integers(0, 6), min_size=6, max_size=6), k=st.integers(1, 6), line=st.booleans())
def test_a_cut_is_found_exactly_where_there_is_one(counts, k, line):
    if np.count_nonzero(counts) < 2:
        return
    total = sum(counts)
    hierarchy = LINE if line else TREE
    cuts = all_cuts(hierarchy, counts, k)
    for lowest, highest in cuts:
        inside = sum(counts[lowest : highest + 1])
        assert min(inside, total - inside) >= k
    if line:
        possible = [sum(counts[: last + 1]) for last in range(6)]
    else:
        occurring = np.flatnonzero(counts)
        below_x = occurring[-1] <= 2
        parts = [[0], [1], [2]] if below_x else [[0, 1, 2], [3], [4], [5]]
        sizes = [sum(counts[rank] for rank in part) for part in parts]
        possible = [*sizes, *np.cumsum(sizes).tolist()]
    assert bool(cuts) == any(min(inside, total - inside) >= k for inside in possible)


@given(frequency=frequency_sets(), publish=st.sampled_from(["auto", "ranges", "sets", "hierarchy"]))
def test_packed_axes_say_what_the_axes_say(frequency, publish):
    axes = axes_of(frequency, registry.create("metric", "generalized-loss"), publish)
    table = pack_axes(axes, range(len(axes)))
    for place, axis in enumerate(axes):
        for low in range(len(axis.code_at)):
            for high in range(low, len(axis.code_at)):
                ends = np.array([low]), np.array([high])
                assert run_cost(table, place, low, high) == pytest.approx(axis.cost(*ends)[0])
                assert common_level(table, place, low, high) == axis.level(*ends)[0]
