"""Assignment: new records form balanced buckets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.groups import assign, is_eligible
from krypsis.errors import InternalError
from oracles.histories import eligible, printed_assignment

COUNTS = st.lists(st.integers(0, 12), max_size=8)


@given(counts=COUNTS, m=st.integers(2, 5))
def test_whatever_is_eligible_ends_in_buckets_of_m_or_more_values_and_nothing_is_left(counts, m):
    if not eligible(counts, m):
        return
    buckets, taken = assign(np.array(counts, dtype=np.int64), m)
    assert (buckets.sizes >= m).all()
    assert len(np.unique(buckets.first_alike())) == len(buckets)
    found = np.bincount(buckets.nodes, taken[buckets.owners], minlength=len(counts))
    assert found.tolist() == counts


@given(counts=COUNTS, m=st.integers(2, 5))
def test_eligible_is_what_the_definition_says(counts, m):
    assert is_eligible(np.array(counts, dtype=np.int64), m) == eligible(counts, m)


def test_the_printed_inequality_gets_stuck_where_the_corrected_one_does_not():
    """Erratum 13: the smallest such input is one record of each of three values."""
    assert printed_assignment([1, 1, 1], 2) is None
    buckets, taken = assign(np.array([1, 1, 1]), 2)
    assert buckets.members(0).tolist() == [0, 1, 2]
    assert taken.tolist() == [1]


def test_the_printed_inequality_gets_stuck_on_most_eligible_inputs():
    inputs = [[a, b, c] for a in range(1, 6) for b in range(1, 6) for c in range(1, 6) if eligible([a, b, c], 2)]
    stuck = [one for one in inputs if printed_assignment(one, 2) is None]
    assert len(stuck) > len(inputs) / 2
    for counts in stuck:
        buckets, taken = assign(np.array(counts), 2)
        assert int(taken @ buckets.sizes) == sum(counts)


def test_of_the_running_example_one_bucket_of_flu_and_gastritis_is_made():
    """S10.16: two flu and two gastritis make b = 2, a = 2."""
    buckets, taken = assign(np.array([0, 2, 2]), 2)
    assert (buckets.members(0).tolist(), taken.tolist()) == ([1, 2], [2])


def test_what_is_not_eligible_is_a_contradiction_of_ours():
    with pytest.raises(InternalError, match="not eligible"):
        assign(np.array([3, 1]), 2)
