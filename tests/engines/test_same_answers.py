"""Every engine gives the answers of the memory engine: the same codes and counts, and the same published rows."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.nasty_values import NASTY, counted, frequency_of, published, rows_of, some_recoding
from engines.places import CLUSTERS, ELSEWHERE, SERVERS, known_to, lies_in
from krypsis.data.random_order import random_rows
from krypsis.data.recoding import FullDomain
from krypsis.io.engines import find_engine

MEMORY = find_engine("memory")
EVERY = [(engine, column) for engine in SERVERS for column in known_to(engine, NASTY).columns]
KEYED = NASTY.with_columns(key=pl.Series(["p", "q", "p", "q", "q", "q"]))
MOST_COLUMNS = {"postgresql": 900}
"""What fits into a row where that is less than two thousand."""


@pytest.fixture(params=SERVERS)
def engine(request):
    return request.param


def test_values_that_count_as_equal_are_published_alike():
    table = pl.DataFrame({"age": [1, 1, 1], "pay": [float("nan"), -0.0, 2.5]})
    found = counted(MEMORY(table), {"age": "quasi-identifier", "pay": "sensitive"})
    shown = published(found, FullDomain((0,), np.zeros(1, dtype=np.bool_)))
    assert rows_of(shown) == ["(1, 0.0)", "(1, 2.5)", "(1, None)"]


def compare(table, roles, engine, **options):
    """Return both counted tables after comparing their frequency sets."""
    ours = counted(lies_in(table, engine).engine, roles, **options)
    expected = counted(MEMORY(table), roles, **options)
    assert frequency_of(ours.frequency) == frequency_of(expected.frequency)
    return ours, expected


@cache
def nasty(engine):
    """Return the table of nasty values, once for all tests that change nothing but their questions."""
    return lies_in(known_to(engine, KEYED), engine).engine


@pytest.mark.parametrize(("engine", "column"), EVERY)
def test_values_of_every_type_have_the_same_texts(engine, column):
    assert nasty(engine).distinct(column) == MEMORY(KEYED).distinct(column)
    assert nasty(engine).types[column] == NASTY.schema[column]


@pytest.mark.parametrize(("engine", "column"), EVERY)
def test_values_of_every_type_are_counted_and_published_alike(engine, column):
    for role in ("quasi-identifier", "sensitive", "insensitive"):
        roles = {"key": "quasi-identifier", column: role}
        ours, expected = counted(nasty(engine), roles), counted(MEMORY(known_to(engine, KEYED)), roles)
        assert frequency_of(ours.frequency) == frequency_of(expected.frequency)
        changing, suppressing = (
            some_recoding(ours.frequency),
            some_recoding(ours.frequency, (0,) * (1 + (role[0] == "q"))),
        )
        for recoding, suppressed in ((changing, "keep"), (suppressing, "remove")):
            shown, wanted = published(ours, recoding, suppressed), published(expected, recoding, suppressed)
            assert shown.schema == wanted.schema
            assert rows_of(shown) == rows_of(wanted)


def test_all_columns_at_once_need_more_than_one_key(engine):
    many = pl.concat([known_to(engine, NASTY)] * 3).with_columns(pl.Series("number", range(18)))
    wide = many.with_columns(
        pl.Series(f"more {place}", [value % (place + 2) for value in range(18)]) for place in range(40)
    )
    ours, expected = compare(wide, dict.fromkeys(wide.columns, "quasi-identifier"), engine)
    recoding = some_recoding(ours.frequency)
    assert rows_of(published(ours, recoding)) == rows_of(published(expected, recoding))


@pytest.mark.parametrize("place", [*SERVERS, CLUSTERS[0]])
def test_values_of_every_type_are_the_same_all_at_once(place):
    table = known_to(place, NASTY)
    ours, memory = lies_in(table, place).engine, MEMORY(table)
    assert ours.types == dict(table.schema)
    assert rows_of(ours.collect()) == rows_of(table)
    known = ["int16", "float32", "decimal", "text", "moment", "time", "SAME"]
    roles = dict.fromkeys(table.columns, "insensitive") | dict.fromkeys(known, "quasi-identifier")
    roles |= {"odd": "sensitive", "float64": "sensitive"}
    combinations = [("text", "odd"), ("truth", "date")]
    found, expected = (counted(engine, roles, combinations=combinations) for engine in (ours, memory))
    assert frequency_of(found.frequency) == frequency_of(expected.frequency)
    recoding = some_recoding(found.frequency)
    shown, wanted = published(found, recoding, "keep"), published(expected, recoding, "keep")
    assert shown.schema == wanted.schema
    assert rows_of(shown) == rows_of(wanted)


def test_spellings_of_one_sensitive_value_count_as_one_and_are_published_as_they_are(engine):
    table = pl.DataFrame({"age": [1, 1, 2, 2], "disease": ["Flu", "flu ", "HIV", "hiv"]})
    ours, _ = compare(table, {"age": "quasi-identifier", "disease": "sensitive"}, engine)
    nothing = FullDomain((0,), np.zeros(2, dtype=np.bool_))
    assert rows_of(published(ours, nothing)) == rows_of(table)


def test_two_thousand_columns(engine):
    table = pl.DataFrame(
        {f"column {place}": [place, place + 1, place] for place in range(MOST_COLUMNS.get(engine, 2000))}
    )
    roles = dict.fromkeys(table.columns, "insensitive") | {"column 7": "quasi-identifier"}
    ours, expected = compare(table, roles, engine)
    recoding = FullDomain((1,), np.zeros(2, dtype=np.bool_))
    assert rows_of(published(ours, recoding)) == rows_of(published(expected, recoding))


@pytest.mark.parametrize("place", ELSEWHERE)
def test_a_random_sample_is_the_same_everywhere_and_no_period_misleads_it(place):
    table = pl.DataFrame({"number": range(4000), "turn": [number % 4 for number in range(4000)]})
    dataset = lies_in(table, place)
    found = dataset.sampled(1000, ["turn", "number"], seed="5ad3").collect()
    expected = table[random_rows("5ad3", 4000, 1000)].select("turn", "number")
    assert found.equals(expected)
    assert found["turn"].value_counts()["count"].is_between(160, 340).all()  # six standard deviations around 250


@pytest.mark.parametrize("other", ["memory", None])
def test_a_population_may_lie_in_another_place(engine, other):
    everybody = pl.concat([known_to(engine, NASTY)] * 2)
    roles = {"int16": "quasi-identifier", "text": "quasi-identifier", "truth": "sensitive"}
    population = lies_in(everybody, other or engine).engine
    ours, expected = compare(known_to(engine, NASTY).head(4), roles, engine, population=population)
    unchanged = FullDomain((0, 0), np.zeros(len(ours.frequency.counts), dtype=np.bool_))
    assert rows_of(published(ours, unchanged)) == rows_of(published(expected, unchanged))


values = st.one_of(st.none(), st.integers(0, 3))
tables = st.integers(1, 30).flatmap(
    lambda rows: st.fixed_dictionaries(
        {name: st.lists(values, min_size=rows, max_size=rows) for name in ("a", "b", "c", "hidden", "other")}
    )
)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=tables, levels=st.tuples(*[st.integers(0, 1)] * 3), with_other=st.booleans(), draw=st.randoms())
def test_random_tables(engine, columns, levels, with_other, draw):
    table = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int32))
    roles = {**dict.fromkeys("abc", "quasi-identifier"), "hidden": "sensitive"}
    roles |= {"other": "insensitive"} if with_other else {}
    ours, expected = compare(table, roles, engine)
    refused = np.array([draw.random() < 0.3 for _ in ours.frequency.counts])
    recoding = FullDomain(levels, refused)
    for suppressed in ("remove", "keep"):
        shown, wanted = published(ours, recoding, suppressed), published(expected, recoding, suppressed)
        assert (shown.schema, rows_of(shown)) == (wanted.schema, rows_of(wanted))
