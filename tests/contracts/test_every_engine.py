"""What every engine must answer; an engine of a test folder is found by its name and goes the whole journey."""

import datetime as dt
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import krypsis
import krypsis.io.engines
from engines.places import CLUSTERS, SERVERS, lies_in
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FullDomain
from krypsis.data.schema import Schema
from krypsis.errors import ColumnError, DataError, InternalError, UnknownNameError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.engines import engine_names, find_engine
from krypsis.io.engines.base import CountedElsewhere, CountedRows

TOYS = str(Path(__file__).parent / "toy_engines")
TABLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Guy"],
        "age": [31, 31, 40, 40, None, 31, 9],
        "^zip$": ["01234", "01234", "01234", "99", "99", "01234", None],
        "disease": ["flu", "flu", "hiv", "flu", None, "hiv", "flu"],
    }
)
PUBLIC = ["age", "^zip$"]
ROLES = {"name": "identifier", **dict.fromkeys(PUBLIC, "quasi-identifier"), "disease": "sensitive"}
TEXTS = {
    "numbers": ([10, 9, None, 9], ["9", "10", None]),
    "floating point": ([31.0, -0.0, 0.0, float("nan"), 2.5], ["0", "2.5", "31", None]),
    "texts": (["b", "10", "", None, "9"], ["", "10", "9", "b", None]),
    "trailing blanks": (["a ", "a", "A"], ["A", "a", "a "]),
    "truth": ([True, False], ["false", "true"]),
    "days": ([dt.date(2024, 3, 5), None], ["2024-03-05", None]),
    "midnights": ([dt.datetime(2024, 3, 5), dt.datetime(2023, 1, 1)], ["2023-01-01", "2024-03-05"]),  # noqa: DTZ001
    "only missing": ([None, None], [None]),
}


@pytest.fixture(params=["memory", *SERVERS, CLUSTERS[0], "recording"])
def engine(request, monkeypatch):
    """The name of an engine; one lives in a folder of the tests."""
    monkeypatch.setattr(krypsis.io.engines, "__path__", [*krypsis.io.engines.__path__, TOYS])
    return request.param


@pytest.fixture
def recorded(monkeypatch):
    """A table behind the engine that writes down what it is asked."""
    monkeypatch.setattr(krypsis.io.engines, "__path__", [*krypsis.io.engines.__path__, TOYS])
    return Dataset.of(TABLE, engine="recording")


def flat(dataset, names):
    return {name: Hierarchy.from_rows([value, "*"] for value in dataset.engine.distinct(name)) for name in names}


def counted(dataset, **options):
    return dataset.engine.count_tuples(Schema.of(ROLES), flat(dataset, PUBLIC), **options)


def published(table, recoding, suppressed):
    """Return what is published, in whatever order."""
    if isinstance(table, CountedElsewhere):
        return pl.concat(table.publish(recoding, suppressed, "5ad3").frames())
    return table.apply(recoding, suppressed)


def tuples_of(frequency):
    """Return the distinct tuples as texts."""
    pairs = [zip(frequency.hierarchies, codes, strict=True) for codes in frequency.codes]
    return [tuple(hierarchy.values[code] for hierarchy, code in pair) for pair in pairs]


def as_texts(table, names):
    return [
        tuple(None if value is None else str(value) for value in row)
        for row in table.select(map(exactly, names)).rows()
    ]


def exactly(name):
    return pl.col("^\\^zip\\$$") if name == "^zip$" else pl.col(name)


def test_an_engine_is_found_by_its_name(engine):
    assert find_engine(engine).name == engine
    assert lies_in(TABLE, engine).engine.name == engine


def test_an_unknown_engine_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'memory'"):
        Dataset.of(TABLE, engine="memry")


def test_what_is_asked_of_the_table_as_a_whole(engine):
    dataset = lies_in(TABLE, engine)
    assert dataset.columns == TABLE.columns
    assert dataset.types == dict(TABLE.schema)
    assert dataset.rows == TABLE.height


