"""What can be wrong with a history, its tables and its state, and what is said about it."""

import shutil
import threading

import duckdb
import polars as pl
import pytest

from history.people import FIRST, ROLES, SECOND, changed, start, without
from krypsis.errors import (
    ColumnError,
    DataError,
    HierarchyError,
    HistoryBusy,
    Infeasible,
    OutputError,
    PromiseBroken,
    UsageError,
)
from krypsis.kinds.history.history import History
from krypsis.kinds.history.storage import only_one
from krypsis.kinds.table.plan import TablePlan
from krypsis.models.m_invariance import MInvariance

pytestmark = pytest.mark.exposed

TREE = {"any": ["bronchitis", "dyspepsia", "flu", "gastritis"]}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    history = start(tmp_path_factory.mktemp("published"))
    history.publish(FIRST)
    return history.folder


@pytest.fixture
def history(tmp_path, published):
    """A copy of a history with one version, to go on with."""
    return History.open(shutil.copytree(published, tmp_path / "history"))


def unchanged(history):
    """The history still stands at its first version and can go on."""
    assert [change.version for change in history.log()] == [1]
    assert [path.name for path in (history.folder / "releases").iterdir()] == ["1"]
    assert history.publish(SECOND).change.version == 2
    assert all(history.check())


def test_two_records_of_one_person_are_told(history):
    with pytest.raises(DataError, match=r"1 value.s. of 'name' stand at several records: 'Bob'"):
        history.publish(pl.concat([SECOND, SECOND.head(1)]))
    unchanged(history)


@pytest.mark.parametrize("missing", [None, ""])
def test_a_record_of_nobody_is_told(history, missing):
    table = SECOND.with_columns(name=pl.Series([missing, *SECOND["name"].to_list()[1:]], dtype=pl.String))
    with pytest.raises(DataError, match="1 of 11 records have no 'name', which says whose record it is"):
        history.publish(table)
    unchanged(history)


@pytest.mark.parametrize("padded", [" Bob", "Bob\t"])
def test_an_id_with_a_blank_around_it_is_told(history, padded):
    with pytest.raises(DataError, match=r"1 of 11 values of 'name' begin or end with a blank: .*Bob.*; without it"):
        history.publish(FIRST.with_columns(pl.col("name").replace("Bob", padded)))
    unchanged(history)


def test_a_column_that_is_gone_is_told_with_what_could_be_meant(history):
    with pytest.raises(ColumnError, match=r"version 2 has other columns than version 1: .*'zipcode' not found"):
        history.publish(SECOND.rename({"zipcode": "zipcod"}))
    unchanged(history)


def test_a_column_that_is_not_in_the_first_version_is_told_as_such(tmp_path):
    with pytest.raises(ColumnError, match=r"^column 'zipcode' not found"):
        start(tmp_path).publish(FIRST.drop("zipcode"))


def test_further_columns_are_not_published(history):
    published = history.publish(SECOND.with_columns(secret=pl.lit("x")))
    assert "secret" not in published.release.table.columns


def test_a_table_without_records_is_told(history):
    with pytest.raises(DataError, match="has no rows"):
        history.publish(SECOND.clear())
    unchanged(history)


def test_a_sensitive_value_that_no_hierarchy_knows_is_told(tmp_path):
    history = start(tmp_path, hierarchies={"disease": TREE})
    history.publish(FIRST)
    with pytest.raises(HierarchyError, match=r"hierarchy of 'disease' lacks 1 value.s. of the data: 'measles'"):
        history.publish(changed(SECOND, "Emily", disease="measles"))
    unchanged(history)


def test_a_sensitive_value_that_left_the_hierarchy_is_told(tmp_path):
    file = tmp_path / "disease.csv"
    rows = [f"{value},*\n" for value in TREE["any"]]
    file.write_text("".join(rows), "utf-8")
    history = start(tmp_path, hierarchies={"disease": str(file)})
    history.publish(FIRST)
    file.write_text("".join(rows[1:]), "utf-8")
    with pytest.raises(DataError, match="no longer has 'bronchitis', which earlier versions have"):
        history.publish(SECOND)
    file.write_text("".join(rows), "utf-8")
    unchanged(history)


