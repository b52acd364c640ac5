"""The profile of sets: who is distinguished by how many items, against trying all combinations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.transactions import Transactions
from krypsis.kinds.sets import profile as profile_sets_module
from krypsis.kinds.sets.profile import fewest_to_identify, mark_pairs, mark_singles, mark_triples, profile_sets


def by_trying(sets: list[frozenset[str]]) -> list[int]:
    """Return the smallest number of items, up to three, that only this record holds together."""

    def is_alone(items: tuple[str, ...]) -> bool:
        return sum(set(items) <= other for other in sets) == 1

    return [
        next((size for size in (1, 2, 3) if any(is_alone(known) for known in combinations(one, size))), 0)
        for one in sets
    ]


@given(st.lists(st.frozensets(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=12))
def test_who_is_told_apart_is_found_as_by_trying_all_combinations(sets: list[frozenset[str]]) -> None:
    fewest, is_exact = fewest_to_identify(Transactions.of_sets(sets))
    assert is_exact
    assert fewest.tolist() == by_trying(sets)


def test_the_kernels_are_what_they_are_in_plain_python() -> None:
    sets = [frozenset(one) for one in ("abc", "abd", "acd", "bcd", "ab", "abcd", "e", "")]
    transactions = Transactions.of_sets(sets)
    begins = np.concatenate([[0], np.cumsum(transactions.supports)])
    holders = transactions.records[np.argsort(transactions.codes, kind="stable")]
    fewest = np.zeros(len(sets), dtype=np.int64)
    mark_singles.reference(transactions.starts, transactions.codes, transactions.supports, fewest)  # type: ignore[attr-defined]
    mark_pairs.reference(transactions.starts, transactions.codes, begins, holders, fewest)  # type: ignore[attr-defined]
    mark_triples.reference(transactions.starts, transactions.codes, begins, holders, fewest, 10**9)  # type: ignore[attr-defined]
    assert fewest.tolist() == by_trying(sets) == [0, 0, 0, 0, 0, 0, 1, 0]


def test_a_set_of_ten_thousand_items_is_looked_at_within_limits() -> None:
    large = [str(item) for item in range(10_000)]
    profile = profile_sets(Transactions.of_sets([large, large, large[:5_000], ["0", "1"]]), "large")
    assert (profile.largest, profile.identified[:2]) == (10_000, (0.0, 0.0))
    assert not profile.is_exact


def test_where_the_work_is_too_much_the_share_is_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_sets_module, "MOST_WORK", 1)
    profile = profile_sets(Transactions.of_sets([list("abcd")] * 3), "few")
    assert not profile.is_exact


def test_records_without_items_are_counted() -> None:
    profile = profile_sets(Transactions.of_sets([[], ["a"], ["a"]]), "few")
    assert (profile.empty, profile.items, profile.occurrences, profile.rare_items) == (1, 1, 2, 1)
    assert profile.sparsity == pytest.approx(1 / 3)
