"""Outliers are what loops over plain rows find."""

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.mu_argus.outliers import Cells, find_outliers, too_small

WIDTH = 4
BLANK = 3


@st.composite
def cells(draw: st.DrawFn) -> Cells:
    """Some groups of one to four attributes, a few of them suppressed; two groups may look alike."""
    count = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, WIDTH - 1)] * count), min_size=1, max_size=12))
    sizes = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    codes = np.array(rows, dtype=np.int32)
    return Cells(codes, np.array(sizes, dtype=np.int64), (BLANK,) * count, (WIDTH,) * count)


def records(table: Cells) -> list[tuple[int, ...]]:
    return [tuple(row) for row, size in zip(table.codes.tolist(), table.counts, strict=True) for _ in range(size)]


def slow_outliers(table: Cells, k: int, sizes: list[int], *, count_blanks: bool) -> set[tuple[tuple[int, int], ...]]:
    """Every combination of (attribute, value) pairs that stands in fewer than k records."""
    found = Counter(
        pairs for row in records(table) for size in sizes for pairs in combinations(list(enumerate(row)), size)
    )
    return {
        pairs
        for pairs, count in found.items()
        if count < k and (count_blanks or all(value != BLANK for _, value in pairs))
    }


@given(cells(), st.integers(1, 6), st.sampled_from([[2], [2, 3], [1, 2, 3, 4]]), st.booleans())
def test_outliers_are_found_as_by_counting_records_one_by_one(table, k, sizes, count_blanks):
    attributes = range(table.codes.shape[1])
    tested = [combination for size in sizes for combination in combinations(attributes, size)]
    outliers = find_outliers(table, k, tested, count_blanks=count_blanks)
    expected = slow_outliers(table, k, sizes, count_blanks=count_blanks)
    assert outliers.number == len(expected)
    tallies = Counter(pair for pairs in expected for pair in pairs)
    for attribute in attributes:
        assert outliers.tallies[attribute].tolist() == [tallies[attribute, value] for value in range(WIDTH)]
        assert outliers.per_attribute()[attribute] == sum(attribute in dict(pairs) for pairs in expected)
    for group, row in enumerate(table.codes.tolist()):
        mine = [pairs for pairs in expected if all(row[attribute] == value for attribute, value in pairs)]
        assert outliers.held[group].tolist() == [any(a in dict(pairs) for pairs in mine) for a in attributes]
    holders = [row for row in records(table) if any(all(row[a] == v for a, v in pairs) for pairs in expected)]
    assert outliers.records(table.counts) == len(holders)


@given(cells(), st.integers(1, 6), st.data())
def test_a_group_is_too_small_if_few_records_look_like_it_in_some_set(table, k, data):
    attributes = range(table.codes.shape[1])
    members = st.lists(st.sampled_from(attributes), min_size=1, unique=True).map(sorted).map(tuple)
    sets = data.draw(st.lists(members, min_size=1, max_size=3))
    counts = [Counter(tuple(row[a] for a in known) for row in records(table)) for known in sets]
    expected = [
        any(count[tuple(row[a] for a in known)] < k for known, count in zip(sets, counts, strict=True))
        for row in table.codes.tolist()
    ]
    assert too_small(table, k, sets).tolist() == expected


@given(cells())
def test_attributes_that_look_alike_everywhere_do_not_vary(table):
    columns = zip(*table.codes.tolist(), strict=True)
    assert table.varying == tuple(a for a, column in enumerate(columns) if len(set(column)) > 1)


@given(cells(), st.data())
def test_suppressing_cells_changes_those_cells_only_and_leaves_the_input(table, data):
    chosen = np.array(
        data.draw(st.lists(st.lists(st.booleans(), min_size=(m := table.codes.shape[1]), max_size=m),
                           min_size=(n := len(table.counts)), max_size=n))
    )  # fmt: skip
    before = table.codes.copy()
    after = table.blanked(chosen).codes
    assert (after[chosen] == BLANK).all()
    assert (after[~chosen] == before[~chosen]).all()
    assert (table.codes == before).all()
