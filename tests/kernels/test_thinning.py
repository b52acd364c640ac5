from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.near_numbers import thin_out


@st.composite
def lines(draw):
    counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    spare = [draw(st.integers(0, count)) for count in counts]
    first = [min(place, begin) for place, begin in enumerate(sorted(draw(st.integers(0, 4)) for _ in counts))]
    return np.array(counts), np.array(spare), np.array(first)


def stretches_hold(rest, first, limit):
    return all(sum(rest[begin : end + 1]) <= limit for end, begin in enumerate(first.tolist()))


@given(lines(), st.integers(0, 6))
def test_as_few_as_possible_are_removed(line, limit):
    counts, spare, first = line
    ways = product(*(range(most + 1) for most in spare.tolist()))
    fewest = min((sum(gone) for gone in ways if stretches_hold(counts - gone, first, limit)), default=-1)
    for thin in (thin_out, thin_out.reference):
        removed = np.zeros_like(counts)
        assert thin(counts, spare, first, limit, removed) == fewest
        if fewest >= 0:
            assert removed.sum() == fewest
            assert (removed <= spare).all()
            assert stretches_hold(counts - removed, first, limit)
