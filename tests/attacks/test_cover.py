"""Items that never stand without another one, in clusters written down by hand and against counting in plain Python."""

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checker.random_clusters import random_forest
from tests.transactions.clusters import clusters

import krypsis
from effort import examples
from krypsis.attacks.cover import CoverAttack
from krypsis.data.transactions import Disassociated


def test_an_item_that_always_comes_with_another_gives_it_away_but_not_the_other_way_round() -> None:
    published = clusters([(0, [["aids", "clinic"]] * 3 + [["clinic"]] * 2)], [5], [-1], [[]])
    assert CoverAttack().find(published).rows() == [(0, "aids", "clinic", 3, 1.0)]


def test_items_that_always_come_together_give_away_each_other() -> None:
    published = clusters([(0, [["a", "b"]] * 3)], [3], [-1], [[]])
    assert CoverAttack().find(published).select("known", "learned").rows() == [("a", "b"), ("b", "a")]


def test_nothing_is_given_away_where_each_item_also_stands_alone_or_in_different_chunks() -> None:
    alone = clusters([(0, [["a", "b"]] * 3 + [["a"], ["b"]])], [5], [-1], [[]])
    apart = clusters([(0, [["a"]] * 3), (0, [["b"]] * 3)], [3], [-1], [["x", "y"]])
    assert CoverAttack().find(alone).is_empty()
    assert CoverAttack().find(apart).is_empty()


def test_other_clusters_and_term_chunks_lower_the_probability_for_who_does_not_know_the_cluster() -> None:
    chunks = [(0, [["a", "b"]] * 3 + [["b"]]), (1, [["a"]] * 2 + [["b"]])]
    published = clusters(chunks, [4, 4, 4], [-1, -1, -1], [[], [], ["a"]])
    # Six places tell a: three pieces with b, two without, and one term chunk.
    assert CoverAttack().find(published).rows() == [(0, "a", "b", 3, 0.5)]


def test_shared_chunks_are_looked_at_too() -> None:
    published = clusters([(2, [["a", "b"]] * 3 + [["b"]])], [4, 4], [2, 2, -1], [["x"], ["y"]])
    assert CoverAttack().find(published).select("cluster", "known").rows() == [(2, "a")]


def test_a_release_without_pieces_gives_nothing_away() -> None:
    assert CoverAttack().find(clusters([], [3], [-1], [["a", "b"]])).is_empty()


def test_the_summary_of_a_run_warns_of_it_and_is_silent_where_there_is_nothing() -> None:
    coupled, alone = [["aids", "clinic"]] * 4 + [["clinic"]] * 4, [["a"]] * 8
    for sets, is_warned in ((coupled, True), (alone, False)):
        data = krypsis.Transactions.of_sets(sets)
        made = krypsis.anonymize(data, models=["km-anonymity:k=3,m=2"], algorithm="disassociation")
        assert ("'aids' shows 'clinic'" in made.summary()) == is_warned
        assert ("cover problem" in made.summary()) == is_warned


@given(seed=st.integers(0, 10_000))
@settings(max_examples=examples(100), deadline=None)
def test_it_finds_what_counting_in_plain_python_finds(seed: int) -> None:
    published = random_forest(np.random.default_rng(seed))
    found = CoverAttack().find(published).select("cluster", "known", "learned", "pieces").rows()
    assert sorted(found) == sorted(counted(published))


def counted(published: Disassociated) -> list[tuple[int, str, str, int]]:
    pieces, found = published.pieces.sets(), []
    for node, (start, end) in zip(published.chunk_nodes.tolist(), pairwise(published.chunk_starts), strict=True):
        chunk = pieces[start:end]
        for known, learned in permutations(sorted(frozenset().union(*chunk)), 2):
            holding = [piece for piece in chunk if known in piece]
            if all(learned in piece for piece in holding):
                found.append((node, known, learned, len(holding)))
    return found
