"""A table in parts is judged on counts of its distinct rows: all that is said is what all rows say."""

import math
from collections import Counter
from datetime import date, time
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from polars.testing import assert_frame_equal

from krypsis.checker import Given, check_table, row_counts
from krypsis.checker import parted_rows as parted_rows_module
from krypsis.checker.disclosure import disclosures_of_rows, inferences
from krypsis.checker.evidence import Original
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.row_counts import count_rows
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, KrypsisError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.k_k_anonymity import KKAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.xy_privacy import XYAnonymity
from strategies import group_models, models_of, population_models

DISEASES = [["flu", "lungs", "*"], ["cold", "lungs", "*"], ["gout", "joints", "*"], [None, "*", "*"]]


@st.composite
def published(draw):
    rows = draw(st.integers(1, 14))
    column = lambda values: draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))  # noqa: E731
    return pl.DataFrame(
        {
            "age": pl.Series(column(["3*", "4*", None]), dtype=pl.String),
            "weight": pl.Series(column([0.0, -0.0, 70.5, math.nan, None]), dtype=pl.Float64),
            "disease": pl.Series(column(["flu", "cold", "gout", None]), dtype=pl.String),
            "since": pl.Series(
                column(["2020-01-01T00:00", "2020-01-02T08:00", None]), dtype=pl.String
            ).str.to_datetime(),
        }
    )


@st.composite
def cuts(draw, table):
    """Return a table cut into parts, some of which may be empty."""
    places = sorted(draw(st.lists(st.integers(0, table.height), max_size=4)))
    edges = [0, *places, table.height]
    return [table.slice(start, end - start) for start, end in pairwise(edges)]


def said(table, model, what):
    """Return the verdict, or how it is refused."""
    try:
        return check_table(table, [model], what)
    except KrypsisError as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", sorted(group_models()))
@given(data=st.data())
def test_every_model_says_of_parts_what_it_says_of_all_rows(name, data):
    table = data.draw(published())
    model = data.draw(models_of(group_models()[name], ("disease",)))
    parts = PartedRows.of(data.draw(cuts(table)))
    what = Given(
        data.draw(st.sampled_from([["age"], ["age", "weight"], [["age"], ["weight", "since"]]])),
        data.draw(st.sampled_from([["disease"], ["disease", "since"]])),
        hierarchies={"disease": Hierarchy.from_rows(DISEASES)},
        population=Original(pl.concat([table] * 3)) if name in population_models() else None,
    )
    assert said(parts, model, what) == said(table, model, what)


@given(data=st.data())
def test_missing_cells_as_wildcards(data):
    table = data.draw(published())
    parts, what = PartedRows.of(data.draw(cuts(table))), Given(["age", "since"], missing="wildcard")
    assert check_table(parts, [KAnonymity(k=2)], what) == check_table(table, [KAnonymity(k=2)], what)


@given(data=st.data())
def test_groups_disclose_the_same(data):
    table = data.draw(published())
    parts = PartedRows.of(data.draw(cuts(table)))
    sets, hidden = [["age"], ["weight"]], ["disease", "since"]
    assert disclosures_of_rows(parts, sets, hidden) == disclosures_of_rows(table, sets, hidden)
    known = [["age", "weight", "disease"]]
    assert inferences(parts, known, ["disease"]) == inferences(table, known, ["disease"])


COLUMNS = {
    "numbers far apart": pl.Series([2**62, -(2**62), None, 7, 7] * 2, dtype=pl.Int64),
    "large numbers": pl.Series([2**64 - 1, 0, 2**63, None, 0] * 2, dtype=pl.UInt64),
    "larger numbers": pl.Series([2**100, 5, None, 5, -1] * 2, dtype=pl.Int128),
    "small floats": pl.Series([0.1, -0.0, 0.0, None, math.nan] * 2, dtype=pl.Float32),
    "dates": pl.Series([date(1900, 1, 1), None, date(2020, 2, 29), date(1900, 1, 1), date(9999, 1, 1)] * 2),
    "times": pl.Series([time(1), time(1, 2, 3, 4), None, time(1), time(0)] * 2),
    "zones": pl.Series(["2020-01-01T00:00", None] * 5).str.to_datetime(time_unit="ms", time_zone="Europe/Athens"),
    "categories": pl.Series(["a", "b", None, "a", "c"] * 2, dtype=pl.Categorical),
    "truth": pl.Series([True, False, None, True, True] * 2),
    "nothing": pl.Series([None] * 10, dtype=pl.Null),
    "decimals": pl.Series(["1.50", "1.5", None, "2", "3"] * 2).cast(pl.Decimal(10, 2)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_is_counted_as_it_is_published(name):
    table = pl.DataFrame({"^q$": COLUMNS[name], "s": ["x", "y"] * 5})
    what = Given(["^q$"], "s")
    models = [KAnonymity(k=11), DistinctLDiversity(l=2)]
    parts = PartedRows.of([table.head(3), table.slice(3, 1), table.tail(6)])
    assert check_table(parts, models, what) == check_table(table, models, what)
    sizes = [group["size"] for group in check_table(parts, models, what)[0].offending]
    assert sorted(sizes) == sorted(Counter(map(str, COLUMNS[name].to_list())).values())


def test_zero_with_a_sign_is_another_value_and_nan_is_not_missing():
    column = pl.Series("x", [0.0, -0.0, math.nan, None, 0.0])
    counted = count_rows([column.to_frame().head(2), column.to_frame().tail(3)], ["x"])
    shown = counted.frame()["x"].cast(pl.String).to_list()
    assert dict(zip(shown, counted.counts.tolist(), strict=True)) == {"0.0": 2, "-0.0": 1, "NaN": 1, None: 1}


def test_more_combinations_than_a_number_can_hold_are_counted():
    draw = np.random.default_rng(7)
    table = pl.DataFrame({f"q{place}": draw.integers(0, 3000, 3000) for place in range(7)})
    table = pl.concat([table, table.head(100)])
    counted = count_rows([table.head(1500), table.tail(1600)], table.columns)
    found = counted.frame().with_columns(count=pl.Series(counted.counts)).sort(table.columns)
    expected = table.group_by(table.columns).agg(count=pl.len().cast(pl.Int64)).sort(table.columns)
    assert_frame_equal(found, expected)


def test_counts_are_added_up_while_parts_are_read(monkeypatch):
    monkeypatch.setattr("krypsis.checker.row_counts.FEWEST_MERGED", 3)
    parts = [pl.DataFrame({"x": [number % 5, number % 3]}) for number in range(40)]
    counted = count_rows(parts, ["x"])
    whole = pl.concat(parts)["x"].value_counts()
    found = dict(zip(counted.frame()["x"].to_list(), counted.counts.tolist(), strict=True))
    assert found == dict(whole.iter_rows())


@given(data=st.data())
def test_runs_of_equal_rows_are_counted_like_others(data):
    table = data.draw(published())
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=table.height, max_size=table.height))
    long = table[np.repeat(np.arange(table.height), lengths).tolist()]
    names = data.draw(st.sampled_from([["age", "since", "disease"], ["age", "weight"], ["age"]]))
    counted = count_rows([long], names)
    found = sorted(zip(map(str, counted.frame().rows()), counted.counts.tolist(), strict=True))
    assert found == sorted(Counter(map(str, long.select(names).rows())).items())


