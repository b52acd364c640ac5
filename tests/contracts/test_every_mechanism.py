"""What every registered mechanism must do: make a table by chance, say how, and not say more than can be known."""

import json
from collections import Counter

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.mechanisms.base import Mechanism
from krypsis.errors import ColumnError, UsageError
from krypsis.models.mechanisms import MethodModel
from krypsis.texts.description import describe

MECHANISMS = {name: cls for name, cls in registry.classes("algorithm").items() if issubclass(cls, Mechanism)}
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)

PROMISES = {
    "differential-privacy": "differential-privacy:epsilon=0.5",
    "d-gamma-privacy": "d-gamma-privacy:d=0.1,gamma=0.5",
    "ct-isolation": "ct-isolation:c=3,t=4,share=0.3",
}
HIERARCHIES = {
    "age": {"kind": "intervals", "cuts": [20, 40, 60]},
    "size": {"kind": "order", "order": [str(number) for number in range(150, 210)]},
}
ROLES = {"name": "identifier", "age": "QI", "size": "QI", "town": "insensitive"}


def table(count=240):
    return pl.DataFrame(
        {
            "name": [f"person {row}" for row in range(count)],
            "age": [18 + row * 7 % 60 for row in range(count)],
            "size": [150 + row * 11 % 60 for row in range(count)],
            "town": ["Lamia"] * count,
        }
    )


OPTIONS = {"dp-sampling": {"columns": ["age"]}}  # of combinations that nobody shares nothing would be left


def promise_of(name):
    cls = MECHANISMS[name].keeps
    assert cls.name in PROMISES, "write a promise for the tables of this file into PROMISES"
    return "differential-privacy:epsilon=1,delta=0.1" if name == "dp-sampling" else PROMISES[cls.name]


def released(name, data=None, **parameters):
    return krypsis.anonymize(
        table() if data is None else data,
        ROLES,
        hierarchies=HIERARCHIES,
        models=promise_of(name),
        algorithm={"name": name, **OPTIONS.get(name, {}), **parameters},
    )


@every_mechanism
def test_no_more_is_said_about_the_promise_than_can_be_known(name):
    (verdict,) = released(name).verdicts
    assert verdict.promise.startswith(MECHANISMS[name].keeps.name)
    assert verdict.holds is None
    assert not verdict.sentence.startswith("Kept:")


@every_mechanism
def test_it_is_taken_where_no_algorithm_is_named(name):
    cls = MECHANISMS[name].keeps
    assert issubclass(cls, MethodModel)
    release = krypsis.anonymize(table(), ROLES, hierarchies=HIERARCHIES, models=promise_of(name))
    assert release.algorithm == cls.kept_by


@every_mechanism
def test_the_input_is_unchanged_and_other_columns_are_not_published(name):
    data = table()
    release = released(name, data)
    assert_frame_equal(data, table())
    assert set(release.table.columns) <= {"age", "size", "count"}
    assert "Lamia" not in str(release.table.rows())
    assert "person" not in str(release.table.rows())


@every_mechanism
def test_there_is_no_seed_to_give_and_none_to_find(name, tmp_path):
    with pytest.raises(UsageError, match="has no parameter 'seed'"):
        released(name, seed=1)
    saved = released(name).save(tmp_path / "release")
    assert all(b"seed" not in file.read_bytes() for file in saved.folder.iterdir())
    assert "seed" not in json.loads(saved.private.read_text("utf-8"))


@every_mechanism
@pytest.mark.parametrize("formats", ["csv", "parquet"])
def test_a_release_survives_saving_with_what_it_tells_about_its_making(name, formats, tmp_path):
    release = released(name)
    saved = release.save(tmp_path / "release", formats=(formats,))
    loaded = krypsis.Release.load(saved.folder)
    assert Counter(loaded.table.rows()) == Counter(release.table.rows())
    assert loaded.mechanism_record == release.mechanism_record
    assert loaded.guarantee == MECHANISMS[name].guarantee
    assert [verdict.holds for verdict in loaded.verdicts] == [None]
    needs_original = {"original": table()} if MECHANISMS[name].keeps.needs_original else {}
    assert [verdict.holds for verdict in krypsis.check(saved.folder, **needs_original)] == [None]


@every_mechanism
def test_the_summary_tells_the_promise_and_the_guarantee_and_no_figures_of_the_data(name):
    text = released(name).summary()
    assert MECHANISMS[name].guarantee in text
    assert "made by chance" in text
    assert "Suppressed" not in text
    assert "Lost" not in text


@every_mechanism
def test_its_guarantee_names_what_it_does_not_promise(name):
    assert "nothing about groups of records" in MECHANISMS[name].guarantee
    assert describe("algorithm", MECHANISMS[name])["does"] == "makes data of its own by chance"


@every_mechanism
def test_its_spec_can_be_read_back(name):
    made = registry.create("algorithm", {"name": name, "columns": ["age", "a, b"]})
    assert registry.create("algorithm", made.spec) == made


@every_mechanism
def test_it_keeps_its_own_promise_and_no_other(name):
    with pytest.raises(UsageError, match="keeps the promise"):
        krypsis.anonymize(table(), ROLES, hierarchies=HIERARCHIES, models="k-anonymity:k=2", algorithm=name)
    with pytest.raises(UsageError, match="no promise is given"):
        krypsis.anonymize(table(), ROLES, hierarchies=HIERARCHIES, algorithm=name)
    for algorithm in ("optimal", "mondrian", "noise"):
        with pytest.raises(UsageError, match=f"such as the algorithm '{MECHANISMS[name].keeps.kept_by}'"):
            krypsis.anonymize(table(), ROLES, hierarchies=HIERARCHIES, models=promise_of(name), algorithm=algorithm)


@every_mechanism
def test_columns_that_cannot_be_published_are_named(name):
    for column in ("agee", "name", "town"):
        with pytest.raises(ColumnError, match=f"column '{column}' not found"):
            released(name, columns=column)


@every_mechanism
def test_a_table_alone_does_not_show_how_it_was_made(name):
    (verdict,) = krypsis.check(released(name).table, promise_of(name), quasi_identifiers=["age"])
    assert verdict.holds is None
    assert "check the folder of a release" in verdict.sentence or "give the original table" in verdict.sentence


@every_mechanism
def test_levels_cannot_be_explored(name):
    with pytest.raises(UsageError, match="does not search among levels"):
        krypsis.explore(table(), ROLES, hierarchies=HIERARCHIES, models=promise_of(name), algorithm=name)


@every_mechanism
@pytest.mark.parametrize("column", ["*", "^a$", "size of group", "count"])
def test_columns_may_be_called_as_they_are(name, column, tmp_path):
    data = table().rename({"age": column})
    release = krypsis.anonymize(
        data,
        {column: "QI"},
        hierarchies={column: HIERARCHIES["age"]},
        models=promise_of(name),
        algorithm=name,
    )
    assert column in release.table.columns
    release.save(tmp_path / "release")
