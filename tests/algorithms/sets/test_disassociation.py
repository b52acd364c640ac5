"""Disassociation as a whole: against the pseudocode in plain Python, and what a user relies on."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation, disassociated, wanted_together
from krypsis.algorithms.sets.disassociation.forest import Wishes
from krypsis.algorithms.sets.disassociation.horizontal import form_clusters
from krypsis.algorithms.sets.disassociation.refine import join_clusters
from krypsis.algorithms.sets.disassociation.vertical import cut_records
from krypsis.checker.chunk_audit import examine
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import Transactions
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.set_diversity import SetDiversity
from oracles.disassociation import canonical_release, disassociate, is_km

ITEMS = [f"t{number:02d}" for number in range(14)]
RNG = np.random.default_rng(1)

records = st.lists(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=6), min_size=1, max_size=60)
skewed = st.lists(
    st.sets(st.integers(0, 195).map(lambda number: ITEMS[int(number**0.5)]), min_size=1, max_size=6),
    min_size=1,
    max_size=60,
)
constraint_sets = st.lists(
    st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4, unique=True).map(tuple), max_size=4
).map(tuple)


def publish(sets, k=5, m=2, **parameters):
    sensitive, l = parameters.pop("sensitive", frozenset()), parameters.pop("l", None)  # noqa: E741
    models = [KmAnonymity(k=k, m=m), *([SetDiversity(l=l)] if l else [])]
    task = SetTask(Transactions.of_sets(sets), models, sensitive=frozenset(sensitive))
    method = Disassociation(**parameters)
    method.check(task)
    return method.publish(task, RNG).published


@given(data=st.data(), sets=records | skewed, k=st.integers(1, 5), m=st.integers(1, 4), more=st.integers(1, 12))
@settings(max_examples=examples(300))
def test_it_publishes_what_the_pseudocode_in_plain_python_publishes(data, sets, k, m, more):
    l = data.draw(st.sampled_from([1, 1, 2, 6]))  # noqa: E741
    least = max(k, l)
    occurring = sorted(set().union(*sets))
    hidden = frozenset(data.draw(st.sets(st.sampled_from(occurring), min_size=1, max_size=2))) if l > 1 else frozenset()
    variant = data.draw(st.sampled_from(["hardened", "hardened", "printed"]))
    constraints = data.draw(constraint_sets)
    constraints = constraints if {item for one in constraints for item in one} & set(occurring) else ()
    refine = data.draw(st.booleans())
    sets = sets * -(-least // len(sets))  # at least as many as the smallest cluster
    limit = 2 * least - 1 + more
    parameters = {"variant": variant, "constraints": constraints, "refine": refine, "max_cluster_size": limit}
    found = publish(sets, k, m, sensitive=hidden, l=l if l > 1 else None, **parameters)
    expected = disassociate(sets, k, m, limit, least, variant == "hardened", hidden, constraints, refine)
    assert canonical_release(found) == expected


@given(sets=records | skewed, k=st.integers(1, 5), m=st.integers(1, 3), sensitive=st.sets(st.sampled_from(ITEMS)))
def test_every_item_of_every_record_is_in_exactly_one_chunk(sets, k, m, sensitive):
    sets = sets * k
    found = publish(sets, k, m, sensitive=sensitive & set().union(*sets))
    total = Counter(item for one in sets for item in one)
    told = Counter(item for piece in found.pieces.sets() for item in piece)
    listed = Counter(item for terms in found.terms.sets() for item in terms)
    assert len(found) == len(sets)
    assert all(told[item] <= total[item] for item in total)
    # What is not in a piece is listed at least once, and nothing is listed that is told completely.
    assert {item for item in total if told[item] < total[item]} == set(listed)
    assert all(listed[item] <= total[item] - told[item] for item in listed)


@given(sets=records | skewed, k=st.integers(1, 5), m=st.integers(1, 4))
def test_clusters_are_large_enough_and_their_chunks_are_anonymous(sets, k, m):
    found = publish(sets * k, k, m)
    pieces = found.pieces.sets()
    edges = found.chunk_starts.tolist()
    assert found.sizes.min() >= k
    assert all(is_km(pieces[begin:end], k, m) for begin, end in pairwise(edges))


@given(sets=records | skewed, sensitive=st.sets(st.sampled_from(ITEMS), min_size=1), l=st.integers(2, 9))
def test_sensitive_items_are_in_term_chunks_of_large_clusters_only(sets, sensitive, l):  # noqa: E741
    sets = sets * l
    sensitive &= set().union(*sets)
    if not sensitive:
        return
    found = publish(sets, 2, 2, sensitive=sensitive, l=l)
    assert not any(piece & sensitive for piece in found.pieces.sets())
    assert found.sizes.min() >= l


def test_the_same_on_one_thread_and_on_two(monkeypatch):
    draw = np.random.default_rng(2)
    sets = [set(draw.zipf(1.5, draw.integers(1, 8)).clip(1, 300).tolist()) for _ in range(30_000)]
    releases = []
    for threads in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda threads=threads: threads)
        releases.append(publish(sets))
    one, two = releases
    assert one.clusters > 512  # more than one thread takes at a time
    for name in ("chunk_starts", "chunk_nodes", "sizes", "parents"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
    assert one.pieces.codes.tolist() == two.pieces.codes.tolist()
    assert one.terms.codes.tolist() == two.terms.codes.tolist()


def test_more_records_than_the_largest_cluster_that_are_alike_are_cut_into_equal_slices():
    found = publish([["a", "b"]] * 100, k=5, max_cluster_size=31)
    assert sorted(found.sizes.tolist()) == [25, 25, 25, 25]
    assert set(found.pieces.sets()) == {frozenset({"a", "b"})}


@given(sets=records | skewed, k=st.integers(1, 6), more=st.integers(0, 4), refine=st.booleans())
def test_no_cluster_has_more_records_than_the_largest_size_nor_fewer_than_k(sets, k, more, refine):
    limit = max(2 * k - 1 + more, 2)
    found = publish(sets * k, k=k, max_cluster_size=limit, refine=refine)
    assert found.sizes.max() <= limit
    assert found.sizes.min() >= k


def test_every_release_of_small_sets_is_accepted_by_the_checker():
    """All data sets of up to four records over three items, also with more known items than any record has."""
    possible = [frozenset(one) for size in (1, 2, 3) for one in combinations("abc", size)]
    refused = []
    for many in (2, 3, 4):
        for sets in combinations_with_replacement(possible, many):
            for k, m, refine in ((2, 3, False), (2, 9, True), (3, 4, False))[: many - 1]:
                published = publish(sets, k=k, m=m, refine=refine, max_cluster_size=2 * k - 1)
                if not all(check_sets(published, [KmAnonymity(k=k, m=m)])):
                    refused.append((sets, k, m, refine))
    assert refused == []


def test_empty_records_are_refused_with_their_number():
    with pytest.raises(DataError, match=r"2 of 7 records are empty.*leave empty records out"):
        publish([["a"]] * 5 + [[], []], k=2)


def test_more_k_than_records_is_infeasible_and_the_largest_k_is_told():
    with pytest.raises(Infeasible, match=r"at least 7 records, and there are only 3.*is 3") as refusal:
        publish([["a"], ["b"], ["c"]], k=7)
    assert refusal.value.closest == {"k": 3}


def test_more_l_than_records_is_infeasible():
    with pytest.raises(Infeasible, match="at least 9 records"):
        publish([["a"], ["b"], ["c"]], k=2, l=9, sensitive={"a"})


def test_a_largest_cluster_that_is_too_small_for_the_promise_is_refused():
    with pytest.raises(UsageError, match="max_cluster_size must be at least 9, got 5"):
        publish([["a"]] * 9, k=5, max_cluster_size=5)


def test_diversity_without_sensitive_items_is_refused():
    with pytest.raises(UsageError, match="name at least one sensitive item"):
        publish([["a"]] * 9, k=2, l=3)


def test_without_the_promise_it_does_not_know_what_to_do():
    task = SetTask(Transactions.of_sets([["a"]]), [SetDiversity(l=1)], sensitive=frozenset({"a"}))
    with pytest.raises(UsageError, match="disassociation needs the promise km-anonymity"):
        Disassociation().check(task)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 50])
def test_more_items_known_than_the_longest_set_has_ask_for_whole_records(m):
    sets = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["b", "c", "d"]] * 2
    # Every pair is in 4 records, every triple in 2.
    assert len(publish(sets, k=3, m=m).chunk_nodes) == (1 if m <= 2 else 2)


def test_items_that_a_set_holds_twice_count_once():
    assert canonical_release(publish([["a", "a"], ["a"]], k=2)) == [("simple", "2", ((("a",), ("a",)),), ())]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_sets_of_ten_thousand_items_are_no_problem(m):
    huge = [f"i{number}" for number in range(10_000)]
    alike = publish([huge] * 5 + [["a", "b"]] * 5, k=5, m=m)
    assert max(map(len, alike.pieces.sets())) == 10_000
    single = publish([huge] + [["i1", "i2"]] * 9, k=5, m=m)
    assert len(single.terms.codes) >= 9_998


def test_duplicates_of_few_records_are_published_whole():
    found = publish([["a", "b"]] * 5 + [["c"]] * 5, k=5)
    assert Counter(found.pieces.sets()) == {frozenset({"a", "b"}): 5, frozenset({"c"}): 5}
    assert found.terms.sets() == [frozenset()]


@pytest.mark.parametrize(
    "parameters",
    [
        {"constraints": "hierarchy level 1"},
        {"constraints": "frequency 0.625%", "variant": "printed"},
        {"constraints": (("a", "b"), ("c, d", 'the "e"')), "max_cluster_size": 40, "refine": False},
        {"constraints": (("a",),)},
    ],
)
def test_it_is_read_back_from_its_spec(parameters):
    method = Disassociation(**parameters)
    assert registry.create("algorithm", method.spec) == method


def joined_in_blocks(sets, k, m, block, threads):
    transactions = Transactions.of_sets(sets)
    options = {
        "hidden": np.zeros(len(transactions.items), dtype=np.bool_),
        "together": wanted_together(transactions, []),
    }
    clusters = form_clusters(transactions, k + 2, k, unite=True, **options)
    cut = cut_records(clusters, k, m, **options)
    wishes = Wishes(k, m, hardened=True, together=options["together"])
    joined = join_clusters(clusters, cut, wishes, hidden=options["hidden"], block=block, threads=threads)
    return disassociated(clusters, cut, joined)


@given(sets=skewed, k=st.integers(1, 3), m=st.integers(1, 3), block=st.integers(2, 6))
def test_clusters_that_are_joined_block_by_block_keep_the_promise_and_all_items(sets, k, m, block):
    sets = sets * k
    found = joined_in_blocks(sets, k, m, block, threads=2)
    total = Counter(item for one in sets for item in one)
    told = Counter(item for piece in found.pieces.sets() for item in piece)
    listed = {item for terms in found.terms.sets() for item in terms}
    assert {item for item in total if told[item] < total[item]} == listed
    assert examine(found, m).level >= k


def test_blocks_are_joined_the_same_on_one_thread_and_on_two():
    draw = np.random.default_rng(3)
    sets = [set(draw.zipf(1.4, draw.integers(1, 6)).clip(1, 60).tolist()) for _ in range(3000)]
    one, two = (joined_in_blocks(sets, 3, 2, 50, threads) for threads in (1, 2))
    assert len(one.parents) > one.clusters
    assert canonical_release(one) == canonical_release(two)


def test_one_block_that_holds_all_clusters_joins_as_without_blocks():
    draw = np.random.default_rng(4)
    sets = [set(draw.zipf(1.4, draw.integers(1, 6)).clip(1, 60).tolist()) for _ in range(400)]
    assert canonical_release(joined_in_blocks(sets, 2, 2, 10**6, 1)) == disassociate(
        [{str(item) for item in one} for one in sets], 2, 2, 4
    )


@pytest.mark.data
@pytest.mark.parametrize("m", [1, 2, 3])
def test_most_of_a_public_click_log_is_published_in_pieces(data_folder, m):
    lines = (data_folder / "transactions" / "BMS-WebView-1.dat").read_text("utf-8").splitlines()
    sets = [line.split() for line in lines]
    found = publish(sets, k=5, m=m)
    assert len(found) == 59_602
    assert len(found.pieces.codes) >= 0.6 * sum(len(set(one)) for one in sets)
    assert examine(found, m).level >= 5


@pytest.mark.data
def test_dense_records_are_cut_into_pieces_that_keep_the_promise(data_folder):
    lines = (data_folder / "transactions" / "mushroom.dat").read_text("utf-8").splitlines()
    found = publish([line.split() for line in lines], k=5, m=3)
    assert found.sizes.sum() == 8124
    assert examine(found, 3).level >= 5
