"""How many records hold items together: the figures of the specification, and averages over data that could be."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krypsis.data.transactions import Supports, reconstruct
from krypsis.errors import UsageError
from transactions.clusters import clusters

FIRST = [["itunes", "flu", "madonna"], ["madonna", "flu"], ["itunes", "madonna"], ["itunes", "flu"]]
SECOND = [["madonna", "digital camera"], ["iphone sdk", "madonna"], ["iphone sdk", "digital camera"]]
BOTH = ["iphone sdk", "digital camera", "madonna"]
RECORD_CHUNKS = [(0, [*FIRST, FIRST[0]]), (0, [["audi a4", "sony tv"]] * 3), (1, [*SECOND, BOTH, BOTH])]
SHARED = [["ikea", "ruby"], ["ruby"], ["ikea"], ["ikea", "ruby"], ["ikea", "ruby"]]


def figure_32() -> Supports:
    terms = [["ikea", "viagra", "ruby"], ["panic disorder", "playboy", "ikea", "ruby"]]
    return Supports(clusters(RECORD_CHUNKS, [5, 5], [-1, -1], terms))


def figure_33() -> Supports:
    terms = [["viagra"], ["panic disorder", "playboy"]]
    return Supports(clusters([*RECORD_CHUNKS, (2, SHARED)], [5, 5], [2, 2, -1], terms))


def test_the_certain_figures_of_the_specification() -> None:
    pairs = [["ikea", "ruby"], ["flu", "madonna"], ["madonna", "audi a4"]]
    assert figure_32().certain(pairs).tolist() == [0, 3, 0]
    assert figure_33().certain(pairs).tolist() == [3, 3, 0]


def test_a_single_item_counts_once_for_each_term_chunk_that_lists_it() -> None:
    assert figure_32().certain([["ikea"], ["viagra"], ["madonna"]]).tolist() == [2, 1, 8]
    assert figure_33().certain([["ikea"], ["viagra"]]).tolist() == [4, 1]


def test_the_expected_figures_of_the_specification() -> None:
    assert figure_32().expected([["madonna", "audi a4"]]) == pytest.approx([2.4])
    # Shared pieces: three of ten records hold both; those of the first cluster hold madonna in four of five.
    assert figure_33().expected([["ikea", "ruby"]]) == pytest.approx([3.0])
    assert figure_33().expected([["ikea", "madonna"]]) == pytest.approx([5 * 0.4 * 0.8 + 5 * 0.4 * 0.8])
    assert figure_33().expected([["audi a4", "digital camera"]]).tolist() == [0.0]


def test_a_shared_item_is_expected_only_where_no_chunk_below_holds_it() -> None:
    # The three shared copies of a belong to the second cluster: the first has its own.
    supports = Supports(clusters([(0, [["a"]] * 3), (2, [["a"]] * 3)], [4, 4], [2, 2, -1], [["x"], ["y"]]))
    assert supports.expected([["a"], ["a", "y"], ["a", "x"]]) == pytest.approx([6.0, 0.75, 0.75])


def test_what_is_expected_is_the_average_over_many_data_sets_that_fit() -> None:
    supports = figure_33()
    rng = np.random.default_rng(1)
    pairs = [["madonna", "audi a4"], ["ikea", "madonna"], ["flu", "ruby"], ["viagra", "flu"]]
    drawn = [reconstruct(supports.published, rng).sets() for _ in range(2000)]
    average = [sum(set(pair) <= record for records in drawn for record in records) / len(drawn) for pair in pairs]
    assert supports.expected(pairs) == pytest.approx(average, abs=0.1)


@given(seed=st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_no_data_set_that_fits_has_less_than_what_is_certain(seed: int) -> None:
    supports = figure_33()
    drawn = reconstruct(supports.published, np.random.default_rng(seed)).sets()
    pairs = list(combinations(supports.published.items, 2))
    found = [sum(set(pair) <= record for record in drawn) for pair in pairs]
    assert (np.array(found) >= supports.certain(pairs)).all()


def test_every_record_holds_the_empty_set_and_repeated_items_count_once() -> None:
    assert figure_32().certain([[]]).tolist() == [10]
    assert figure_32().expected([[], ["flu", "flu"]]) == pytest.approx([10.0, 4.0])


def test_odd_questions_are_refused_with_a_hint() -> None:
    with pytest.raises(UsageError, match=r"madona.*Did you mean 'madonna'"):
        figure_32().certain([["madona"]])
    with pytest.raises(UsageError, match="list of items"):
        figure_32().expected(["flu"])
