"""Partners for swapping are those of the plain procedure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.perturbation.swapping import partners


def plain(last, draws):
    """The procedure in its own words."""
    free, chosen = set(range(len(last))), list(range(len(last)))
    for rank in range(len(last)):
        candidates = sorted(other for other in free if rank < other <= last[rank]) if rank in free else []
        if candidates:
            other = candidates[int(draws[rank] * len(candidates))]
            chosen[rank], chosen[other] = other, rank
            free -= {rank, other}
    return chosen


@st.composite
def ranks(draw):
    count = draw(st.integers(1, 40))
    last = [draw(st.integers(0, count - 1)) for _ in range(count)]
    draws = [draw(st.floats(0, 1, exclude_max=True)) for _ in range(count)]
    return np.array(last), np.array(draws)


@given(ranks())
def test_partners_are_those_of_the_plain_procedure(given_ranks):
    assert partners(*given_ranks).tolist() == plain(*given_ranks)


@given(ranks())
def test_partners_have_each_other_and_are_within_reach(given_ranks):
    last, _ = given_ranks
    found = partners(*given_ranks)
    assert (found[found] == np.arange(len(found))).all()
    assert all(other <= max(last[rank], rank) for rank, other in enumerate(found) if other > rank)


def test_every_candidate_has_the_same_chance():
    draws = np.random.default_rng(1).random((4000, 5))
    first = [partners(np.array([4, 4, 4, 4, 4]), row)[0] for row in draws]
    assert np.abs(np.bincount(first, minlength=5)[1:] - 1000).max() < 4 * np.sqrt(4000 * 0.25 * 0.75)
