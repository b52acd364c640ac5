"""The groups found in the tree of boxes are those of the plain algorithm, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.perturbation.mdav import mdav_groups
from krypsis.algorithms.tables.perturbation.mdav_tree import LEAF_SIZE
from oracles.mdav import least_squared_errors, mdav, squared_errors

FEW = st.integers(-4, 4)


@st.composite
def points(draw, most=80, values=FEW):
    """Records with few different values, unless told otherwise: many are equal and many distances tie."""
    width, count = draw(st.integers(1, 3)), draw(st.integers(1, most))
    return np.array(draw(st.lists(st.tuples(*[values] * width), min_size=count, max_size=count)), dtype=float)


@given(points=points(), k=st.integers(1, 7))
def test_the_groups_are_those_of_the_plain_algorithm(points, k):
    assert mdav_groups(points, k).tolist() == mdav(points, k).tolist()


@given(points=points(most=60, values=st.floats(-1e6, 1e6)), k=st.integers(2, 4))
def test_so_are_those_of_numbers_that_need_rounding(points, k):
    assert mdav_groups(points, k).tolist() == mdav(points, k).tolist()


@pytest.mark.parametrize(("count", "width", "k"), [(1000, 4, 3), (500, 13, 5), (LEAF_SIZE + 1, 2, 2), (300, 60, 10)])
def test_so_are_those_of_larger_tables(count, width, k):
    points = np.random.default_rng(count).standard_normal((count, width))
    assert mdav_groups(points, k).tolist() == mdav(points, k).tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_fewer_records_than_two_groups_need_are_one_group(count):
    assert mdav_groups(np.arange(2.0 * count).reshape(count, 2), 3).tolist() == [0] * count


@given(points=points(values=st.integers(-9, 9)), k=st.integers(1, 5), within=st.floats(0, 200))
def test_ended_early_its_groups_are_the_first_ones_and_all_records_left_are_near_their_mean(points, k, within):
    early, whole = mdav_groups(points, k, within), mdav(points, k)
    left = early < 0
    assert early[~left].tolist() == whole[~left].tolist()
    assert not np.intersect1d(whole[left], whole[~left]).size
    if left.any():
        distances = ((points[left] - points[left].mean(axis=0)) ** 2).sum(axis=1)
        assert len(points) < 2 * k or distances.max() <= within * (1 + 1e-9) + 1e-9
        assert left.sum() >= min(2 * k, len(points))


@given(points=points(), k=st.integers(1, 7))
def test_every_group_has_k_records_or_more_and_fewer_than_2k(points, k):
    sizes = np.bincount(mdav_groups(points, k))
    if len(points) < k:
        assert sizes.tolist() == [len(points)]
    else:
        assert k <= sizes.min()
        assert sizes.max() <= 2 * k - 1


@given(points=points(most=8, values=st.integers(-9, 9)))
def test_the_squared_errors_stay_below_those_of_one_group_and_above_the_least_possible(points):
    found = squared_errors(points, mdav_groups(points, 2))
    assert found <= squared_errors(points, np.zeros(len(points))) + 1e-9
    if len(points) >= 2:
        assert found >= least_squared_errors(points, 2) - 1e-9


@given(values=st.lists(st.integers(0, 3), min_size=1, max_size=200), k=st.integers(1, 9))
def test_so_are_those_of_a_table_where_most_records_are_equal(values, k):
    points = np.array(values, dtype=float)[:, None]
    assert mdav_groups(points, k).tolist() == mdav(points, k).tolist()


def test_equal_records_only_make_groups_without_any_error():
    groups = mdav_groups(np.ones((1000, 2)), 7)
    assert np.bincount(groups).min() == 7
    assert len(np.bincount(groups)) == 1000 // 7
