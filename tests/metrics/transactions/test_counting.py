"""How many records hold some items: exact sets, generalized ones, and sets in pieces."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import HierarchyError, UsageError
from krypsis.metrics.transactions.counting import SetCounts, counts_of
from metrics.transactions.figures import FIGURE_3_3

ROWS = [["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"], ["e", "Y", "*"]]
GOODS = Hierarchy.from_rows(ROWS)
ABOVE = {row[0]: row for row in ROWS}
BELOW = {label: [row[0] for row in ROWS if label in row] for row in ROWS for label in row}
labels = st.lists(st.sets(st.sampled_from([*"abcde", "X", "Y", "*"]), max_size=4), min_size=1, max_size=8)
some_items = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True)


def chance_of_all(record, items):
    """Each item by the lowest label; each label is one of all choices of as many items as it is taken for."""
    taken = {}
    for item in items:
        told = [label for label in ABOVE[item] if label in record]
        if not told:
            return 0.0
        taken.setdefault(told[0], []).append(item)
    chance = 1.0
    for label, meant in taken.items():
        chance /= comb(len(BELOW[label]), len(meant))
    return chance


def chance_of_any(record, items):
    """Each label stands for one of its items, whichever other labels do."""
    without = 1.0
    for label in record:
        without *= 1 - len(set(BELOW[label]) & set(items)) / len(BELOW[label])
    return 1 - without


@given(sets=labels, items=some_items)
def test_generalized_items_stand_for_each_of_their_items_alike(sets, items):
    counts = SetCounts(Transactions.of_sets(sets), GOODS)
    assert counts.of_all(items) == pytest.approx(sum(chance_of_all(one, items) for one in sets))
    assert counts.of_any(items) == pytest.approx(sum(chance_of_any(one, items) for one in sets))


@given(sets=st.lists(st.sets(st.sampled_from("abcde"), max_size=4), max_size=8), items=some_items)
def test_exact_sets_are_counted(sets, items):
    for hierarchy in (None, GOODS):
        counts = SetCounts(Transactions.of_sets(sets), hierarchy)
        assert counts.of_all(items) == sum(set(items) <= one for one in sets)
        assert counts.of_any(items) == sum(bool(set(items) & one) for one in sets)


def test_all_choices_of_a_label_together_are_its_records():
    counts = SetCounts(Transactions.of_sets([["Y"]] * 6), GOODS)
    assert sum(counts.of_all(pair) for pair in combinations("cde", 2)) == pytest.approx(6)


def test_what_clusters_tell_for_certain_is_in_every_answer():
    counts = counts_of(FIGURE_3_3, None, np.random.default_rng(1), 3)
    assert counts.of_all(["flu", "madonna"]) == 3  # they stand together in one chunk
    assert counts.of_all(["ikea", "ruby"]) == 3
    assert counts.of_any(["viagra", "playboy"]) == 2


def test_a_label_that_stands_nowhere_is_named():
    with pytest.raises(HierarchyError, match="lacks 'zebra'"):
        SetCounts(Transactions.of_sets([["a", "zebra"]]), GOODS)


def test_sets_in_groups_are_measured_otherwise():
    grouped = GroupedSets.of(Transactions.of_sets([["a", "S"]]), {"S"}, np.array([0]))
    with pytest.raises(UsageError, match="group-by-kl"):
        counts_of(grouped, None, np.random.default_rng(1), 1)
