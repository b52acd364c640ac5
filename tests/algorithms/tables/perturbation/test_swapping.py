"""Swapping moves values and changes none: marginals are equal exactly, partners are as near as they must be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.perturbation.tables import categories, people
from krypsis import registry
from krypsis.algorithms.tables.perturbation.swapping import DataSwapping, RankSwapping
from krypsis.data.columns import CategoryColumn, NumericColumn
from krypsis.errors import UsageError

numbers = st.lists(st.one_of(st.just(np.nan), st.integers(-50, 50).map(float)), min_size=1, max_size=60)


@given(numbers, st.floats(0.1, 100), st.sampled_from(["ranks", "values"]), st.integers(0, 99))
def test_rank_swapping_keeps_every_number_and_every_gap(values, p, reach, seed):
    column = NumericColumn("pay", np.array(values))
    after = RankSwapping(p=p, range=reach).perturb({"pay": column}, np.random.default_rng(seed))["pay"].values
    assert np.array_equal(np.sort(after), np.sort(column.values), equal_nan=True)
    assert np.array_equal(np.isnan(after), np.isnan(column.values))


@given(st.integers(1, 200), st.floats(0.5, 100), st.integers(0, 99))
def test_a_number_moves_at_most_p_percent_of_the_ranks(count, p, seed):
    ranks = np.random.default_rng(seed).permutation(count).astype(float)
    after = RankSwapping(p=p).perturb({"r": NumericColumn("r", ranks)}, np.random.default_rng(seed))["r"].values
    assert np.abs(after - ranks).max() <= p / 100 * count + 1e-9


@given(numbers, st.floats(0.1, 100), st.integers(0, 99))
def test_by_value_a_number_is_swapped_with_one_at_most_p_percent_away(values, p, seed):
    column = NumericColumn("pay", np.array(values))
    after = RankSwapping(p=p, range="values").perturb({"pay": column}, np.random.default_rng(seed))["pay"].values
    pairs = [sorted(pair) for pair in zip(column.values, after, strict=True) if not np.isnan(pair[0])]
    assert all(high - low <= p / 100 * abs(low) + 1e-9 for low, high in pairs)


def test_rank_swapping_moves_nearly_all_and_correlations_fade_as_p_grows():
    columns = people(4000)
    before = np.corrcoef([column.values for column in columns.values()])[0, 1]
    kept = []
    for p in (1, 20, 100):
        after = RankSwapping(p=p).perturb(columns, np.random.default_rng(1))
        assert (after["age"].values != columns["age"].values).mean() > 0.9
        kept.append(np.corrcoef([after[name].values for name in columns])[0, 1] / before)
    assert kept[0] > 0.95 > kept[1] > kept[2]


def test_a_window_too_small_for_any_partner_leaves_all_as_it_is():
    column = people(50)["age"]
    after = RankSwapping(p=1).perturb({"age": column}, np.random.default_rng(1))["age"]
    assert np.array_equal(after.values, column.values)


@st.composite
def tables(draw):
    count = draw(st.integers(1, 60))
    codes = {name: draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)) for name in ("job", "sex", "town")}
    return {
        name: CategoryColumn(name, np.array(values, dtype=np.int32), ("a", "b", "c", None))
        for name, values in codes.items()
    }


@given(tables(), st.floats(0.01, 1), st.booleans(), st.integers(0, 99))
def test_data_swapping_keeps_every_count_within_every_cell(columns, rate, together, seed):
    method = DataSwapping(rate=rate, within=("town",), together=together)
    after = method.perturb(columns, np.random.default_rng(seed))
    assert set(after) == {"job", "sex"}
    towns = columns["town"].codes.tolist()
    for name, column in after.items():
        before = columns[name].codes.tolist()
        assert Counter(zip(column.codes.tolist(), towns, strict=True)) == Counter(zip(before, towns, strict=True))
        assert ((column.codes == 3) == (columns[name].codes == 3)).all()
    if together:
        pairs = [Counter(zip(table["job"].codes, table["sex"].codes, strict=True)) for table in (after, columns)]
        assert pairs[0] == pairs[1]


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
def test_the_rate_says_how_many_records_are_swapped(rate):
    column = CategoryColumn("id", np.arange(1000, dtype=np.int32), tuple(map(str, range(1000))))
    after = DataSwapping(rate=rate).perturb({"id": column}, np.random.default_rng(1))["id"]
    assert (after.codes != column.codes).sum() == rate * 1000
    assert (after.codes[after.codes] == column.codes).all()  # in pairs


def test_a_record_that_is_alone_in_its_cell_stays():
    columns = {"job": categories("job", {"a": 1, "b": 1}), "town": categories("town", {"x": 1, "y": 1})}
    after = DataSwapping(rate=1, within=("town",)).perturb(columns, np.random.default_rng(1))
    assert after["job"].codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rank-swapping:p=0", "p of rank-swapping must be more than 0, got 0"),
        ("rank-swapping:p=101", "p of rank-swapping must be at most 100, got 101"),
        ("rank-swapping:range=rows", "range of rank-swapping"),
        ("data-swapping:rate=0", "rate of data-swapping must be more than 0"),
        ("data-swapping:rate=1.5", "rate of data-swapping must be at most 1"),
    ],
)
def test_parameters_out_of_range_are_named(spec, words):
    with pytest.raises(UsageError, match=words):
        registry.create("algorithm", spec)
