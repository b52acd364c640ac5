"""The certainty penalty of sets: hand-made figures, a slow twin, and records in the wrong order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import HierarchyError, UsageError
from krypsis.metrics.transactions.set_ncp import SetNcp

ROWS = [["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"], ["e", "Y", "*"]]
LEAVES = {"X": 2, "Y": 3, "*": 5}
GOODS = Hierarchy.from_rows(ROWS)


def measured(original, published, hierarchy=GOODS):
    return SetNcp().measure(original, published, hierarchy, np.random.default_rng(1))


def slow(original, published):
    """Every item of every record by itself: the lowest label above it that its record shows."""
    above = {row[0]: row for row in ROWS}
    paid = []
    for before, after in zip(original, published, strict=True):
        for item in sorted(set(before)):
            told = [label for label in above[item] if label in after]
            paid.append(1.0 if not told else 0.0 if told[0] == item else LEAVES[told[0]] / 5)
    return sum(paid) / len(paid) if paid else 0.0


@st.composite
def published_alike(draw):
    """Sets, and the same sets with each item told, generalized or lost."""
    original = draw(st.lists(st.lists(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=6))
    fate = st.integers(0, 3)
    above = {row[0]: [*row, None] for row in ROWS}
    made = [[label for item in one if (label := above[item][draw(fate)]) is not None] for one in original]
    return original, made


@given(sets=published_alike())
def test_it_is_what_a_slow_count_item_by_item_finds(sets):
    original, made = sets
    assert measured(Transactions.of_sets(original), Transactions.of_sets(made)) == pytest.approx(slow(original, made))


def test_unchanged_sets_lose_nothing_and_the_top_alone_loses_everything():
    sets = Transactions.of_sets([["a", "b"], ["c"], []])
    assert measured(sets, sets) == 0
    assert measured(sets, sets.generalized(dict.fromkeys("abc", "*"))) == 1


def test_a_label_that_stands_for_one_item_only_loses_nothing():
    lonely = Hierarchy.from_rows([["a", "X", "*"], ["b", "Y", "*"], ["c", "Y", "*"]])
    sets = Transactions.of_sets([["a"], ["b"]])
    assert measured(sets, sets.generalized({"a": "X"}), lonely) == 0


def test_without_a_hierarchy_it_is_the_share_of_items_lost():
    sets = Transactions.of_sets([["a", "b"], ["b", "c"]])
    assert measured(sets, sets.without(["b"]), None) == 0.5
    assert measured(Transactions.of_sets([[]]), Transactions.of_sets([[]]), None) == 0


def test_records_in_another_order_are_refused():
    sets = Transactions.of_sets([["a"], ["c"]])
    with pytest.raises(UsageError, match="in the order of the original"):
        measured(sets, sets.taken(np.array([1, 0])))
    with pytest.raises(UsageError, match="2 records became 1"):
        measured(sets, sets.taken(np.array([0])))


def test_an_item_that_the_hierarchy_lacks_is_named():
    sets = Transactions.of_sets([["z"]])
    with pytest.raises(HierarchyError, match="lacks 1 value"):
        measured(sets, sets)
