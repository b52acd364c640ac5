"""Counts in the original table and estimated from a release."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.data.schema import Schema
from krypsis.errors import ColumnError, DataError, UsageError
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.publication import BucketedTables
from krypsis.kinds.table.utility import CountQuery, estimated_count, query_error, random_queries, true_count
from strategies import VALUES

pytestmark = pytest.mark.exposed

# Table 5.1 of the thesis of 2016, with the groups of Table 5.2
PATIENTS = pl.DataFrame(
    {
        "age": [30, 30, 30, 32, 32, 32, 36, 38, 38, 38],
        "sex": ["Male"] * 6 + ["Female"] * 4,
        "disease": ["Hepatitis", "Hepatitis", "AIDS", "Hepatitis", "AIDS", "AIDS", "Flu", "Flu", "Heart", "Heart"],
        "group": [1] * 6 + [2] * 4,
    }
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
HEART_AT_38 = CountQuery({"age": 38, "disease": "Heart"})


def in_groups(table, hidden="disease"):
    """Publish a table with groups as two tables."""
    roles = dict.fromkeys(table.columns, "quasi-identifier") | {hidden: "sensitive", "group": "insensitive"}
    values = table.group_by("group", hidden).len("count")
    publication = BucketedTables(table.drop(hidden), Schema.of(roles), group_column="group", sensitive_table=values)
    return release_of_publication(publication, guarantee="a test")


def generalized(labels):
    table = PATIENTS.drop("group").with_columns(age=pl.Series(labels))
    return release_of(table, Schema.of(ROLES), promises=("k-anonymity:k=1",))


TABLE_5_2 = generalized(["[30-35)"] * 6 + ["[35-40)"] * 4)


def test_the_worked_example_of_the_thesis():
    assert true_count(PATIENTS, HEART_AT_38) == 2
    assert estimated_count(in_groups(PATIENTS), HEART_AT_38) == pytest.approx(1.5)
    assert estimated_count(TABLE_5_2, HEART_AT_38, domains={"age": range(30, 40)}) == pytest.approx(0.4)


CITIES = pl.DataFrame(
    {
        "city": ["New York"] * 2 + ["New Jersey"] * 2 + ["Los Angeles"] * 2 + ["San Francisco"] * 2,
        "zipcode": [10000, 10000, 10050, 10050, 20000, 20000, 20050, 20050],
        "altitude": ["high", "high", "low", "low"] * 2,
        "disease": ["flu type A"] * 2 + ["prostate cancer"] * 2 + ["flu type B"] * 2 + ["melanoma cancer"] * 2,
    }
)
BY_DISEASE = CITIES.with_columns(group=pl.Series([1, 1, 2, 2, 1, 1, 2, 2]))
BY_PLACE = CITIES.with_columns(group=pl.Series([1, 1, 1, 1, 2, 2, 2, 2]))
IN_THE_EAST = {"zipcode": (10000, 10050)}
HIGH = {"altitude": "high"}


@pytest.mark.parametrize("disease", CITIES["disease"].unique().sort().to_list())
def test_a_query_is_exact_where_groups_follow_what_it_asks_for(disease):
    """The cities of the thesis on dynamic data, Fig 3.3: grouped by place, or by kind of disease."""
    east, high = CountQuery({**IN_THE_EAST, "disease": disease}), CountQuery({**HIGH, "disease": disease})
    assert estimated_count(in_groups(BY_PLACE), east) == true_count(CITIES, east)
    assert estimated_count(in_groups(BY_DISEASE), high) == true_count(CITIES, high)
    assert estimated_count(in_groups(BY_DISEASE), east) == pytest.approx(1)  # of 2 or of 0
    assert estimated_count(in_groups(BY_PLACE), high) == pytest.approx(1)


def test_half_flu_half_cancer_is_all_that_is_told_of_the_east_by_groups_of_disease():
    kinds = ({"flu type A", "flu type B"}, {"prostate cancer", "melanoma cancer"})
    queries = [CountQuery({**IN_THE_EAST, "disease": kind}) for kind in kinds]
    counts = [estimated_count(in_groups(BY_DISEASE), query) for query in queries]
    assert counts == [2, 2]


def test_permuted_values_are_counted_by_group():
    table = pl.DataFrame({"job": ["a", "a", "b", "b"], "pay": [1, 2, 11, 12]})
    roles = {"job": "quasi-identifier", "pay": "sensitive"}
    release = krypsis.anonymize(table, roles, models="ke-anonymity:k=2,e=1", algorithm="permutation")
    for job, pay, expected in (("a", 1, 1.0), ("a", (1, 2), 2.0), ("a", 11, 0.0), ("b", (None, 11), 1.0)):
        assert estimated_count(release, CountQuery({"job": job, "pay": pay})) == expected


def test_a_label_of_a_hierarchy_stands_for_its_leaves():
    table = pl.DataFrame({"job": ["cook", "nurse", "judge", "judge"], "disease": ["flu"] * 4})
    tree = krypsis.Hierarchy.from_rows([["cook", "hands", "*"], ["nurse", "hands", "*"], ["judge", "head", "*"]])
    release = krypsis.anonymize(
        table,
        {"job": "quasi-identifier", "disease": "sensitive"},
        models="k-anonymity:k=2",
        hierarchies={"job": tree},
    )
    assert sorted(release.table["job"]) == ["hands", "hands", "head", "head"]
    assert estimated_count(release, CountQuery({"job": "cook"})) == 1
    assert estimated_count(release, CountQuery({"job": ["cook", "judge"], "disease": "flu"})) == 3


def test_records_left_out_are_not_counted_and_records_at_the_top_may_be_anything():
    labels = ["*"] * 5 + ["30"] * 5
    assert estimated_count(generalized(labels), CountQuery({"age": 30}), domains={"age": range(30, 40)}) == 5.5


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"age": (31, 37)}, 4),
        ({"age": (None, 32)}, 6),
        ({"age": ("36", None)}, 4),
        ({"age": [30, 36.0]}, 4),
        ({"age": "38", "sex": "Female"}, 3),
        ({"age": (40, 30)}, 0),
        ({"sex": "Other"}, 0),
        ({"disease": {"Flu", "Heart"}, "sex": "Female"}, 4),
    ],
)
def test_conditions_are_values_sets_and_ranges(where, expected):
    assert true_count(PATIENTS, CountQuery(where)) == expected


def test_dates_truth_values_and_missing_values_can_be_asked_for():
    table = pl.DataFrame(
        {
            "born": [date(1990, 1, 1), date(2000, 2, 29), None],
            "smokes": [True, False, True],
            "note": ["x", None, None],
        }
    )
    assert true_count(table, CountQuery({"born": (date(1990, 1, 1), "1999-12-31")})) == 1
    assert true_count(table, CountQuery({"born": date(2000, 2, 29)})) == 1
    assert true_count(table, CountQuery({"smokes": True, "note": None})) == 1


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (lambda: CountQuery({}), UsageError, "needs at least one condition"),
        (lambda: CountQuery("age=3"), UsageError, "where must be a mapping"),
        (lambda: true_count(PATIENTS, CountQuery({"agee": 3})), ColumnError, "Did you mean 'age'"),
        (lambda: true_count(PATIENTS, CountQuery({"age": (1, 2, 3)})), UsageError, "Write several values as a list"),
        (lambda: true_count(PATIENTS, CountQuery({"sex": ("F", "M")})), UsageError, "ends of a range are numbers or"),
        (lambda: true_count(PATIENTS, CountQuery({"sex": object()})), UsageError, "a condition is a value"),
        (lambda: estimated_count(TABLE_5_2, HEART_AT_38), UsageError, "nothing says which values 'age' may have"),
        (
            lambda: estimated_count(TABLE_5_2, HEART_AT_38, domains={"age": range(35, 40)}),
            UsageError,
            "'[30-35)', which stands for none of its possible values",
        ),
        (
            lambda: estimated_count(generalized(["young"] * 10), HEART_AT_38, domains={"age": range(30, 40)}),
            DataError,
            "whose meaning is not known: 'young'",
        ),
        (lambda: estimated_count(PATIENTS, HEART_AT_38), UsageError, "expected a release or its folder, got DataFrame"),
        (lambda: query_error(PATIENTS, TABLE_5_2, [CountQuery({"age": 99})]), UsageError, "no original record meets"),
        (lambda: random_queries(PATIENTS, ["age"], [], number=3), UsageError, "one sensitive attribute"),
        (lambda: random_queries(PATIENTS, ["age"], "disease", selectivity=0), UsageError, "selectivity must be more"),
        (lambda: random_queries(PATIENTS, ["age"], "disease", number=0), UsageError, "must be at least 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(query, error, message):
    with pytest.raises(error) as caught:
        query()
    assert message in str(caught.value)


@st.composite
def tables_in_groups(draw):
    """A table of text with one or two quasi-identifiers, a sensitive attribute and any groups."""
    rows = draw(st.lists(st.tuples(*[st.sampled_from(VALUES)] * 3, st.integers(1, 3)), min_size=1, max_size=12))
    schema = {"q0": pl.String, "q1": pl.String, "s": pl.String, "group": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def conditions():
    ends = st.none() | st.integers(0, 20)
    return st.sampled_from(VALUES) | st.sets(st.sampled_from(VALUES)) | st.tuples(ends, ends)


def meets(value, condition):
    if isinstance(condition, tuple):
        low, high = condition
        if value is None:
            return False
        return (low is None or low <= float(value)) and (high is None or float(value) <= high)
    return value in condition if isinstance(condition, set) else value == condition


@given(table=tables_in_groups(), where=st.fixed_dictionaries(dict.fromkeys(["q0", "q1", "s"], conditions())))
def test_counts_agree_with_a_loop_over_records_and_groups(table, where):
    rows = table.rows(named=True)
    met = [all(meets(row[name], condition) for name, condition in where.items()) for row in rows]
    assert true_count(table, CountQuery(where)) == sum(met)
    expected = 0.0
    for group in {row["group"] for row in rows}:
        members = [row for row in rows if row["group"] == group]
        known = sum(meets(row["q0"], where["q0"]) and meets(row["q1"], where["q1"]) for row in members)
        expected += known * sum(meets(row["s"], where["s"]) for row in members) / len(members)
    assert estimated_count(in_groups(table, "s"), CountQuery(where)) == pytest.approx(expected)


@given(table=tables_in_groups())
def test_what_is_published_as_it_is_can_be_counted_exactly(table):
    unchanged = table.drop("group")
    roles = {"q0": "quasi-identifier", "q1": "quasi-identifier", "s": "sensitive"}
    release = release_of(unchanged, Schema.of(roles), promises=("k-anonymity:k=1",))
    queries = [CountQuery(row) for row in unchanged.iter_rows(named=True)]
    assert query_error(unchanged, release, queries).mean == pytest.approx(0)


def test_random_queries_are_as_selective_as_asked_and_the_same_for_a_seed():
    table = pl.DataFrame(
        {
            "age": [age for age in range(100) for _ in range(100)],
            "job": [f"job{number}" for _ in range(100) for number in range(100)],
            "disease": [f"d{number % 20}" for number in range(10_000)],
        }
    )
    queries = random_queries(table, ["age", "job"], "disease", number=30, attributes=1, selectivity=0.1, seed=5)
    assert queries == random_queries(table, ["age", "job"], "disease", number=30, attributes=1, seed=5)
    assert len(set(map(repr, queries))) > 20
    for query in queries:
        (known,) = set(query.where) - {"disease"}
        wanted = query.where[known]
        values = int(wanted[1]) - int(wanted[0]) + 1 if known == "age" else len(wanted)
        assert values == round(100 * 0.1**0.5)
        assert len(query.where["disease"]) == round(20 * 0.1**0.5)
        assert true_count(table, query) > 0


def test_the_error_of_chosen_queries_is_their_mean():
    queries = [HEART_AT_38, CountQuery({"age": (30, 32), "disease": "AIDS"}), CountQuery({"age": 99})]
    error = query_error(PATIENTS, in_groups(PATIENTS), queries)
    assert error.mean == pytest.approx((0.25 + 0) / 2)
    assert error.queries == 2
    assert "over 2 queries, an estimated count is 12.5% away" in error.sentence


def test_a_release_is_asked_by_its_folder(tmp_path):
    release = krypsis.anonymize(
        PATIENTS.drop("group"), ROLES, models="frequency-l-diversity:l=2", algorithm="anatomize:seed=1"
    )
    folder = release.save(tmp_path / "release").folder
    queries = random_queries(PATIENTS, ["age", "sex"], "disease", number=20)
    assert query_error(PATIENTS, folder, queries) == query_error(PATIENTS, release, queries)