def test_rows_come_whole_in_some_columns_or_as_a_sample(engine):
    dataset = lies_in(TABLE, engine)
    assert dataset.collect().equals(TABLE)
    assert dataset.collect(["disease", "^zip$"]).equals(TABLE["disease", "^zip$"])
    assert dataset.engine.collect_sample(np.array([0, 3, 6])).get_column("name").to_list() == ["Ann", "Dee", "Guy"]


@pytest.mark.parametrize("kind", TEXTS)
def test_distinct_values_are_texts_in_natural_order_with_missing_last(engine, kind):
    values, texts = TEXTS[kind]
    assert lies_in(pl.DataFrame({"x": values}), engine).engine.distinct("x") == texts


def test_an_unknown_column_is_refused_with_the_nearest(engine):
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        lies_in(TABLE, engine).engine.distinct("agee")


@pytest.mark.parametrize(("data", "error"), [(None, UsageError), (TABLE.head(0), DataError)])
def test_what_is_no_table_or_has_no_rows_is_refused(engine, data, error):
    with pytest.raises(error):
        Dataset.of(data, engine=engine) if data is None else lies_in(data, engine)


def test_every_tuple_is_counted_with_its_sensitive_values(engine):
    frequency = counted(lies_in(TABLE, engine)).frequency
    tuples = tuples_of(frequency)
    assert dict(zip(tuples, frequency.counts.tolist(), strict=True)) == Counter(as_texts(TABLE, PUBLIC))
    assert frequency.codes.tolist() == sorted(frequency.codes.tolist())
    hidden = frequency.sensitive["disease"]
    found = {
        (*tuples[group], hidden.domain.values[value]): count
        for group, value, count in zip(hidden.group, hidden.value, hidden.count, strict=True)
    }
    assert found == Counter(as_texts(TABLE, [*PUBLIC, "disease"]))


def test_values_of_several_columns_are_counted_together(engine):
    columns = ("name", "disease")
    frequency = counted(lies_in(TABLE, engine), combinations=[columns]).frequency
    assert frequency.combined[columns].count.tolist() == [1] * TABLE.height


def test_with_a_population_its_tuples_are_counted_too(engine):
    everybody = pl.concat([TABLE, TABLE.head(2), TABLE.head(1).with_columns(age=pl.lit(9, pl.Int64))])
    population = lies_in(everybody, engine).engine
    frequency = counted(lies_in(TABLE, engine), population=population).frequency
    people = dict(zip(tuples_of(frequency), frequency.population.tolist(), strict=True))
    assert people == Counter(as_texts(everybody, PUBLIC))
    with pytest.raises(DataError, match="not in the population"):
        counted(lies_in(everybody, engine), population=lies_in(TABLE.head(6), engine).engine)


@pytest.mark.parametrize("suppressed", ["remove", "keep"])
def test_a_recoding_reaches_the_records_of_its_tuples(engine, suppressed):
    table = counted(lies_in(TABLE, engine))
    rare = table.frequency.counts < 3
    recoding = FullDomain((0, 1), rare)
    shown = [count >= 3 for count in map(Counter(as_texts(TABLE, PUBLIC)).get, as_texts(TABLE, PUBLIC))]
    expected = [
        (str(row[1]) if kept else "*", "*", row[3])
        for row, kept in zip(TABLE.rows(), shown, strict=True)
        if kept or suppressed == "keep"
    ]
    found = published(table, recoding, suppressed)
    assert found.columns == [*PUBLIC, "disease"]
    assert Counter(as_texts(found, found.columns)) == Counter(expected)
    if isinstance(table, CountedRows):
        assert table.suppressed_rows(recoding) == [place for place, kept in enumerate(shown) if not kept]