def test_parts_are_read_once_for_all_promises():
    passes = []

    def parts():
        passes.append(1)
        yield pl.DataFrame({"age": ["3*"] * 2, "disease": ["flu", "gout"]})

    rows = PartedRows(["age", "disease"], 2, parts)
    what = Given(["age"], "disease")
    verdicts = check_table(rows, [KAnonymity(k=2), DistinctLDiversity(l=2)], what)
    assert [verdict.holds for verdict in verdicts] == [True, True]
    disclosures_of_rows(rows, [["age"]], ["disease"])
    assert passes == [1]


def test_a_promise_about_single_records_is_decided_where_they_fit_into_memory():
    original = pl.DataFrame({"age": ["31", "32", "41", "42"]})
    table = pl.DataFrame({"age": ["[31-32]"] * 2 + ["[41-42]"] * 2})
    what = Given(["age"], original=Original(original))
    models = [KAnonymity(k=2), KKAnonymity(k=2)]
    parts = PartedRows.of([table.head(1), table.tail(3)])
    assert check_table(parts, models, what) == check_table(table, models, what)


def test_private_columns_lie_next_to_the_records_of_all_parts():
    table = pl.DataFrame({"age": ["3*", "3*", "4*", "4*"]})
    what = Given(["age"], private_columns=pl.DataFrame({"person": ["a", "b", "c", "c"]}))
    model = XYAnonymity(y=("person",), k=2)
    parts = PartedRows.of([table.head(1), table.tail(3)])
    assert check_table(parts, [model], what) == check_table(table, [model], what)
    assert check_table(parts, [model], what)[0].holds is False


def test_a_promise_about_single_records_is_undecided_where_they_do_not_fit(monkeypatch):
    monkeypatch.setattr(parted_rows_module, "available_memory", lambda: 20)
    table = pl.DataFrame({"age": ["[31-32]"] * 4})
    what = Given(["age"], original=Original(pl.DataFrame({"age": ["31", "32", "31", "32"]})))
    first, second = check_table(PartedRows.of([table]), [KKAnonymity(k=2), KAnonymity(k=2)], what)
    assert first.holds is None
    assert "the 4 published records do not fit into memory together" in first.sentence
    assert second.holds is True


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ColumnError, match="'agee' not found"):
        check_table(PartedRows.of([pl.DataFrame({"age": [1]})]), [KAnonymity(k=2)], Given(["agee"]))


def test_a_sample_is_drawn_from_all_parts():
    rows = PartedRows.of([pl.DataFrame({"x": [number] * 10}) for number in range(10)])
    assert rows.sample(20)["x"].n_unique() == 10
    assert rows.sample(1000).height == 100


def test_texts_that_are_kept_as_categories_are_counted_as_texts():
    texts = pl.DataFrame({"^a$": ["x", None, "", "x", "z"], "n": [1, 2, 2, 1, 3]})
    kept = pl.Enum(["unused", "z", "", "x"])
    categories = pl.DataFrame([texts.get_column("^a$").cast(kept), texts.get_column("n")])
    wanted = dict(zip([("x", 1), (None, 2), ("", 2), ("z", 3)], [2, 1, 1, 1], strict=True))
    for parts in ([texts], [categories], [categories, texts], [texts, categories]):
        found = count_rows(parts, texts.columns)
        counted = dict(zip(found.frame().rows(), found.counts.tolist(), strict=True))
        assert counted == {row: count * len(parts) for row, count in wanted.items()}


def test_values_that_come_up_late_are_counted(monkeypatch):
    monkeypatch.setattr(row_counts, "LOOKED_AT", 2)
    monkeypatch.setattr(row_counts, "IN_CACHE", 2)
    found = count_rows([pl.DataFrame({"a": ["x", "x", "y", None, "y"], "b": [1, 1, 2, 2, 2]})], ["a", "b"])
    counted = dict(zip(found.frame().rows(), found.counts.tolist(), strict=True))
    assert counted == {("x", 1): 2, ("y", 2): 2, (None, 2): 1}
