"""The normalized certainty penalty, recomputed from what is published."""

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krypsis
from krypsis.data.hierarchies.base import Hierarchy
from metrics.tables import table, value

AGES = [20, 22, 40, 44]
LOCAL = ["mondrian", "mondrian-relaxed", "bottom-up", "top-down", "clustering"]


def publish(columns, algorithm, k=2, metric="ncp"):
    frame = pl.DataFrame(columns)
    roles = dict.fromkeys(frame.columns, "quasi-identifier")
    return krypsis.anonymize(frame, roles=roles, models=[f"k-anonymity:k={k}"], algorithm=algorithm, metric=metric)


def width_of(label: str) -> float:
    """The distance of the bounds that a published label names."""
    if label[0] not in "[(":
        return 0.0
    low, high = label[1:-1].split(" to ") if " to " in label else label[1:-1].split("-")
    return float(high) - float(low)


@pytest.mark.parametrize("algorithm", LOCAL)
def test_a_range_of_numbers_costs_its_width_over_that_of_the_table(algorithm):
    release = publish({"age": AGES}, algorithm)
    assert sorted(release.table["age"]) == ["[20-22]", "[20-22]", "[40-44]", "[40-44]"]
    assert release.score == pytest.approx(0.125)  # (2/24 + 2/24 + 4/24 + 4/24) / 4
    assert release.metrics["ncp"] == pytest.approx(0.125)


@settings(max_examples=12)
@given(
    rows=st.lists(st.tuples(st.integers(1, 90), st.integers(1, 9)), min_size=4, max_size=12),
    algorithm=st.sampled_from(LOCAL),
)
def test_the_figure_follows_from_the_published_ranges_alone(rows, algorithm):
    columns = {"age": [age for age, _ in rows], "pay": [root**2 * 100 for _, root in rows]}
    release = publish(columns, algorithm)
    spans = {name: max(numbers) - min(numbers) for name, numbers in columns.items()}
    cells = [
        width_of(str(label)) / spans[name] if spans[name] else 0.0 for name in columns for label in release.table[name]
    ]
    assert release.metrics["ncp"] == pytest.approx(sum(cells) / len(cells))


def test_intervals_of_a_hierarchy_cost_their_width_inside_the_range_of_the_table():
    rows = [[str(age), f"[{age // 10 * 10}-{age // 10 * 10 + 10})", "*"] for age in AGES]
    people = table({"age": Hierarchy.from_rows(rows)}, [(str(age),) for age in AGES])
    # nobody is older than 44: [40-50) ends there
    assert value("ncp", people, (1,)) == pytest.approx((10 / 24 + 10 / 24 + 4 / 24 + 4 / 24) / 4)
    assert value("ncp", people, (2,)) == 1


def test_labels_that_are_no_intervals_cost_the_distance_of_the_numbers_below_them():
    rows = [["20", "young", "*"], ["22", "young", "*"], ["40", "old", "*"], ["44", "old", "*"]]
    people = table({"age": Hierarchy.from_rows(rows)}, [(str(age),) for age in AGES])
    assert value("ncp", people, (1,)) == pytest.approx(0.125)


def test_the_optimal_levels_are_those_with_the_narrowest_intervals():
    # Both ways join pairs of two values; by leaves they cost the same, by width the first costs a fifth of the second.
    rows = {"near": [["1", "[1-2]"], ["2", "[1-2]"], ["10", "[10-11]"], ["11", "[10-11]"]]}
    rows["far"] = [["1", "[1-10]"], ["10", "[1-10]"], ["2", "[2-11]"], ["11", "[2-11]"]]
    trees = {name: Hierarchy.from_rows([[*row, "*"] for row in each]) for name, each in rows.items()}
    records = [(number,) for number in ("1", "2", "10", "11")]
    costs = {name: value("ncp", table({"n": tree}, records), (1,)) for name, tree in trees.items()}
    assert costs == pytest.approx({"near": 1 / 10, "far": 9 / 10})


def test_dates_cost_the_days_between_them():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 11), dt.date(2024, 3, 31), dt.date(2024, 4, 10)]
    release = publish({"day": days}, "mondrian")
    assert release.metrics["ncp"] == pytest.approx(10 / 100)


@pytest.mark.parametrize("values", [["a", "b", "c", "d"], ["011", "012", "113", "114"]])
def test_names_and_codes_cost_the_share_of_leaves(values):
    tree = Hierarchy.from_rows([[one, name, "*"] for one, name in zip(values, "xxyy", strict=True)])
    people = table({"code": tree}, [(one,) for one in values])
    assert value("ncp", people, (1,)) == 0.5


def test_an_attribute_with_one_number_has_nothing_to_lose():
    people = table({"age": Hierarchy.from_rows([["30", "*"], ["40", "*"]])}, [("30",), ("30",)])
    assert value("ncp", people, (1,)) == 0