def test_columns_that_are_published_as_they_are_keep_their_types(engine):
    table = counted(lies_in(TABLE, engine))
    unchanged = FullDomain((0, 0), np.zeros(len(table.frequency.counts), dtype=np.bool_))
    found = published(table, unchanged, "remove")
    assert found.schema == TABLE.drop("name").schema
    assert Counter(found.rows()) == Counter(TABLE.drop("name").rows())


def test_groups_of_single_records_reach_their_records(engine):
    if find_engine(engine).keeps_rows:
        with pytest.raises(InternalError, match="brought into memory"):
            counted(lies_in(TABLE, engine), grain="record")
        return
    table = counted(lies_in(TABLE, engine), grain="record")
    assert table.frequency.counts.tolist() == [1] * TABLE.height
    places = np.arange(TABLE.height)
    grouped = table.with_groups(places, "group")
    assert grouped.drop("group").equals(TABLE.drop("name"))
    tuples = tuples_of(table.frequency)
    assert [tuples[group] for group in grouped["group"]] == as_texts(TABLE, PUBLIC)
    swapped = table.with_groups(places, "group", givers=places[::-1])
    by_group = dict(grouped.select("group", "disease").rows())
    assert dict(swapped.select("group", "disease").rows()) == {
        group: by_group[TABLE.height - 1 - group] for group in by_group
    }


def test_runs_that_share_an_engine_do_not_disturb_each_other(engine):
    dataset = lies_in(TABLE, engine)
    first = counted(dataset)
    other = Schema.of({"name": "quasi-identifier"})
    dataset.engine.count_tuples(other, flat(dataset, ["name"]))
    unchanged = FullDomain((0, 0), np.zeros(len(first.frequency.counts), dtype=np.bool_))
    assert published(first, unchanged, "remove").columns == [*PUBLIC, "disease"]


def test_a_generalized_release_is_made_through_the_engine_alone(recorded):
    release = krypsis.anonymize(recorded, ROLES, models="k-anonymity:k=2", suppression=0.5)
    assert all(verdict.holds for verdict in release.verdicts)
    expected = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=2", suppression=0.5)
    assert Counter(release.table.rows()) == Counter(expected.table.rows())
    steps = list(dict.fromkeys(recorded.engine.asked))
    assert steps == ["distinct", "count_tuples", "apply", "suppressed_rows"]


def test_rows_of_a_generalized_release_are_collected_in_two_places_only(recorded):
    release = krypsis.anonymize(recorded, ROLES, models="k-anonymity:k=2", suppression=0.5)
    looked_at = ["disease"]  # whether a column that is published as it is looks like an identifier
    assert recorded.engine.collected == [looked_at]
    assert release.before.table.height == TABLE.height
    compared = [*PUBLIC, "disease"]  # what the release is measured and attacked against, when somebody asks for it
    assert recorded.engine.collected == [looked_at, compared]


def test_exploring_collects_no_more_than_a_look_at_unchanged_columns(recorded):
    krypsis.explore(recorded, ROLES, models="k-anonymity:k=2")
    assert recorded.engine.collected == [["disease"]]


def test_a_release_in_groups_is_made_through_the_engine_alone(recorded):
    roles = {**ROLES, "disease": "insensitive", "^zip$": "sensitive", "age": "quasi-identifier"}
    krypsis.anonymize(recorded, roles, models="ke-anonymity:k=2,e=1", algorithm="permutation:seed=1")
    assert list(dict.fromkeys(recorded.engine.asked)) == ["distinct", "count_tuples", "with_groups"]
    assert "name" not in {name for names in recorded.engine.collected for name in names}


def test_what_a_dataset_shows_has_no_rows(recorded):
    assert repr(recorded) == "Dataset('table', engine='recording')"


def test_no_module_names_an_engine_of_its_own():
    source = Path(krypsis.__file__).parent
    classes = {find_engine(name).__name__ for name in engine_names()}
    naming = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if path.parent != source / "io" / "engines" and any(name in path.read_text("utf-8") for name in classes)
    ]
    assert naming == []
