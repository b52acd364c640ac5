"""Data that could lie behind disassociated sets fits what is published."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checker.random_clusters import random_forest

from data.transactions.fitting import fits
from effort import examples
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.checker.chunk_audit import fits_data, roots
from krypsis.checker.disassociation import problems
from krypsis.data.transactions import Transactions
from krypsis.data.transactions.reconstruction import reconstruct
from krypsis.errors import DataError, UsageError
from krypsis.models.km_anonymity import KmAnonymity
from transactions.clusters import clusters

pytestmark = pytest.mark.exposed

ITEMS = [f"t{number:02d}" for number in range(14)]
skewed = st.lists(
    st.sets(st.integers(0, 195).map(lambda number: ITEMS[int(number**0.5)]), min_size=1, max_size=6),
    min_size=6,
    max_size=60,
)


def published_of(sets, **parameters):
    task = SetTask(Transactions.of_sets(sets), [KmAnonymity(k=3, m=2)])
    return Disassociation(max_cluster_size=5, **parameters).publish(task, np.random.default_rng(1)).published


def occurrences(sets):
    return Counter(item for one in sets for item in one)


@given(sets=skewed, seed=st.integers(0, 3))
@settings(max_examples=examples(60))
def test_every_piece_is_used_once_and_no_record_is_empty(sets, seed):
    published = published_of(sets)
    drawn = reconstruct(published, np.random.default_rng(seed))
    told, listed = occurrences(published.pieces.sets()), occurrences(published.terms.sets())
    found = occurrences(drawn.sets())
    assert len(drawn) == len(sets)
    assert all(drawn.sets())
    for item in ITEMS:
        assert found[item] == told[item] + listed[item] or (listed[item] and found[item] > told[item] + listed[item])


@given(sets=skewed, seed=st.integers(0, 3))
@settings(max_examples=examples(60))
def test_without_joint_clusters_the_records_of_a_cluster_cut_alike_give_its_chunks(sets, seed):
    published = published_of(sets, refine=False)
    drawn = reconstruct(published, np.random.default_rng(seed)).sets()
    ends = np.cumsum(published.sizes[::-1])[::-1]  # the records of the last cluster come first
    pieces = published.pieces.sets()
    for chunk, node in enumerate(published.chunk_nodes.tolist()):
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        domain = frozenset().union(*pieces[start:end])
        records = drawn[ends[node] - published.sizes[node] : ends[node]]
        assert Counter(cut for one in records if (cut := one & domain)) == Counter(pieces[start:end])


def test_an_item_of_a_chunk_below_goes_to_other_records():
    both = clusters([(0, [["a"]] * 3), (2, [["a"]] * 3)], sizes=[3, 3], parents=[2, 2, -1], terms=[["x"], ["y"]])
    for seed in range(20):
        assert occurrences(reconstruct(both, np.random.default_rng(seed)).sets())["a"] == 6


def test_pieces_of_different_items_are_matched_to_records_that_are_open_to_them():
    # The pieces with a fit into the second cluster only, and leave no room there for those with b.
    tight = clusters(
        [(0, [["a"]] * 3), (2, [["a", "c"]] * 3 + [["c"]] * 3)], sizes=[3, 3], parents=[2, 2, -1], terms=[["x"], ["y"]]
    )
    for seed in range(20):
        drawn = reconstruct(tight, np.random.default_rng(seed)).sets()
        assert occurrences(drawn)["a"] == occurrences(drawn)["c"] == 6


def test_what_fits_nowhere_is_refused():
    with pytest.raises(DataError, match="do not fit into the records below"):
        reconstruct(
            clusters([(0, [["a"]] * 3), (2, [["a"]] * 4)], sizes=[3, 3], parents=[2, 2, -1], terms=[["x"], ["y"]]),
            np.random.default_rng(1),
        )


@given(sets=skewed, seed=st.integers(0, 3), copies=st.sampled_from(["one", "uniform"]))
@settings(max_examples=examples(100))
def test_the_records_can_be_cut_into_the_published_pieces_again_also_across_joint_clusters(sets, seed, copies):
    published = published_of(sets)
    drawn = reconstruct(published, np.random.default_rng(seed), copies=copies, k=3).sets()
    assert fits(published, leaves_in_order(published), drawn)


def leaves_in_order(published):
    """Return the cluster of each record: those of a tree follow each other, the last ones first."""

    def below(node):
        if node < published.clusters:
            return [node] * int(published.sizes[node])
        children = [child for child, parent in enumerate(published.parents.tolist()) if parent == node]
        return [leaf for child in reversed(children) for leaf in below(child)]

    tops = [node for node, parent in enumerate(published.parents.tolist()) if parent < 0]
    return [leaf for top in reversed(tops) for leaf in below(top)]


def test_a_record_for_which_its_cluster_has_no_piece_gets_a_shared_one():
    # Three pieces for four records and no term chunk: whatever is drawn, z must go to the fourth.
    published = clusters([(0, [["a"]] * 3), (2, [["z"]] * 2)], sizes=[4, 4], parents=[2, 2, -1], terms=[[], ["y"]])
    for seed in range(30):
        drawn = reconstruct(published, np.random.default_rng(seed)).sets()
        assert fits(published, leaves_in_order(published), drawn)
        assert frozenset("z") in drawn[4:]  # the records of the last cluster come first


def test_records_of_several_clusters_compete_for_shared_pieces_that_fit_not_everywhere():
    # One record of the first cluster and two of the second need the three shared pieces; an item fits only elsewhere.
    chunks = [(0, [["a"]] * 3), (1, [["b"]] * 3), (3, [["a", "c"], ["b", "c"], ["c"]])]
    published = clusters(chunks, sizes=[4, 5, 2], parents=[3, 3, 3, -1], terms=[[], [], ["y"]])
    for seed in range(30):
        drawn = reconstruct(published, np.random.default_rng(seed)).sets()
        assert fits(published, leaves_in_order(published), drawn)


@given(sets=skewed, seed=st.integers(0, 3))
@settings(max_examples=examples(100))
def test_data_is_found_behind_whatever_the_printed_variant_publishes(sets, seed):
    published = published_of(sets, variant="printed")
    assert fits(published, leaves_in_order(published), reconstruct(published, np.random.default_rng(seed)).sets())


def test_data_is_drawn_if_and_only_if_the_exact_audit_says_that_some_fits():
    seen = Counter()
    for seed in range(150):
        published = random_forest(np.random.default_rng(seed))
        is_possible = not problems(published) and all(fits_data(published, tree) for tree in roots(published))
        seen[is_possible] += 1
        if is_possible:
            drawn = reconstruct(published, np.random.default_rng(seed)).sets()
            assert fits(published, leaves_in_order(published), drawn), seed
        else:
            with pytest.raises(DataError, match="no data can lie behind"):
                reconstruct(published, np.random.default_rng(seed))
    assert min(seen.values()) > 20  # or the forests say little


def test_uniform_copies_are_one_to_k_minus_one_and_all_of_them_occur():
    published = clusters([(0, [["a"]] * 9)], sizes=[9], parents=[-1], terms=[["x", "y"]])
    seen = Counter()
    for seed in range(300):
        found = occurrences(reconstruct(published, np.random.default_rng(seed), copies="uniform", k=4).sets())
        seen.update([found["x"], found["y"]])
    assert set(seen) == {1, 2, 3}
    assert all(150 < count < 250 for count in seen.values())  # 200 each are expected, give or take 12


def test_every_way_to_place_the_pieces_is_drawn_equally_often():
    published = clusters([(0, [["a"], ["a"]]), (0, [["b"]])], sizes=[3], parents=[-1], terms=[["x"]])
    seen = Counter()
    for seed in range(3000):
        records = reconstruct(published, np.random.default_rng(seed)).sets()
        holder = next(record for record in records if "b" in record)
        seen["a" in holder] += 1
    # b is in one of three records, and two of them hold a: 2,000 are expected, give or take 26.
    assert 1870 < seen[True] < 2130


def test_uniform_copies_need_the_k_of_the_promise():
    with pytest.raises(UsageError, match="needs the k of the promise"):
        reconstruct(clusters([], sizes=[3], parents=[-1], terms=[["x"]]), np.random.default_rng(1), copies="uniform")


@pytest.mark.parametrize(
    ("chunks", "terms"),
    [([(0, [["a"]] * 4)], [["x"]]), ([(0, [["a"]] * 2)], [[]]), ([], [[]])],
)
def test_what_no_data_fits_is_refused(chunks, terms):
    with pytest.raises(DataError, match="no data"):
        reconstruct(clusters(chunks, sizes=[3], parents=[-1], terms=terms), np.random.default_rng(1))
