"""The compiled loops over sensitive values do what the definitions say, and what their plain Python versions do."""

from collections import Counter
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.kernels import rows as histograms

entries = st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 3)), st.integers(1, 9), max_size=24)


def columns(drawn):
    rows = [(group, value, count) for (group, value), count in drawn.items()]
    return list(np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def both(kernel):
    return kernel, kernel.reference


@given(entries, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_entries_of_groups_with_one_number_are_merged(drawn, numbers):
    expected = Counter()
    for (group, value), count in drawn.items():
        expected[numbers[group], value] += count
    for merge in both(histograms.merge_entries):
        merged = np.full((3, len(drawn)), -1, dtype=np.int64)
        places = np.zeros((3, 4), dtype=np.int32)
        found = merge(*columns(drawn), np.array(numbers, dtype=np.int32), places, merged)
        assert found == len(expected)
        assert {(group, value): count for group, value, count in merged[:, :found].T.tolist()} == expected


@given(entries)
def test_only_what_exceeds_the_share_is_summed(drawn):
    shares = np.array([0.5, 0.25, 0.25, 0.0])
    sizes = np.full(6, 40)
    expected = [
        sum(max(drawn.get((group, value), 0) / 40 - shares[value], 0) for value in range(4)) for group in range(6)
    ]
    for add in both(histograms.sum_excess):
        sums = np.zeros(6)
        add(*columns(drawn), sizes, shares, sums)
        assert sums.tolist() == pytest.approx(expected)


@given(entries.filter(bool))
def test_running_shares_are_compared_at_every_place(drawn):
    group, value, count = columns(drawn)
    sizes = np.maximum(np.bincount(group, count, minlength=6), 1).astype(np.int64)
    given = np.cumsum([0.5, 0.25, 0.25, 0.0])
    table = np.zeros((6, 4))
    table[group, value] = count / sizes[group]
    expected = np.abs(np.cumsum(table, axis=1) - given).sum(axis=1) * np.isin(np.arange(6), group)
    for add in both(histograms.sum_steps):
        sums, starts = np.zeros(6), np.append(0, np.cumsum(np.bincount(value, minlength=4)))
        running, room, seen = np.append(0.0, np.cumsum(given)), np.empty_like(group), np.zeros((6, 3), np.int64)
        add(group, value, count, sizes, starts, given, running, room, seen, sums)
        assert sums.tolist() == pytest.approx(expected.tolist())


@given(entries)
def test_a_table_says_the_same_as_its_entries(drawn):
    table = np.zeros((6, 5), dtype=np.uint16)
    for (group, value), count in drawn.items():
        table[group, value] = count
    for list_entries in both(histograms.entries_of_table):
        listed = np.empty((3, table.size + 1), dtype=np.int64)
        found = list_entries(table, listed)
        assert {(group, value): count for group, value, count in listed[:, :found].T.tolist()} == drawn
        assert found == len(drawn)


@given(entries)
def test_what_exceeds_the_share_is_summed_in_a_table_too(drawn):
    shares, sizes = np.array([0.5, 0.25, 0.25, 0.0]), np.arange(40, 46)
    table = np.zeros((6, 8), dtype=np.uint16)  # rows are filled up with zeros
    for (group, value), count in drawn.items():
        table[group, value] = count
    expected = [
        sum(max(drawn.get((group, value), 0) / sizes[group] - shares[value], 0) for value in range(4))
        for group in range(6)
    ]
    for add in both(histograms.sum_excess_in_table):
        sums = np.full(6, np.nan)
        add(table, sizes, shares, sums)
        assert sums.tolist() == pytest.approx(expected)


@given(entries, st.integers(2, 6))
def test_the_largest_count_is_divided_by_those_from_a_rank_on(drawn, rank):
    group, _, count = columns(drawn)
    for divide in both(histograms.divide_by_rare):
        ratios = np.zeros(6)
        divide(group, count, np.zeros((6, rank - 1), dtype=np.int64), ratios)
        for number, ratio in enumerate(ratios.tolist()):
            ordered = sorted(count[group == number].tolist(), reverse=True)
            rare = sum(ordered[rank - 1 :])
            assert ratio == (ordered[0] / rare if rare else inf)
