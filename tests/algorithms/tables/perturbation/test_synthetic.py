"""Synthetic records follow the model; what is rare does not show."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import krypsis
from algorithms.tables.perturbation.tables import categories, people
from krypsis.algorithms.tables.perturbation.synthetic import Synthetic, chow_liu, mutual_information
from krypsis.data.columns import CategoryColumn, NumericColumn
from krypsis.errors import UsageError
from krypsis.kinds.table.demo import hospital

COUNTS = {"flu": 4000, "cold": 3000, "burn": 2000, "cut": 1000}


def dependent(count=6000):
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, count)
    other = np.where(rng.random(count) < 0.9, one, rng.integers(0, 3, count))
    third = rng.integers(0, 2, count)
    labels = ("a", "b", "c")
    return {
        name: CategoryColumn(name, codes.astype(np.int32), labels)
        for name, codes in {"one": one, "third": third, "other": other}.items()
    }


@pytest.mark.parametrize("model", ["independent", "tree"])
def test_the_marginal_of_a_category_passes_a_chi_square_test(model):
    columns = {"ill": categories("ill", COUNTS), "well": categories("well", COUNTS)}
    after = Synthetic(model=model).perturb(columns, np.random.default_rng(8))
    for column in after.values():
        expected = np.array(list(COUNTS.values()))
        statistic = ((np.bincount(column.codes) - expected) ** 2 / expected).sum()
        assert statistic < chi2.ppf(0.9999, len(COUNTS) - 1)


def test_numbers_keep_their_quantiles_within_a_part():
    column = people(10_000)["income"]
    after = Synthetic(bins=20).perturb({"income": column}, np.random.default_rng(1))["income"].values
    for share in (10, 25, 50, 75, 90):
        low, high = np.percentile(column.values, [share - 2.5, share + 2.5])
        assert low < np.percentile(after, share) < high


def test_a_tree_keeps_what_columns_say_about_each_other_and_independence_does_not():
    columns = dependent()
    before = mutual_information(columns["one"].codes.astype(int), columns["other"].codes.astype(int))
    found = {}
    for model in ("tree", "independent"):
        after = Synthetic(model=model).perturb(columns, np.random.default_rng(1))
        found[model] = mutual_information(after["one"].codes.astype(int), after["other"].codes.astype(int))
    assert found["tree"] == pytest.approx(before, rel=0.1)
    assert found["independent"] < 0.01


codes = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=2, max_size=30)


@given(codes)
def test_the_tree_is_one_of_the_largest_mutual_information(rows):
    columns = list(np.array(rows).T)
    edges = chow_liu(columns)
    assert sorted(place for _, place in edges) == [0, 1, 2, 3]
    assert all(given is None or given in [place for _, place in edges[:at]] for at, (given, _) in enumerate(edges))
    weights = {pair: mutual_information(columns[pair[0]], columns[pair[1]]) for pair in combinations(range(4), 2)}
    found = sum(weights[min(edge), max(edge)] for edge in edges[1:])
    assert found == pytest.approx(max(sum(map(weights.get, tree)) for tree in spanning_trees(weights)), abs=1e-9)


def spanning_trees(pairs):
    for tree in combinations(pairs, 3):
        reached = {0}
        for _ in range(3):
            reached |= {place for pair in tree if reached & set(pair) for place in pair}
        if len(reached) == 4:
            yield tree


@given(codes)
def test_mutual_information_is_that_of_the_definition(rows):
    one, other = np.array(rows).T[:2]
    total = 0.0
    for a in set(one):
        for b in set(other):
            joint = ((one == a) & (other == b)).mean()
            total += joint * np.log(joint / ((one == a).mean() * (other == b).mean())) if joint else 0
    assert mutual_information(one, other) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("model", ["independent", "tree"])
def test_rare_values_and_extreme_numbers_never_show(model):
    pay = np.r_[np.random.default_rng(1).normal(100, 10, 500), 1e6, -1e6]
    columns = {
        "ill": categories("ill", {"flu": 498, "plague": 4}),
        "pay": NumericColumn("pay", pay),
        "town": categories("town", {"x": 499}, missing=3),
    }
    after = Synthetic(model=model, size=5000).perturb(columns, np.random.default_rng(1))
    assert set(after["ill"].codes) == {0}
    assert set(after["town"].codes) == {0}
    assert np.abs(after["pay"].values).max() < 200


def test_missing_values_are_drawn_as_often_as_they_occur():
    values = np.where(np.arange(4000) % 4 == 0, np.nan, np.arange(4000.0))
    after = Synthetic().perturb({"pay": NumericColumn("pay", values)}, np.random.default_rng(1))["pay"].values
    assert np.isnan(after).mean() == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 4000))


def test_a_column_of_few_numbers_keeps_exactly_those():
    column = NumericColumn("grade", np.repeat([1.0, 2.0, 5.0], 50))
    after = Synthetic().perturb({"grade": column}, np.random.default_rng(1))["grade"].values
    assert set(after) == {1, 2, 5}


def test_a_column_of_single_values_is_refused_with_advice():
    with pytest.raises(UsageError, match=r"'name' has no value that 5 records share.*rare=1"):
        Synthetic().perturb({"name": categories("name", {"Ann": 1, "Bob": 1})}, np.random.default_rng(1))


ROLES = {"age": "QI", "sex": "QI", "zip": "QI", "ward": "sensitive", "days": "insensitive"}


def test_all_published_columns_are_drawn_unless_some_are_named_and_the_size_can_be_chosen():
    release = krypsis.anonymize(hospital(300), ROLES, algorithm="synthetic:size=77,rare=1")
    assert release.table.height == 77
    assert set(release.statistics["columns"]) == set(ROLES)
    assert release.statistics["columns"]["age"]["changed"] is None
    with pytest.raises(UsageError, match=r"size is for whole records.*zip"):
        krypsis.anonymize(hospital(300), ROLES, algorithm='synthetic:size=77,columns="age,sex"')


def test_numbers_that_are_codes_are_drawn_as_they_are_if_asked_for():
    table = hospital(300)
    release = krypsis.anonymize(table, ROLES, algorithm="synthetic:rare=1,categories=zip")
    assert set(release.table["zip"]) <= set(table["zip"])


def test_numbers_too_few_to_hide_the_rare_ones_are_refused():
    """Cut off from both ends, nothing but the number of the person in the middle would be left, for everybody."""
    column = NumericColumn("pay", np.arange(25.0) ** 2)
    with pytest.raises(UsageError, match=r"'pay' has 25 numbers, and 12 at each end.*set rare to 12 at most"):
        Synthetic(rare=13).perturb({"pay": column}, np.random.default_rng(1))
    drawn = Synthetic(rare=12, size=100).perturb({"pay": column}, np.random.default_rng(1))["pay"].values
    assert drawn.min() >= 11**2
    assert drawn.max() <= 13**2
