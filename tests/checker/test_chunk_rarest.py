"""How often the rarest items of a chunk stand together: against counting all combinations, and where none could."""

from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from krypsis.checker.chunk_audit import examine
from krypsis.checker.chunk_rarest import rarest_of
from krypsis.checker.sets import check_sets
from krypsis.models.km_anonymity import KmAnonymity
from oracles.itemsets import supports
from transactions.clusters import clusters

MANY = 10**9
pieces = st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=9)
chunk_lists = st.lists(pieces, min_size=1, max_size=3)


def fewest(chunks, m):
    """Count all combinations of up to m items of every chunk, and take the rarest."""
    return min(count for chunk in chunks for count in supports(chunk, m).values())


def searched(chunks, m, **limits):
    return rarest_of([[sorted(piece) for piece in chunk] for chunk in chunks], m, MANY, **limits)


@given(chunks=chunk_lists, copies=st.integers(1, 3), m=st.integers(1, 6))
def test_it_is_what_counting_every_combination_finds(chunks, copies, m):
    chunks = [chunk * copies for chunk in chunks]
    found = searched(chunks, m)
    assert found.exact
    assert found.pieces == fewest(chunks, m)


@given(chunks=chunk_lists, m=st.integers(1, 6), steps=st.integers(0, 30))
@example(chunks=[[{0, 1, 2}, {0, 1}, {0, 2}, {1, 2}]], m=3, steps=0)
def test_a_search_that_is_cut_short_never_tells_too_many(chunks, m, steps):
    found = searched(chunks, m, most_steps=steps)
    right = fewest(chunks, m)
    assert found.pieces == right if found.exact else found.pieces <= right


def all_but_one(items, copies):
    """Pieces of which each lacks another item: whoever knows m items rules out exactly the m pieces without them."""
    return [[f"i{item:03d}" for item in range(items) if item != left] for left in range(items) for _ in range(copies)]


@pytest.mark.parametrize("m", [1, 2, 5, 20, 149])
def test_pieces_of_150_items_are_decided_for_any_number_of_known_items(m):
    published = clusters([(0, all_but_one(150, 2))], [300], [-1], [["x"]])
    assert examine(published, m).rarest_in_chunk.pieces == 2 * (150 - m)
    (verdict,) = check_sets(published, [KmAnonymity(k=2 * (150 - m), m=m)])
    assert verdict.holds
    (verdict,) = check_sets(published, [KmAnonymity(k=2 * (150 - m) + 1, m=m)])
    assert verdict.holds is False
    assert f"stand together in {2 * (150 - m)} piece(s)" in verdict.sentence


def test_what_takes_too_long_to_decide_is_undecided_and_the_verdict_says_why(monkeypatch):
    monkeypatch.setattr("krypsis.checker.chunk_audit.rarest_of", partial(rarest_of, most_steps=10))
    # Every piece lacks items of two kinds, and no item rules out as much as the bound allows for.
    hard = [
        [f"i{item:03d}" for item in range(60) if item % 7 != lacks and item % 11 != lacks] for lacks in range(7)
    ] * 9
    published = clusters([(0, hard)], [63], [-1], [["x"]])
    (verdict,) = check_sets(published, [KmAnonymity(k=30, m=3)])
    assert verdict.holds is None
    assert verdict.sentence.startswith("Undecided: it was not shown")
    assert "smaller m" in verdict.sentence
