"""The promise proposed for a sensitive column: readable, reachable, and refused by a group that discloses a value."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.kinds.table.profile.sensitive_promise import expected_groups, propose_promise


def model_of(values: list[str | None], groups: int):
    return registry.create("model", propose_promise("secret", pl.Series(values, dtype=pl.String), groups).spec)


def accepts(model, group: list[str], whole: list[str]) -> bool:
    def count(values):
        return {value: values.count(value) for value in set(values)}

    return bool(model.accepts(Groups.of_histograms([count(group)], "secret", whole=count(whole)))[0])


@given(st.lists(st.sampled_from(["flu", "hiv", "cold", "1", "2.5", None]), min_size=1, max_size=60), st.integers(1, 9))
def test_whatever_a_column_holds_the_table_as_one_group_keeps_the_proposed_promise(values, groups):
    proposed = propose_promise("secret", pl.Series(values, dtype=pl.String), groups)
    model = registry.create("model", proposed.spec)
    whole = {value: values.count(value) for value in set(values)}
    if not proposed.supports_little:
        assert model.accepts(Groups.of_histograms([whole], "secret"))[0]


@pytest.mark.parametrize(
    "values",
    [
        ["schizophrenia", "flu", "cold", "asthma", "cancer"] * 40,
        ["yes", "no"] * 100,
        ["yes"] * 50 + ["no"] * 150,
        [str(pay) for pay in range(1000, 1200)],
    ],
    ids=["categories", "two values", "two uneven values", "numbers"],
)
def test_a_group_in_which_one_value_is_certain_is_refused(values):
    model = model_of(values, expected_groups(len(values)))
    for value in set(values):
        assert not accepts(model, [value] * 5, values), value


def test_near_numbers_in_one_group_are_refused_although_they_all_differ():
    pays = [str(pay) for pay in range(1000, 1200)]
    assert not accepts(model_of(pays, 20), pays[:8], pays)


def test_a_column_with_one_value_in_97_percent_of_the_records_is_said_to_support_little():
    values = ["no"] * 970 + ["yes"] * 20 + ["unknown"] * 10
    proposed = propose_promise("hiv", pl.Series(values), groups=100)
    assert proposed.supports_little
    assert "97 %" in proposed.said("en")
    assert "97 %" in proposed.said("el")
    refused = Groups.of_histograms([{"yes": 5, "no": 5}], "hiv", whole={"no": 970, "yes": 20, "unknown": 10})
    assert not registry.create("model", proposed.spec).accepts(refused)[0]


def test_frequent_values_get_a_weaker_promise_than_even_ones():
    even, skewed = ["a", "b", "c", "d", "e", "f"] * 100, ["a"] * 400 + ["b"] * 100 + ["c"] * 100
    assert model_of(even, 60).l >= model_of(skewed, 60).l
    assert model_of(skewed, 60).required >= model_of(even, 60).required


def test_names_of_columns_with_commas_are_read_back():
    spec = propose_promise("pay, yearly", pl.Series(["a", "b", "c"] * 30), groups=9).spec
    assert registry.create("model", spec).attribute == "pay, yearly"


def test_a_hundred_thousand_different_numbers_get_the_ordered_distance():
    spec = propose_promise("pay", pl.Series(range(100_000)).cast(pl.String), groups=10_000).spec
    assert registry.create("model", spec).distance == "ordered"


def test_spellings_of_one_value_are_no_different_values():
    spelt = pl.Series(["yes", "Yes ", "no", "NO"] * 50)
    plain = pl.Series(["yes", "yes", "no", "no"] * 50)
    assert propose_promise("smoker", spelt, groups=20) == propose_promise("smoker", plain, groups=20)