def test_somebody_who_returns_with_another_value_is_told(history):
    history.publish(without(FIRST, "Bob"))
    with pytest.raises(DataError, match=r"1 record\(s\) \(1 of them came back after they had left\) have another"):
        history.publish(changed(FIRST, "Bob", disease="measles"))
    with pytest.raises(DataError, match="not among the values that earlier releases bind them to: 'Alice'"):
        history.publish(changed(FIRST, "Alice", disease="measles"))
    assert len(history.log()) == 2


def test_versions_out_of_order_are_told(history):
    history.publish(SECOND)
    with pytest.raises(UsageError, match="this is the table of version 1, and the last version is 2"):
        history.publish(FIRST.reverse())
    with pytest.raises(UsageError, match=r"version 2 cannot follow version 2 .*; the next one is 3"):
        history.publish(FIRST, version=2)
    assert history.publish(FIRST, version=3).change.returned == 5


def test_a_table_in_which_nobody_is_known_has_to_be_confirmed(history):
    """Ids that are written in another way would make somebody new of everybody."""
    strangers = SECOND.with_columns(pl.col("name").str.to_uppercase())
    for act in (history.publish, history.simulate):
        with pytest.raises(UsageError, match=r"none of the 11 ids in 'name' was in a version before.*--version 2"):
            act(strangers)
    assert history.simulate(strangers, version=2).change.inserted == 11
    unchanged(history)


def test_the_same_table_may_be_published_again(history):
    assert history.publish(FIRST, again=True).change.inserted == 0


def test_a_value_that_is_too_frequent_leaves_everything_as_it_was(history):
    flu = pl.DataFrame({"name": [*"XYZ"], "age": "3", "zipcode": "4", "disease": "flu"})
    with pytest.raises(Infeasible, match=r"3 of 3 new .* have 'flu' as disease.*on_ineligible=defer.* in the plan"):
        history.publish(pl.concat([FIRST, flu]))
    unchanged(history)


def test_a_refused_check_leaves_everything_as_it_was(history, monkeypatch):
    monkeypatch.setattr("krypsis.kinds.history.version_tables._sensitive_table", lambda *_: wrong_values(FIRST))
    with pytest.raises(PromiseBroken):
        history.publish(FIRST, again=True)
    monkeypatch.undo()
    assert not [*(history.folder / "private" / "staging").iterdir()]
    unchanged(history)


def wrong_values(table):
    """All records in groups of one value: what a mistake of the method would make."""
    return pl.DataFrame({"group": [1, 2, 3, 4, 5], "disease": ["flu"] * 5, "count": [3, 2, 2, 2, 2]})[: len(table)]


@pytest.mark.parametrize("damage", ["begin", "middle", "short", "empty"])
def test_a_damaged_state_is_told(history, damage):
    path = history.folder / "private" / "state.duckdb"
    content = bytearray(path.read_bytes())
    match damage:
        case "begin":
            content[:100] = b"x" * 100
        case "middle":
            for start_ in range(4096, len(content), 4096):
                content[start_ : start_ + 64] = b"x" * 64
        case "short":
            del content[len(content) // 2 :]
        case "empty":
            content.clear()
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"state\.duckdb cannot be read: .*; bring it back from a backup"):
        history.publish(SECOND)
    with pytest.raises(DataError, match="cannot be read"):
        History.open(history.folder)


def test_a_state_of_another_version_of_the_tool_is_told(history):
    with duckdb.connect(history.folder / "private" / "state.duckdb") as connection:
        connection.execute("UPDATE about SET format = 99")
    with pytest.raises(DataError, match="has format 99; this version of krypsis reads formats up to 3"):
        History.open(history.folder)


def test_a_state_that_is_older_than_the_releases_is_told(history, tmp_path):
    path = history.folder / "private" / "state.duckdb"
    old = path.read_bytes()
    history.publish(SECOND)
    path.write_bytes(old)
    with pytest.raises(DataError, match="holds version 2, of which the state knows nothing"):
        history.publish(SECOND)
    assert tmp_path.exists()


