"""Microaggregation: groups of at least k, and what they publish."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from algorithms.tables.perturbation.tables import categories, people
from krypsis import registry
from krypsis.algorithms.tables.perturbation.microaggregation import Microaggregation
from krypsis.data.columns import NumericColumn
from krypsis.errors import PromiseBroken, UsageError
from krypsis.release.order import in_input_order

# Information loss 100 · SSE / SST of MDAV on standardized columns: Domingo-Ferrer, Sebé, Solanas, A polynomial-time
# approximation to optimal multivariate microaggregation, Computers & Mathematics with Applications 55(4), 2008.
PUBLISHED = {
    "Tarragona": {3: 16.933, 4: 19.546, 5: 22.461, 10: 33.192},
    "CASCrefmicrodata": {3: 5.692, 4: 7.495, 5: 9.088, 10: 14.156},
}


@pytest.mark.data
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, losses in PUBLISHED.items() for k in losses])
def test_the_loss_on_the_reference_files_is_the_published_one(data_folder, name, k):
    table = pl.read_csv(data_folder / "relational" / "sdcmicro" / f"{name}.csv")
    columns = {label: NumericColumn(label, table[label].cast(float).to_numpy()) for label in table.columns}
    after = Microaggregation(k=k).perturb(columns, np.random.default_rng())
    lost = sum(((after[one].values - columns[one].values) ** 2).sum() / columns[one].values.var() for one in columns)
    assert 100 * lost / (table.height * table.width) == pytest.approx(PUBLISHED[name][k], abs=1.5e-3)


numbers = st.lists(st.tuples(st.integers(0, 20), st.integers(-5, 5)), min_size=4, max_size=50)


@given(numbers, st.integers(2, 4), st.sampled_from(["mean", "median", "medoid"]))
def test_k_records_or_more_share_each_published_combination(rows, k, centroid):
    columns = {
        name: NumericColumn(name, np.array(values, float))
        for name, *values in (("a", *(r[0] for r in rows)), ("b", *(r[1] for r in rows)))
    }
    after = Microaggregation(k=k, centroid=centroid).perturb(columns, np.random.default_rng())
    combinations = np.stack([after[name].values for name in columns], axis=1)
    assert np.unique(combinations, axis=0, return_counts=True)[1].min() >= k
    if centroid == "medoid":
        assert {tuple(one) for one in combinations} <= {tuple(map(float, row)) for row in rows}


def test_means_keep_the_mean_and_never_widen_the_spread():
    columns = people(1000)
    after = Microaggregation(k=4).perturb(columns, np.random.default_rng())
    for name, column in columns.items():
        assert after[name].values.mean() == pytest.approx(column.values.mean(), rel=1e-12)
        assert after[name].values.var() < column.values.var()


def test_a_column_counts_as_much_in_cents_as_in_dollars():
    columns = people(200)
    cents = {**columns, "income": NumericColumn("income", columns["income"].values * 1024)}
    one, other = (Microaggregation(k=3).perturb(table, np.random.default_rng()) for table in (columns, cents))
    assert one["age"].values == pytest.approx(other["age"].values)


def test_each_column_for_itself_loses_less_and_groups_less():
    columns = people(300)
    apart = Microaggregation(k=3, separately=True).perturb(columns, np.random.default_rng())
    joint = Microaggregation(k=3).perturb(columns, np.random.default_rng())
    for name, column in columns.items():
        lost = [((table[name].values - column.values) ** 2).sum() for table in (apart, joint)]
        assert lost[0] < lost[1]
        assert np.unique(apart[name].values, return_counts=True)[1].min() >= 3


def test_records_that_lack_the_same_values_are_grouped_among_themselves():
    columns = {
        "a": NumericColumn("a", np.array([1, 2, 3, np.nan, np.nan, np.nan, np.nan])),
        "b": NumericColumn("b", np.array([5, 5, 8, 1, 3, np.nan, np.nan])),
    }
    after = Microaggregation(k=2).perturb(columns, np.random.default_rng())
    assert after["a"].values.tolist()[:3] == [2, 2, 2]
    assert after["b"].values.tolist()[:5] == [6, 6, 6, 2, 2]
    assert np.isnan(after["a"].values[3:]).all()
    assert np.isnan(after["b"].values[5:]).all()


def test_groups_stay_within_cells():
    columns = {"age": NumericColumn("age", np.array([1.0, 9, 2, 8])), "sex": categories("sex", {"f": 2, "m": 2})}
    after = Microaggregation(k=2, within=("sex",)).perturb(columns, np.random.default_rng())
    assert after["age"].values.tolist() == [5, 5, 5, 5]
    assert set(after) == {"age"}


@pytest.mark.parametrize(
    ("ages", "within", "words"),
    [
        ([1.0, 2.0], False, ["k=3", "only 2", "smaller k"]),
        ([1.0], False, ["only 1"]),
        ([1, 2, 3, np.nan], False, ["only 1 without age", "fill in"]),
        ([1, 2, 3, 4], True, ["only 2 with sex=f"]),
    ],
)
def test_too_few_records_for_a_group_are_named(ages, within, words):
    columns = {"age": NumericColumn("age", np.array(ages))}
    more = {"sex": categories("sex", {"f": 2, "m": 2})} if within else {}
    method = Microaggregation(k=3, within=tuple(more))
    with pytest.raises(UsageError) as caught:
        method.perturb({**columns, **more}, np.random.default_rng())
    assert all(word in str(caught.value) for word in words)


def test_k_below_2_is_refused():
    with pytest.raises(UsageError, match="k of microaggregation must be at least 2, got 1"):
        registry.create("algorithm", "mdav:k=1")


PEOPLE = pl.DataFrame(
    {"age": range(20, 60), "pay": [f"{value}.50" for value in range(40, 80)], "sex": ["f", "m"] * 20, "job": ["x"] * 40}
)
ROLES = {"age": "QI", "pay": "QI", "job": "sensitive"}


def test_all_quasi_identifiers_together_are_k_anonymous_and_the_checker_says_so():
    release = krypsis.anonymize(PEOPLE, ROLES, algorithm="microaggregation:k=4")
    assert release.promises == ("k-anonymity:k=4",)
    assert release.verdicts[0].achieved >= 4
    assert release.table.schema == {"age": pl.Int64, "pay": pl.String, "job": pl.String}
    assert all(len(text.partition(".")[2]) == 2 for text in release.table["pay"])


@pytest.mark.parametrize("options", ["columns=age", "separately=true"])
def test_nothing_is_promised_unless_all_of_them_are_grouped(options):
    assert krypsis.anonymize(PEOPLE, ROLES, algorithm=f"microaggregation:k=4,{options}").promises == ()


def test_a_promise_that_is_asked_for_and_not_kept_is_refused():
    with pytest.raises(PromiseBroken, match="refuses"):
        krypsis.anonymize(PEOPLE, ROLES, models="k-anonymity:k=4", algorithm="microaggregation:k=4,columns=age")
    kept = krypsis.anonymize(PEOPLE, ROLES, models="k-anonymity:k=3", algorithm="microaggregation:k=4")
    assert kept.promises == ("k-anonymity:k=3",)


def test_with_columns_that_stay_within_groups_everything_is_k_anonymous():
    roles = {**ROLES, "sex": "QI"}
    release = krypsis.anonymize(PEOPLE, roles, algorithm="microaggregation:k=5,within=sex")
    assert release.promises == ("k-anonymity:k=5",)
    assert in_input_order(release)["sex"].to_list() == PEOPLE["sex"].to_list()
