"""Answers with noise: right on average, never beyond the budget, with limits that are not taken from the data."""

from datetime import date
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from krypsis.errors import BudgetExhausted, ColumnError, DataError, UsageError
from krypsis.kinds.table.queries import PrivacyBudget, Queries

PEOPLE = pl.DataFrame(
    {
        "who": ["a", "b", "b", "c"],
        "sex": ["f", "m", "m", None],
        "pay": [100.0, 250.0, 9000.0, None],
        "age": [30, 40, 50, 70],
    }
)


def exact(**options):
    """Answers with so much budget that nearly no noise is left."""
    return Queries(PEOPLE, PrivacyBudget(epsilon=10**6), **options)


def test_counts_sums_and_means_are_the_true_ones_where_there_is_no_noise():
    queries = exact()
    assert queries.count(1000).value == 4
    assert queries.count(1000, where={"sex": "m", "age": "40"}).value == 1
    assert queries.count(1000, where={"sex": None}).value == 1
    assert {value: one.value for value, one in queries.counts("sex", ["f", "m", "x", None], 1000).items()} == {
        "f": 1,
        "m": 2,
        "x": 0,
        None: 1,
    }
    assert queries.sum("age", (0, 100), 100_000).value == 190
    assert queries.mean("age", (0, 100), 100_000) == 47.5
    assert queries.most_frequent("sex", ["x", "m", "f"], 1000) == "m"


def test_numbers_beyond_the_bounds_count_as_the_bounds_and_missing_ones_not_at_all():
    assert exact().sum("pay", (0, 1000), 500_000).value == 1350
    assert exact().mean("pay", (0, 1000), 500_000) == 450
    assert exact().sum("pay", (-50.5, 50.5), 500_000, step=0.5).value == 151.5


def test_one_record_changes_a_sum_by_no_more_than_the_noise_is_made_for():
    """The ledger says ε; the noise must have the scale of the larger bound, in steps, divided by ε."""
    margins = [exact().sum("age", bounds, 1).margin for bounds in ((0, 100), (-200, 10))]
    assert margins[1] == pytest.approx(2 * margins[0], rel=0.02)
    by_person = Queries(PEOPLE, PrivacyBudget(epsilon=1), person="who", records_per_person=2).sum("age", (0, 100), 1)
    assert by_person.margin == pytest.approx(2 * margins[0], rel=0.02)


def test_of_everybody_as_many_records_count_as_allowed():
    assert exact(person="who").count(1000).value == 3
    assert exact(person="who", records_per_person=2).count(500).value == 4


def test_answers_are_right_on_average_and_within_their_margin():
    answers = [Queries(PEOPLE, PrivacyBudget(epsilon=1)).count(0.5) for _ in range(400)]
    values = np.array([answer.value for answer in answers])
    assert abs(values.mean() - 4) < 5 * 2.9 / 20
    assert (abs(values - 4) > answers[0].margin).mean() < 0.1


def test_means_stay_within_the_bounds_however_much_noise_there_is():
    means = [Queries(PEOPLE, PrivacyBudget(epsilon=1)).mean("age", (0, 120), 0.001) for _ in range(50)]
    assert all(0 <= mean <= 120 for mean in means)


def test_a_question_beyond_the_budget_is_not_answered_and_costs_nothing():
    queries = Queries(PEOPLE, PrivacyBudget(epsilon=1))
    queries.counts("sex", ["f", "m"], 0.75)
    with pytest.raises(BudgetExhausted, match=r"sum of age.*only epsilon=0.25 is left"):
        queries.sum("age", (0, 100), 0.5)
    queries.mean("age", (0, 100), 0.25)
    assert [one.what for one in queries.budget.expenses] == ["counts of sex", "mean of age of all records"]
    assert sum((one.epsilon for one in queries.budget.expenses), Fraction(0)) == 1


@pytest.mark.parametrize(
    "bounds", [None, (5, 5), (10, 0), ("a", 3), (0,), (0, float("inf")), (0, float("nan")), (0, 1e15), 7]
)
def test_without_good_bounds_nothing_is_added_up(bounds):
    queries = exact()
    with pytest.raises(UsageError, match="bounds"):
        queries.sum("age", bounds, 1)
    with pytest.raises(UsageError, match="bounds"):
        queries.mean("age", bounds, 1)
    assert queries.budget.expenses == ()


@pytest.mark.parametrize("epsilon", [0, -1, "x", 1e-320])
def test_an_epsilon_must_be_more_than_0(epsilon):
    queries = exact()
    for ask in (
        lambda: queries.count(epsilon),
        lambda: queries.counts("sex", ["f"], epsilon),
        lambda: queries.sum("age", (0, 9), epsilon),
        lambda: queries.mean("age", (0, 9), epsilon),
        lambda: queries.most_frequent("sex", ["f"], epsilon),
    ):
        with pytest.raises(UsageError, match="epsilon"):
            ask()
    assert queries.budget.expenses == ()


def test_wrong_columns_values_and_persons_are_named():
    queries = exact()
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        queries.sum("agee", (0, 9), 1)
    with pytest.raises(ColumnError, match="Did you mean 'sex'"):
        queries.count(1, where={"sexx": "f"})
    with pytest.raises(DataError, match="sex"):
        queries.sum("sex", (0, 9), 1)
    for values in ([], "f"):
        with pytest.raises(UsageError, match="must be a list"):
            queries.counts("sex", values, 1)
    with pytest.raises(UsageError, match="person="):
        exact(records_per_person=2)
    with pytest.raises(DataError, match="whom they belong"):
        exact(person="sex")


def test_two_ways_to_write_a_value_are_not_counted_for_the_price_of_one():
    table = pl.DataFrame({"age": [1] * 100 + [2] * 5})
    with pytest.raises(UsageError, match=r"1 and '1' are the same value of 'age'"):
        Queries(table, PrivacyBudget(1)).counts("age", [1, "1", 2], 1.0)


def test_values_may_be_given_as_the_column_has_them():
    day = date(2020, 2, 29)
    table = pl.DataFrame({"ill": [True, True, False], "dose": [1.0, 2.5, 1.0], "day": [day] * 3})
    queries = Queries(table, PrivacyBudget(epsilon=10**6))  # so much that nearly no noise is left
    asked = {"ill": [True, False], "dose": [1.0, 2.5], "day": [day]}
    found = {name: [one.value for one in queries.counts(name, values, 1000).values()] for name, values in asked.items()}
    assert found == {"ill": [2, 1], "dose": [2, 1], "day": [3]}


@pytest.mark.parametrize("most", [0, 1.5, "2", True])
def test_records_per_person_is_a_whole_number(most):
    with pytest.raises(UsageError, match="records_per_person is a whole number"):
        Queries(pl.DataFrame({"who": [1]}), PrivacyBudget(1), person="who", records_per_person=most)
