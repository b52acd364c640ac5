"""The auditor of disassociated sets on the worked examples, and its conditions against the exact audit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checker.random_clusters import random_forest
from tests.transactions.clusters import clusters

from effort import examples
from krypsis.checker.chunk_audit import examine, fits_data, rarest_alone, roots, violations
from krypsis.checker.disassociation import problems
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import Disassociated
from krypsis.errors import UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.set_diversity import SetDiversity

PROMISE = KmAnonymity(k=3, m=2)


def rare_pairs(published: Disassociated) -> dict[str, object]:
    (verdict,) = check_sets(published, [PROMISE])
    return {str(one["values"]["items"]): one["size"] for one in verdict.offending}  # type: ignore[index]


def kept(published: Disassociated) -> bool:
    (verdict,) = check_sets(published, [PROMISE])
    return verdict.holds


def test_example_341_is_refused_because_two_records_would_be_empty_and_the_repair_mends_it() -> None:
    broken = clusters([(0, [["a"]] * 3), (0, [["b", "c"]] * 3)], [5], [-1], [[]])
    assert rare_pairs(broken) == {"a, b": 1, "a, c": 1}
    assert kept(clusters([(0, [["a"]] * 3), (0, [["b"]] * 3)], [5], [-1], [["c"]]))


FIGURE_35 = [(0, [["a", "x"]] * 3), (1, [["b", "c"]] * 3), (2, [["d", "e", "f"]] * 3)]


def test_figure_35_unsafe_shared_chunk_is_refused_and_the_safe_one_kept() -> None:
    unsafe = clusters([*FIGURE_35, (3, [["a", "o"]] * 3 + [["o"]])], [3] * 3, [3, 3, 3, -1], [[], [], []])
    assert rare_pairs(unsafe)["o, x"] == 1
    assert kept(clusters([*FIGURE_35, (3, [["a"]] * 3), (3, [["o"]] * 4)], [3] * 3, [3, 3, 3, -1], [[], [], []]))


PROPERTY_31 = [(0, [["x"]] * 3), (1, [["b"]] * 4), (1, [["c"]] * 4), (2, [["d"]] * 4)]


def test_counterexample_98_property_31_is_not_enough_and_separate_chunks_are() -> None:
    together = [["o"]] * 3 + [["b"]] * 4 + [["c"]] * 3
    printed = clusters([*PROPERTY_31, (3, together)], [4] * 3, [3, 3, 3, -1], [["q"], [], []])
    assert rare_pairs(printed)["o, x"] == 1
    apart = [(3, [["o"]] * 3), (3, [["b"]] * 4), (3, [["c"]] * 3)]
    assert kept(clusters([*PROPERTY_31, *apart], [4] * 3, [3, 3, 3, -1], [["q"], [], []]))


def test_counterexample_99_a_term_chunk_emptied_by_a_join_breaks_the_promise() -> None:
    chunks = [(0, [["a"]] * 3), (0, [["b", "c"]] * 3), (1, [["p"]] * 3)]
    assert kept(clusters(chunks, [5, 5], [-1, -1], [["z"], ["z"]]))
    emptied = clusters([*chunks, (2, [["z"]] * 3)], [5, 5], [2, 2, -1], [[], []])
    assert rare_pairs(emptied)["a, b"] == 2


def test_the_natural_instance_of_99_breaks_the_pairs_that_the_specification_names() -> None:
    chunks = [
        (0, [["t00", "t03"]] * 3),
        (1, [["t00"]] * 4),
        (1, [["t05"]] * 3),
        (2, [["t02"]] * 3),
    ]
    # P3 of the example stands alone and is no part of the tree; the virtual term chunks lose t02 by the join.
    published = clusters(chunks, [4, 6], [2, 2, -1], [[], ["t01", "t04", "t10"]])
    found = violations(published, [0, 1, 2], k=3, m=2)
    assert {items for items, _ in found} >= {("t00", "t02"), ("t02", "t03")}


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        (clusters([(0, [["a"]] * 3)], [2], [-1], [[]]), "3 pieces for 2 records"),
        (clusters([(0, [["a"]] * 3)], [3], [-1], [["a"]]), "two chunks of the same cluster"),
        (clusters([(0, [["a"]] * 3), (0, [["a"]] * 3)], [3], [-1], [[]]), "two chunks of the same cluster"),
        (clusters([(2, [["a"]] * 3)], [3, 3], [2, 2, -1], [["a"], ["b"]]), "also stands in a term chunk below"),
        (clusters([(0, [["a"]] * 3)], [3], [-1, -1], [[]]), "holds no other cluster"),
        (clusters([(0, [["a"]] * 3), (1, [["a"]] * 3)], [3], [1, -1], [["b"]]), "more pieces than there are records"),
    ],
)
def test_clusters_that_no_data_fits_are_refused_with_the_reason(published: Disassociated, reason: str) -> None:
    (verdict,) = check_sets(published, [PROMISE])
    assert not verdict.holds
    assert reason in verdict.sentence


def test_a_cluster_of_fewer_than_k_records_is_refused() -> None:
    (verdict,) = check_sets(clusters([], [2], [-1], [["a", "b"]]), [PROMISE])
    assert not verdict.holds
    assert "2 record(s), fewer than 3" in verdict.sentence


def test_a_promise_about_tables_is_refused() -> None:
    with pytest.raises(UsageError, match="km-anonymity"):
        check_sets(clusters([], [3], [-1], [["a"]]), [KAnonymity(k=2)])


def test_sensitive_items_must_stand_apart_in_clusters_that_are_large_enough() -> None:
    published = clusters([(0, [["a"]] * 3)], [5, 4], [-1, -1], [["hiv"], ["b"]])
    promise = SetDiversity(l=5)
    assert check_sets(published, [promise], sensitive=frozenset({"hiv"}))[0].achieved == 5
    assert not check_sets(published, [promise], sensitive=frozenset({"b"}))[0].holds
    (verdict,) = check_sets(published, [promise], sensitive=frozenset({"a"}))
    assert not verdict.holds
    assert "'a'" in verdict.sentence
    with pytest.raises(UsageError, match="none is named"):
        check_sets(published, [promise])


ITEMS = "abcdef"


@st.composite
def joined_clusters(draw: st.DrawFn) -> Disassociated:
    """Two small clusters and what is shared by both, any items in any chunks; many keep a promise for k = 2 or 3."""
    sizes = draw(st.lists(st.integers(3, 5), min_size=2, max_size=2))
    own = [list(draw(st.permutations(ITEMS))) for _ in sizes]
    terms = [[items.pop()] if draw(st.integers(0, 3)) else [] for items in own]
    shared = [item for item in ITEMS if [item] not in terms]
    chunks = [chunk for node in range(2) for chunk in _chunks(draw, node, own[node], sizes[node])]
    return clusters([*chunks, *_chunks(draw, 2, shared, sum(sizes))], sizes, [2, 2, -1], terms)


def _chunks(draw: st.DrawFn, node: int, items: list[str], records: int) -> list[tuple[int, list[list[str]]]]:
    chunks = []
    free = list(draw(st.permutations(items)))
    for _ in range(draw(st.integers(1, 2))):
        domain = [free.pop() for _ in range(draw(st.sampled_from([1, 1, 2])))]
        kinds = draw(st.lists(st.lists(st.sampled_from(domain), min_size=1, unique=True), min_size=1, max_size=2))
        pieces = [sorted(kind) for kind in kinds for _ in range(draw(st.integers(2, 3)))]
        chunks.append((node, pieces[:records]))
    return chunks


@settings(max_examples=examples(150), deadline=None)
@given(published=joined_clusters(), k=st.integers(2, 3), m=st.integers(1, 2))
def test_what_the_conditions_accept_the_exact_audit_accepts(published: Disassociated, k: int, m: int) -> None:
    if problems(published) or examine(published, m).level < k:
        return
    assert [found for tree in roots(published) for found in violations(published, tree, k, m)] == []


def test_random_forests_that_the_conditions_accept_are_accepted_by_the_exact_audit() -> None:
    tried = 0
    for seed in range(400):
        published, m = random_forest(np.random.default_rng(seed)), 1 + seed % 3
        level = 0 if problems(published) else examine(published, m).level
        if level < 2:
            continue
        tried += 1
        for tree in roots(published):
            assert fits_data(published, tree), seed
            assert violations(published, tree, level, m) == [], seed
    assert tried > 20  # or the forests say little


def test_pieces_that_fit_into_no_record_are_refused_although_each_chunk_looks_well() -> None:
    chunks = [(0, [["b"]] * 3), (1, [["c"]] * 3), (2, [["b", "c"]] * 3)]
    (verdict,) = check_sets(clusters(chunks, [3, 3], [2, 2, -1], [["x"], ["y"]]), [PROMISE])
    assert not verdict.holds
    assert "do not fit together" in verdict.sentence


def test_a_large_release_in_doubt_is_undecided_without_trying_every_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the exact audit is for small releases")

    monkeypatch.setattr("krypsis.checker.chunk_audit.violations", never)
    chunks = [(leaf, [[item]] * 3) for leaf in range(300) for item in "ab"]
    (verdict,) = check_sets(clusters(chunks, [5] * 300, [-1] * 300, [[]] * 300), [PROMISE])
    assert verdict.holds is None
    assert verdict.sentence.startswith("Undecided: 300 cluster(s) have no term chunk")


@settings(max_examples=examples(150), deadline=None)
@given(published=joined_clusters(), k=st.integers(2, 4), m=st.integers(1, 2))
def test_what_is_broken_without_an_exact_audit_is_broken_in_it(published: Disassociated, k: int, m: int) -> None:
    if problems(published) or rarest_alone(published, m, k) >= k:
        return
    trees = list(roots(published))
    assert not all(fits_data(published, tree) for tree in trees) or any(violations(published, t, k, m) for t in trees)


def test_a_large_release_with_few_pieces_of_items_that_stand_nowhere_else_is_broken() -> None:
    chunks = [(leaf, [["a"]] * 3) for leaf in range(100)] + [(0, [["b", "c"]] * 3 + [["d"]] * 2)]
    (verdict,) = check_sets(clusters(chunks, [5] * 100, [-1] * 100, [["x"]] * 100), [PROMISE])
    assert verdict.holds is False


def test_only_the_trees_in_doubt_are_audited_and_the_others_do_not_hide_what_is_found() -> None:
    sound = [(leaf, [["p", "q"]] * 4) for leaf in range(1, 200)]
    broken = [(0, [["a"]] * 3), (0, [["b"]] * 3)]
    published = clusters([*broken, *sound], [5] + [4] * 199, [-1] * 200, [[]] * 200)
    assert rare_pairs(published) == {"a, b": 1}
