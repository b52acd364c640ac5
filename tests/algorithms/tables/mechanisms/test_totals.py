"""Counts that add up are the nearest ones that do."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.mechanisms.dp_histogram import adding_up


def distance(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


@given(counts=st.lists(st.integers(-4, 5), min_size=1, max_size=4), total=st.integers(-3, 8))
def test_no_other_counts_of_that_sum_are_nearer(counts, total):
    for nonnegative in (True, False):
        found = adding_up(np.array(counts), total, nonnegative=nonnegative).tolist()
        wanted = max(total, 0) if nonnegative else total
        low = 0 if nonnegative else -20
        candidates = (one for one in product(range(low, 21), repeat=len(counts) - 1))
        best = (
            min(
                distance((*one, wanted - sum(one)), counts)
                for one in candidates
                if not nonnegative or wanted - sum(one) >= 0
            )
            if len(counts) < 3
            else None
        )
        assert sum(found) == wanted
        assert not nonnegative or min(found) >= 0
        if best is not None:
            assert distance(found, counts) == best


@given(counts=st.lists(st.integers(-50, 500), min_size=1, max_size=50))
def test_counts_that_add_up_already_stay(counts):
    assert adding_up(np.array(counts), sum(counts), nonnegative=False).tolist() == counts
    if min(counts) >= 0:
        assert adding_up(np.array(counts), sum(counts), nonnegative=True).tolist() == counts
