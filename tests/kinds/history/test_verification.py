"""The state is compared with the releases before it is trusted, and a table is not published twice by mistake."""

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

from history.people import FIRST, GENERAL, SECOND, start
from krypsis.errors import DataError, PrivacyWarning, PromiseBroken
from krypsis.kinds.history import version_tables

pytestmark = pytest.mark.exposed

ATTEMPTS = {
    "check": lambda history: history.check(),
    "publish": lambda history: history.publish(SECOND),
    "simulate": lambda history: history.simulate(SECOND),
}


FIRST_VALUE = "(SELECT min(label) FROM signatures WHERE signature = 0)"
LAST = "(SELECT max(signature) FROM signatures)"
OTHER_VALUE = f"UPDATE signatures SET label = 'plague' WHERE signature = 0 AND label = {FIRST_VALUE}"
OTHER_PERSON = (
    f"UPDATE people SET signature = {LAST} WHERE person = (SELECT min(person) FROM people WHERE signature <> {LAST})"
)
NO_SIGNATURE = "UPDATE people SET signature = 77 WHERE person = 0"


def change_state(history, statement):
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute(statement)


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("statement", [OTHER_VALUE, OTHER_PERSON, NO_SIGNATURE])
def test_a_changed_signature_in_the_state_is_found(tmp_path, attempt, statement):
    history = start(tmp_path)
    history.publish(FIRST)
    change_state(history, statement)
    with pytest.raises(DataError, match=r"does not fit the releases|no longer has"):
        ATTEMPTS[attempt](history)
    assert [path.name for path in (history.folder / "releases").iterdir()] == ["1"]


def test_a_state_with_general_values_fits_its_releases(tmp_path):
    history = start(tmp_path, **GENERAL)
    for table in (FIRST, SECOND, FIRST):
        history.publish(table, version=len(history.log()) + 1)
    assert all(history.check())


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("name", ["patients.csv", ".patients.csv", "2.old"])
def test_files_that_no_version_has_written_are_noticed_among_the_releases(tmp_path, attempt, name):
    history = start(tmp_path)
    history.publish(FIRST)
    (history.folder / "releases" / name).write_text("Ann,flu\n")
    with pytest.raises(DataError, match="which no version of this history has written"):
        ATTEMPTS[attempt](history)


def test_the_same_table_is_not_published_twice(tmp_path):
    history = start(tmp_path)
    first = history.publish(FIRST)
    shuffled = FIRST.sample(fraction=1.0, shuffle=True, seed=4)
    again = history.publish(shuffled)
    assert (again.is_new, again.change, again.folder) == (False, first.change, first.folder)
    assert again.release.release_id
    assert all(again.verdicts)
    assert "published as version 1 already" in again.summary()
    assert not history.simulate(shuffled).is_new
    assert len(history.log()) == 1


def test_a_table_is_published_again_if_that_is_wanted(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    assert history.publish(FIRST, again=True).change.version == 2
    assert history.publish(FIRST, version=3).change.version == 3
    assert history.publish(FIRST, version=3).is_new is False  # the command was repeated
    assert all(history.check())


def test_the_same_table_after_others_is_still_told_from_a_repetition(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    history.publish(SECOND)
    assert history.publish(SECOND).is_new is False
    assert len(history.log()) == 2


def test_records_that_were_left_out_are_the_same_when_a_table_is_repeated(tmp_path):
    more = [FIRST.head(1).with_columns(name=pl.lit(f"Bob {number}")) for number in range(20)]
    crowded = pl.concat([FIRST, *more])
    history = start(tmp_path, algorithm="m-invariant:on_ineligible=defer")
    with pytest.warns(PrivacyWarning):
        first = history.publish(crowded)
    assert first.left_out
    assert sorted(history.publish(crowded).left_out) == sorted(first.left_out)


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_a_release_that_shows_people_in_the_groups_of_others_is_refused(tmp_path, monkeypatch, form):
    """A mistake of the method: the quasi-identifiers of two groups are exchanged when the release is made."""
    history = start(tmp_path, algorithm=f"m-invariant:publish={form}")
    rows_of = version_tables._rows

    def exchanged(*arguments):
        rows = rows_of(*arguments)
        codes, far = rows.codes.copy(), int(np.flatnonzero(rows.group != rows.group[0])[-1])
        codes[[0, far]] = codes[[far, 0]]
        return replace(rows, codes=codes)

    monkeypatch.setattr(version_tables, "_rows", exchanged)
    with pytest.raises(PromiseBroken, match="quasi-identifiers are those of others"):
        history.publish(FIRST)
    assert history.log() == []


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
@pytest.mark.parametrize(("low", "typed"), [(1, pl.Int64), (0.25, pl.Float64), (5.0, pl.Float64), (7, pl.String)])
def test_numbers_of_every_type_are_found_in_their_release(tmp_path, form, low, typed):
    table = FIRST.with_columns(age=pl.Series([low * (number + 1) for number in range(11)]).cast(typed))
    history = start(tmp_path, algorithm=f"m-invariant:publish={form}")
    assert history.publish(table.with_columns(zipcode=pl.Series([None, *table["zipcode"][1:]]))).change.published == 11