def test_a_release_that_is_gone_or_another_is_told(history):
    history.publish(SECOND)
    (history.folder / "releases" / "1").rename(history.folder / "elsewhere")
    with pytest.raises(DataError, match="is not the release that the state of the history knows as version 1"):
        history.log()


def test_a_release_that_was_changed_is_refused_by_the_check(history):
    path = history.folder / "releases" / "1" / "sensitive.csv"
    path.write_text(path.read_text("utf-8").replace("flu", "gout"), "utf-8")
    with pytest.raises(PromiseBroken, match="was changed after the release was made"):
        history.check()


def test_a_second_publisher_at_the_same_time_is_told_who_is_working(history):
    with (
        only_one(history.folder / "private" / "lock"),
        pytest.raises(HistoryBusy, match=r"somebody else is working on this history \(process \d+\)"),
    ):
        history.publish(SECOND)
    unchanged(history)


def test_of_two_publishers_at_once_one_is_told_and_nothing_is_lost(history):
    answers = []

    def publish():
        try:
            answers.append(history.publish(SECOND).change.version)
        except HistoryBusy:
            answers.append("busy")

    threads = [threading.Thread(target=publish) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = [answer for answer in answers if answer != "busy"]
    assert sorted(versions) == list(range(2, 2 + len(versions)))
    assert len(history.log()) == 1 + len(versions)
    assert all(history.check())


def test_a_folder_that_holds_no_history_is_told(tmp_path):
    with pytest.raises(DataError, match=r"does not hold a history: .*state.duckdb is missing"):
        History.open(tmp_path / "nothing")


def test_a_folder_with_something_in_it_is_not_taken(tmp_path):
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "letter.txt").write_text("dear", "utf-8")
    with pytest.raises(OutputError, match="is there already; a history begins in a new folder"):
        start(tmp_path)
    assert [path.name for path in (tmp_path / "history").iterdir()] == ["letter.txt"]


def test_a_history_without_versions_has_nothing_to_check(tmp_path):
    history = start(tmp_path)
    with pytest.raises(DataError, match="has no versions yet"):
        history.check()
    assert history.log() == []


def test_an_export_does_not_replace_anything(history, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match=r"the state cannot be exported to .*there: File exists; name a new folder"):
        history.export(tmp_path / "there")
    assert (tmp_path / "there").is_dir()


def test_an_export_that_fails_leaves_nothing_behind(history, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(OutputError, match="No space left on device"):
        history.export(tmp_path / "state")
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"roles": {"age": "quasi-identifier"}}, "one sensitive attribute, got none"),
        ({"roles": {**ROLES, "age": "sensitive"}}, "one sensitive attribute, got age, disease"),
        ({"roles": {**ROLES, "zipcode": "insensitive"}}, "zipcode has the role 'insensitive', and a counterfeit"),
        ({"id": "age"}, "column 'age' has the role 'quasi-identifier', expected 'identifier'"),
        ({"models": "k-anonymity:k=2"}, "a history promises .*m-invariance.*, and k-anonymity:k=2 is promised"),
        ({"models": []}, "and nothing is promised"),
        ({"algorithm": "optimal"}, "optimal publishes one table once"),
        ({"algorithm": "m-invariant", "models": "k-anonymity:k=2"}, "no promise about the sensitive values"),
        ({"algorithm": "m-invariant:on_changed=ignore"}, "on_changed of m-invariant"),
        ({"hierarchies": ["age"]}, "hierarchies must be a mapping"),
        ({"id": 7}, "id must be the name of the column"),
    ],
)
def test_what_does_not_fit_a_history_is_told_before_anything_is_written(tmp_path, options, message):
    with pytest.raises(UsageError, match=message):
        start(tmp_path, **options)
    assert not (tmp_path / "history").exists()


def test_what_a_plan_says_and_a_history_does_not_do_is_told(tmp_path):
    plan = TablePlan.of_roles(ROLES, promises=[MInvariance(m=2)], suppression="2%", max_levels={"age": 1})
    with pytest.raises(UsageError, match="a history does nothing with 'max_level'; leave it out"):
        History.of_plan(tmp_path / "history", plan, id="name")
