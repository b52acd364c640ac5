"""The kernels over labels do what their plain Python versions and the words of their definitions do."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kernels import labels
from krypsis.metrics.layout import Layout
from strategies import frequency_sets

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def levels_of(frequency, data):
    return tuple(data.draw(st.integers(0, height)) for height in frequency.heights)


def released(frequency, levels):
    columns = [
        hierarchy.table[level][frequency.codes[:, column]]
        for column, (hierarchy, level) in enumerate(zip(frequency.hierarchies, levels, strict=True))
    ]
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(frequency_sets(sensitive=0), st.data())
def test_an_area_is_the_product_of_the_leaves(frequency, data):
    levels, layout = levels_of(frequency, data), Layout.of(frequency)
    tuples = np.arange(len(frequency.counts))
    expected = np.ones(len(tuples))
    for column, (hierarchy, level) in enumerate(zip(frequency.hierarchies, levels, strict=True)):
        expected *= hierarchy.leaves[level][frequency.codes[:, column]]
    for function in (labels.label_areas, labels.label_areas.reference):
        areas = np.zeros(len(tuples))
        function(frequency.codes, tuples, layout.starts(levels), layout.leaves, areas)
        assert areas.tolist() == expected.tolist()


@given(frequency_sets(sensitive=0), st.data())
def test_weights_go_to_the_group_that_looks_alike(frequency, data):
    levels, layout = levels_of(frequency, data), Layout.of(frequency)
    looks = released(frequency, levels)
    first = [looks.index(look) for look in dict.fromkeys(looks)]
    kept = [row for row in first if data.draw(st.booleans())]  # the others belong to no group
    weights = {number: number + 1.0 for number in range(len(looks))}
    expected = [sum(weights[row] for row, look in enumerate(looks) if look == looks[group]) for group in kept]
    assert sums_of(frequency, layout, levels, kept, weights, compiled=True) == expected
    assert sums_of(frequency, layout, levels, kept, weights, compiled=False) == expected


def sums_of(frequency, layout, levels, kept, weights, *, compiled, digits=None):
    keys_of, sum_up = labels.label_keys, labels.sum_by_labels
    if not compiled:
        keys_of, sum_up = keys_of.reference, sum_up.reference
    digits = layout.digits if digits is None else digits
    starts = layout.starts(levels)
    groups, tuples = np.array(kept, dtype=np.int64), np.array(list(weights), dtype=np.int64)
    group_keys, keys = np.zeros(len(groups), dtype=np.int64), np.zeros(len(tuples), dtype=np.int64)
    keys_of(frequency.codes, groups, starts, digits, group_keys)
    keys_of(frequency.codes, tuples, starts, digits, keys)
    sums = np.zeros(len(groups))
    sum_up(
        frequency.codes, groups, group_keys, tuples, keys, np.array(list(weights.values())), starts, digits, sums
    )  # fmt: skip
    return sums.tolist()


@given(frequency_sets(sensitive=0), st.data())
def test_tuples_with_the_same_hash_stay_apart(frequency, data):
    """With the plain codes as numbers, 0 + 1 and 1 + 0 collide."""
    levels, layout = levels_of(frequency, data), Layout.of(frequency)
    looks = released(frequency, levels)
    first = [looks.index(look) for look in dict.fromkeys(looks)]
    plain = layout.labels.astype(np.int64)
    found = sums_of(
        frequency, layout, levels, first, dict.fromkeys(range(len(looks)), 1.0), compiled=True, digits=plain
    )
    assert found == [Counter(looks)[looks[group]] for group in first]


@given(frequency_sets(sensitive=0), st.data())
def test_the_numbers_of_different_labels_differ(frequency, data):
    levels, layout = levels_of(frequency, data), Layout.of(frequency)
    for start, size, hierarchy, level in zip(
        layout.starts(levels), layout.values, frequency.hierarchies, levels, strict=True
    ):
        digits = layout.digits[start : start + size].tolist()
        codes = hierarchy.table[level].tolist()
        assert len(set(digits)) == len(set(codes)) == len(set(zip(digits, codes, strict=True)))


@given(frequency_sets(sensitive=0), st.data())
def test_the_cheapest_level_counts_for_each_column(frequency, data):
    lowest = levels_of(frequency, data)
    highest = tuple(data.draw(st.integers(low, top)) for low, top in zip(lowest, frequency.heights, strict=True))
    layout, offsets = Layout.of(frequency), frequency.value_offsets
    counts = np.concatenate(frequency.marginals)
    begins = np.cumsum([0, *(height + 1 for height in frequency.heights[:-1])])
    costs = np.arange(sum(frequency.heights) + len(frequency.heights), dtype=np.float64)
    expected = 0.0
    for column, hierarchy in enumerate(frequency.hierarchies):
        prices = []
        for level in range(lowest[column], highest[column] + 1):
            sums = np.bincount(hierarchy.table[level], frequency.marginals[column])
            bits = frequency.rows * log2(frequency.rows) - sum(part * log2(part) for part in sums if part)
            prices.append(0.5 * costs[begins[column] + level] + 0.25 * bits)
        expected += min(prices)
    for function in (labels.cheapest_bits, labels.cheapest_bits.reference):
        found = function(
            counts, offsets, layout.labels, layout.begins, costs, begins, np.array(lowest), np.array(highest),
            frequency.rows, 0.5, 0.25,
        )  # fmt: skip
        assert found == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=12))
def test_the_largest_count_of_each_group_is_found(entries):
    group = np.array([one for one, _ in entries], dtype=np.int64)
    count = np.array([one for _, one in entries], dtype=np.int64)
    expected = [max((one for number, one in entries if number == wanted), default=0) for wanted in range(4)]
    for function in (labels.largest_by_group, labels.largest_by_group.reference):
        largest = np.zeros(4, dtype=np.int64)
        function(group, count, largest)
        assert largest.tolist() == expected
