"""The compiled loops do what their plain Python versions and numpy do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kernels import rows as grouping

int64 = st.integers(-(2**63), 2**63 - 1)
keys = st.lists(st.one_of(int64, st.integers(-3, 3)), max_size=40).map(lambda drawn: np.array(drawn, dtype=np.int64))


def number(function, drawn):
    numbers = np.full(len(drawn), -1, dtype=np.int32)
    first = np.full(len(drawn), -1, dtype=np.int64)
    found = function(drawn, numbers, first)
    return numbers, first[:found]


@given(keys)
def test_equal_keys_get_equal_numbers_in_order_of_appearance(drawn):
    numbers, first = number(grouping.number_keys, drawn)
    distinct = list(dict.fromkeys(drawn.tolist()))
    assert numbers.tolist() == [distinct.index(key) for key in drawn.tolist()]
    assert drawn[first].tolist() == distinct


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@given(st.lists(st.integers(0, 2**62), max_size=20).map(lambda drawn: np.array(drawn, dtype=np.int64)))
def test_the_plain_python_loop_agrees(drawn):
    compiled, plain = number(grouping.number_keys, drawn), number(grouping.number_keys.reference, drawn)
    assert compiled[0].tolist() == plain[0].tolist()
    assert compiled[1].tolist() == plain[1].tolist()


def test_keys_that_fall_into_one_slot_stay_apart():
    # Multiples of a large power of two collide in any table smaller than it.
    drawn = np.arange(50, dtype=np.int64) * 2**57
    numbers, _ = number(grouping.number_keys, drawn)
    assert numbers.tolist() == list(range(50))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1000)), min_size=1, max_size=30))
def test_counts_are_summed_by_number(pairs):
    numbers, counts = (np.array(column) for column in zip(*pairs, strict=True))
    for function in (grouping.sum_by_number, grouping.sum_by_number.reference):
        sums = np.zeros(6, dtype=np.int64)
        function(numbers.astype(np.int32), counts.astype(np.int64), sums)
        assert sums.tolist() == np.bincount(numbers, counts, minlength=6).tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=20), st.data())
def test_values_of_chosen_tuples_are_counted_per_column(rows, data):
    codes = np.array(rows, dtype=np.int32)
    tuples = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=20)), dtype=np.int64)
    chosen = np.array([data.draw(st.booleans()) for _ in tuples], dtype=np.bool_)
    counts = np.arange(1, len(tuples) + 1, dtype=np.int64)
    rows, added = codes[tuples[chosen]], counts[chosen]
    expected = [*np.bincount(rows[:, 0], added, minlength=3), *np.bincount(rows[:, 1], added, minlength=4)]
    for function in (grouping.count_values, grouping.count_values.reference):
        histogram = np.zeros(7, dtype=np.int64)
        function(codes, tuples, counts, chosen, np.array([0, 3, 7]), histogram)
        assert histogram.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), max_size=20))
def test_chosen_counts_are_summed(pairs):
    counts = np.array([count for count, _ in pairs], dtype=np.int64)
    chosen = np.array([wanted for _, wanted in pairs], dtype=np.bool_)
    expected = sum(count for count, wanted in pairs if wanted)
    assert grouping.sum_of_chosen(counts, chosen) == expected
    assert grouping.sum_of_chosen.reference(counts, chosen) == expected


@given(st.lists(st.integers(0, 9), min_size=5, max_size=5), st.integers(0, 1), st.integers(0, 1))
def test_values_are_weighed_by_what_they_cost_at_their_level(histogram, first, second):
    weights = np.array([0.0, 0.5, 1.0, 1.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.0])  # 2 levels of 2 values, 2 of 3
    starts = np.array([2 * first, 4 + 3 * second])
    expected = [
        sum(count * weights[starts[0] + place] for place, count in enumerate(histogram[:2])),
        sum(count * weights[starts[1] + place] for place, count in enumerate(histogram[2:])),
    ]
    for function in (grouping.weigh_values, grouping.weigh_values.reference):
        sums = np.zeros(2)
        function(np.array(histogram), np.array([0, 2, 5]), weights, starts, sums)
        assert sums.tolist() == pytest.approx(expected)
