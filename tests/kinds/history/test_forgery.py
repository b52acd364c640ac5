"""Releases that are not what the history says they are: a mistake of a method, or somebody who knows the format."""

import json
import shutil
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

from checker.forging import forge, rewrite
from history.people import FIRST, GENERAL, SECOND, start, without
from krypsis.algorithms.histories.base import NEW
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.frequency_aware import FrequencyAware
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.checker.histories import version_of_folder
from krypsis.errors import DataError, PromiseBroken
from krypsis.kinds.history.history import History

pytestmark = pytest.mark.exposed

FAMILIES = {name: GENERAL[name] for name in ("models", "hierarchies")}
METHODS = [
    (MInvariant, {}),
    (Correlation, {**FAMILIES, "algorithm": "correlation:on_ineligible=counterfeits"}),
    (FrequencyAware, GENERAL),
]


@pytest.mark.parametrize(("method", "options"), METHODS, ids=lambda one: getattr(one, "name", ""))
def test_a_method_that_forgets_what_people_are_bound_to_is_refused(tmp_path, monkeypatch, method, options):
    """It names other values for people who were published before; only the state knows better."""
    usual = method.publication

    def forgetful(self, snapshot, *rest):
        return usual(self, replace(snapshot, signature=np.full(len(snapshot), NEW)), *rest)

    history = start(tmp_path, **options)
    history.publish(FIRST)
    monkeypatch.setattr(method, "publication", forgetful)
    with pytest.raises(PromiseBroken, match=r"person.s. are not always among"):
        simulate_often(history)


def simulate_often(history):
    """Groups are made by chance, and all of them could be as they were."""
    for _ in range(20):
        history.simulate(SECOND)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    history = start(tmp_path_factory.mktemp("published"))
    history.publish(FIRST)
    history.publish(without(FIRST, "Bob"))  # a counterfeit takes the place
    return history.folder


@pytest.fixture
def history(tmp_path, published):
    """A copy of a history with two versions, to be forged."""
    return History.open(shutil.copytree(published, tmp_path / "history"))


def read(folder, name):
    return pl.read_csv(folder / name, infer_schema=False)


def other_groups(table):
    return table.with_columns(group=table["group"].gather([*range(1, table.height), 0]))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("data.csv", other_groups),
        ("data.csv", lambda table: table.with_columns(age=pl.lit("7"))),
        ("counterfeits.csv", lambda table: table.with_columns(counterfeits=pl.lit("0"))),
        ("sensitive.csv", lambda table: table.with_columns(disease=table["disease"].reverse())),
    ],
    ids=["groups", "quasi-identifiers", "counterfeits", "sensitive values"],
)
def test_a_release_whose_checksums_were_forged_as_well_is_refused(history, name, change):
    folder = history.folder / "releases" / "2"
    table = read(folder, name)
    assert not change(table).equals(table)
    forge(folder, name, change(table).write_csv().encode())
    for act in (history.check, history.attack, history.log, lambda: history.publish(SECOND)):
        with pytest.raises(DataError, match="knows as version 2: it is missing, another one, or was changed"):
            act()


def test_a_release_that_another_one_replaces_under_its_id_is_refused(history):
    first, second = (history.folder / "releases" / name for name in "12")
    own = (second / "manifest.json").read_text("utf-8")
    for path in first.iterdir():
        (second / path.name).write_bytes(path.read_bytes())
    rewrite(second, release_id=own.split('"release_id": "')[1].split('"')[0])
    with pytest.raises(DataError, match="knows as version 2"):
        history.check()


def test_a_history_begun_before_manifests_were_kept_goes_on(history):
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute("ALTER TABLE versions DROP COLUMN manifest")
        connection.execute("UPDATE about SET format = 2")
    assert history.publish(SECOND).change.version == 3
    assert all(history.check())
    folder = history.folder / "releases" / "3"
    forge(folder, "data.csv", other_groups(read(folder, "data.csv")).write_csv().encode())
    with pytest.raises(DataError, match="knows as version 3"):
        history.check()


def test_a_group_whose_counterfeits_are_told_twice_is_refused(history):
    folder = history.folder / "releases" / "2"
    table = read(folder, "counterfeits.csv")
    twice = pl.concat([table.head(1).with_columns(counterfeits=pl.lit("0")), table])
    forge(folder, "counterfeits.csv", twice.write_csv().encode())
    text = (folder / "manifest.json").read_text("utf-8")
    tables = json.loads(text)["tables"]
    tables["counterfeits"]["rows"] += 1
    rewrite(folder, tables=tables)
    with pytest.raises(PromiseBroken, match="must name every group once, with a whole number from 1 on"):
        version_of_folder(folder)


@pytest.mark.parametrize("damage", ["DELETE FROM about", "UPDATE about SET settings = '{}'"])
def test_a_state_without_settings_is_told_as_damaged(history, damage):
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute(damage)
    with pytest.raises(DataError, match=r"state\.duckdb cannot be read: .* is damaged; bring it back from a backup"):
        History.open(history.folder)
