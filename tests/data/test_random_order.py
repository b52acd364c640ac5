"""Random samples of row numbers: each set of so many rows is as likely as any other."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.random_order import random_rows


@pytest.mark.parametrize(("rows", "most"), [(5, 2), (4, 3)])  # both ways of drawing
def test_every_sample_is_equally_likely(rows, most):
    tries = 6000
    found = Counter(tuple(random_rows(str(seed), rows, most).tolist()) for seed in range(tries))
    every = list(combinations(range(rows), most))
    assert set(found) == set(every)
    expected = tries / len(every)
    assert sum((found[one] - expected) ** 2 / expected for one in every) < 35  # of 9 degrees of freedom: 1 in 10,000


@given(st.text(max_size=4), st.integers(1, 10**9), st.integers(1, 300))
def test_a_sample_has_different_rows_of_the_table_in_ascending_order(seed, rows, most):
    found = random_rows(seed, rows, most).tolist()
    assert len(found) == min(rows, most)
    assert found == sorted(set(found))
    assert 0 <= found[0] <= found[-1] < rows
    assert found == random_rows(seed, rows, most).tolist()
