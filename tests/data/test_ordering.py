"""Sorting by counting gives the order that comparing gives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.ordering import distinct, order_of

keys = st.lists(st.integers(0, 3) | st.integers(0, 70_000) | st.integers(0, 2**62), max_size=30)
small_keys = st.lists(st.sampled_from([0, 1, 2**16 - 1, 2**16, 2**32 - 1, 2**32, 2**48 - 1]), max_size=30)


@given(keys | small_keys)
def test_the_order_is_that_of_a_stable_comparison(numbers):
    found = order_of(np.array(numbers, dtype=np.int64))
    assert found.tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@given(keys | small_keys)
def test_different_numbers_are_listed_with_their_places_and_counts(numbers):
    found, places, counts = distinct(np.array(numbers, dtype=np.int64))
    assert found.tolist() == sorted(set(numbers))
    assert [found[place] for place in places] == numbers
    assert counts.tolist() == [numbers.count(one) for one in sorted(set(numbers))]
