"""A history: what a user does with it, and what is published."""

import json
import pickle
from collections import Counter

import numpy as np
import polars as pl
import pytest

from algorithms.histories.versions import FIGURE_2_18, FIGURE_2_19, second_version
from history.people import FIRST, ROLES, SECOND, changed, row, start, without
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.attacks.intersection import CandidateAttack
from krypsis.checker import check_folder
from krypsis.errors import Infeasible, PrivacyWarning
from krypsis.kinds.history.comparison import VersionTable
from krypsis.kinds.history.history import History
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.version_tables import release_of
from krypsis.kinds.table.plan import TablePlan
from krypsis.models.m_invariance import MInvariance
from krypsis.release.release import Release
from krypsis.release.run import Run

pytestmark = pytest.mark.exposed

FORMS = pytest.mark.parametrize("form", ["anatomy", "generalization"])


@FORMS
def test_versions_are_published_one_after_the_other_and_keep_the_promise_together(tmp_path, form):
    history = start(tmp_path, algorithm=f"m-invariant:publish={form}")
    first, second = history.publish(FIRST), history.publish(SECOND)
    assert (first.change.inserted, first.change.deleted, first.change.groups) == (11, 0, 5)
    assert (second.change.inserted, second.change.deleted, second.change.returned) == (5, 5, 0)
    assert second.folder == tmp_path / "history" / "releases" / "2"
    assert all(second.verdicts)
    assert "in this release and all before" in second.verdicts[0].sentence
    (verdict,) = history.check()
    assert verdict
    assert "Kept over 2 release(s)" in verdict.sentence
    assert history.log() == [first.change, second.change]
    left = CandidateAttack(cascade=True).find(history.versions())
    assert min(map(len, left.values())) >= 2


@FORMS
def test_a_release_publishes_every_record_its_counterfeits_and_no_name(tmp_path, form):
    history = start(tmp_path, algorithm=f"m-invariant:publish={form}")
    history.publish(FIRST)
    change = history.publish(SECOND).change
    release = Release.load(tmp_path / "history" / "releases" / "2")
    assert change.published == SECOND.height
    # how many counterfeits it takes depends on who was put together by chance before
    assert release.table.height == change.published + change.counterfeits
    told = release.tables["counterfeits"]
    assert told["counterfeits"].sum() == change.counterfeits
    values = release.table if form == "generalization" else release.sensitive_table
    assert not Counter(SECOND["disease"].to_list()) - Counter(values["disease"].to_list())
    if form == "anatomy":
        real = Counter(SECOND.select("age", "zipcode").iter_rows())
        assert not real - Counter(release.table.select("age", "zipcode").iter_rows())
    for path in (tmp_path / "history" / "releases" / "2").iterdir():
        assert not [name for name in SECOND["name"].to_list() if name in path.read_text("utf-8")]
    (alone,) = check_folder(tmp_path / "history" / "releases" / "2")
    assert alone.holds is None
    assert "cannot be seen from one of them" in alone.sentence


def test_numbers_stay_numbers_and_texts_stay_texts(tmp_path):
    history = start(tmp_path)
    typed = FIRST.with_columns(pl.col("age").cast(pl.Int64))
    release = history.publish(typed).release
    assert release.table.schema["age"] == pl.Int64
    assert release.table.schema["zipcode"] == pl.String
    assert sorted(release.table["age"].to_list()) == sorted(typed["age"].to_list())


def test_the_generalized_release_of_the_running_example_has_the_ranges_of_the_thesis():
    """Relational thesis, table 5.16, with the corrected age of Katerina; a counterfeit widens only a lone record."""
    _, snapshot, past = second_version(FIGURE_2_18, FIGURE_2_19)
    method = MInvariant(publish="generalization")
    found = method.publication(snapshot, past, [MInvariance(m=2)], np.random.default_rng(3))
    plan = TablePlan.of_roles(ROLES, promises=[MInvariance(m=2)], algorithm=method)
    settings = HistorySettings.of(plan, "name", ["csv"])
    given = VersionTable(pl.DataFrame(), (pl.String(),) * 3)
    release = release_of(settings, method, snapshot, found, np.arange(found.groups) + 1, given, Run())
    assert set(release.table.select("age", "zipcode", "disease").iter_rows()) == {
        ("[21-22]", "[12000-14000]", "dyspepsia"),
        ("[21-22]", "[12000-14000]", "bronchitis"),
        ("[23-25]", "[21000-25000]", "gastritis"),
        ("[23-25]", "[21000-25000]", "flu"),
        ("[37-43]", "[26000-33000]", "dyspepsia"),
        ("[37-43]", "[26000-33000]", "flu"),
        ("[37-43]", "[26000-33000]", "gastritis"),
        ("[41-46]", "[20000-30000]", "flu"),
        ("[41-46]", "[20000-30000]", "gastritis"),
        ("[54-56]", "[31000-34000]", "dyspepsia"),
        ("[54-56]", "[31000-34000]", "gastritis"),
        ("[60-65]", "[36000-44000]", "gastritis"),
        ("[60-65]", "[36000-44000]", "flu"),
    }
    assert release.tables["counterfeits"]["counterfeits"].to_list() == [1, 1]


def test_whoever_comes_back_finds_the_old_values(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    history.publish(without(FIRST, "Ken", "Bob"))
    change = history.publish(FIRST, version=3).change
    assert (change.returned, change.inserted, change.deleted) == (2, 0, 0)
    assert all(history.check())
    people = [version.signatures() for version in history.versions()]
    assert people[0] == people[2]
    assert {*people[0]} - {*people[1]} == {0, 7}  # Bob and Ken, in the order in which they came


def test_whoever_moves_keeps_the_values_and_is_published_at_the_new_place(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    published = history.publish(changed(FIRST, "Bob", zipcode="99999"))
    assert published.change.updated == 1
    assert "99999" in published.release.table["zipcode"].to_list()
    assert all(history.check())


def signature_with(history, *wanted):
    """Somebody's number and the values of the group in the last version, for the first person with these values."""
    version = history.versions()[-1]
    return next((person, values) for person, values in version.signatures().items() if set(wanted) <= values)


def test_a_value_that_changes_within_the_signature_changes_nothing_that_can_be_seen(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    person, values = signature_with(history)
    name = FIRST["name"][int(person)]
    other = min(values - {FIRST["disease"][int(person)]})
    change = history.publish(changed(FIRST, name, disease=other)).change
    assert (change.updated, change.withheld) == (1, 0)
    assert history.versions()[-1].signatures()[person] == values
    assert all(history.check())


@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
@pytest.mark.parametrize("option", ["withhold", "renew"])
def test_a_value_outside_the_signature_is_withheld_or_begins_anew_as_asked(tmp_path, option):
    history = start(tmp_path, algorithm=f"m-invariant:on_changed={option},on_ineligible=counterfeits")
    history.publish(FIRST)
    table = changed(FIRST, "Bob", disease="measles")
    published = history.publish(table)
    assert published.change.updated == 1
    assert published.left_out == (("Bob",) if option == "withhold" else ())
    values = published.release.sensitive_table["disease"].to_list()
    assert ("measles" in values) == (option == "renew")
    again = history.publish(table, version=3)
    assert again.change.withheld == (option == "withhold")
    back = history.publish(FIRST, version=4)
    assert back.left_out == ()
    assert all(history.check())
    assert min(map(len, CandidateAttack(cascade=True).find(history.versions()).values())) >= 2


def test_withholding_a_record_is_warned_of(tmp_path):
    history = start(tmp_path, algorithm="m-invariant:on_changed=withhold")
    history.publish(FIRST)
    with pytest.warns(PrivacyWarning, match=r"1 record\(s\) are withheld"):
        history.publish(changed(FIRST, "Bob", disease="measles"))


def test_records_that_wait_are_published_as_soon_as_they_can_be(tmp_path):
    history = start(tmp_path, algorithm="m-invariant:on_ineligible=defer")
    flu = pl.DataFrame({"name": ["A", "B", "C"], "age": "30", "zipcode": "1", "disease": ["flu", "flu", "cough"]})
    with pytest.warns(PrivacyWarning, match=r"1 record\(s\) wait for a later version"):
        first = history.publish(flu)
    assert (first.change.published, first.change.deferred) == (2, 1)
    (waiting,) = first.left_out
    assert waiting in {"A", "B"}
    more = pl.concat([flu, pl.DataFrame({"name": ["D"], "age": ["31"], "zipcode": ["1"], "disease": ["cough"]})])
    second = history.publish(more)
    assert (second.change.deferred, second.change.inserted, second.change.returned) == (0, 1, 0)
    assert second.left_out == ()
    assert all(history.check())


@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_ids_of_records_that_are_left_out_are_neither_shown_nor_pickled(tmp_path):
    history = start(tmp_path, algorithm="m-invariant:on_ineligible=defer")
    names = [f"patient {number}" for number in range(3)]
    published = history.publish(
        pl.DataFrame({"name": names, "age": "30", "zipcode": "1", "disease": ["flu", "flu", "cough"]})
    )
    assert len(published.left_out) == 1
    assert "patient" not in repr(published)
    assert b"patient" not in pickle.dumps(published)
    assert pickle.loads(pickle.dumps(published)).change == published.change


def test_a_version_of_which_nothing_can_be_published_is_refused(tmp_path):
    history = start(tmp_path, algorithm="m-invariant:on_ineligible=defer")
    with pytest.raises(Infeasible, match=r"all 1 record\(s\) would have to wait"):
        history.publish(FIRST.head(1))
    assert history.log() == []
    assert history.publish(FIRST).change.version == 1


def test_counterfeits_stand_in_for_values_that_are_too_rare(tmp_path):
    history = start(tmp_path, algorithm="m-invariant:on_ineligible=counterfeits")
    flu = pl.DataFrame({"name": ["A", "B", "C"], "age": "30", "zipcode": "1", "disease": ["flu", "flu", "cough"]})
    published = history.publish(flu)
    assert (published.change.published, published.change.counterfeits) == (3, 1)
    assert sorted(published.release.sensitive_table["disease"].to_list()) == ["cough", "cough", "flu", "flu"]


def test_a_simulation_tells_what_would_happen_and_changes_nothing(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "history" / "releases").rglob("*")}
    simulated = history.simulate(SECOND)
    assert simulated.folder is None
    assert simulated.change.version == 2
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "history" / "releases").rglob("*")} == before
    assert len(history.log()) == 1
    assert not [*(tmp_path / "history" / "private" / "staging").iterdir()]
    assert history.publish(SECOND).change.version == 2


def test_a_missing_sensitive_value_and_missing_quasi_identifiers_are_values(tmp_path):
    history = start(tmp_path)
    table = pl.DataFrame(
        {"name": [*"ABCD"], "age": ["1", None, "3", None], "zipcode": ["7"] * 4, "disease": ["flu", None, "flu", None]}
    )
    history.publish(table)
    published = history.publish(table.head(3))
    assert all(history.check())
    assert None in published.release.sensitive_table["disease"].to_list()
    assert published.change.counterfeits == 1


def test_a_hierarchy_decides_what_groups_are_published_as(tmp_path):
    ages = {"kind": "intervals", "width": 10}
    history = start(
        tmp_path,
        hierarchies={"age": ages, "disease": {"any": sorted({*FIRST["disease"], *SECOND["disease"]})}},
        algorithm="m-invariant:publish=generalization",
    )
    release = history.publish(FIRST).release
    assert release.hierarchies["age"] == "intervals"
    assert History.open(tmp_path / "history").publish(SECOND).change.version == 2


def test_the_private_state_can_be_exported_and_only_its_owner_can_read_it(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    folder = history.export(tmp_path / "state")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "history" / "private").stat().st_mode & 0o777 == 0o700
    for path in (*folder.iterdir(), tmp_path / "history" / "private" / "state.duckdb"):
        assert path.stat().st_mode & 0o777 == 0o600
    people = pl.read_parquet(folder / "people.parquet")
    assert sorted(people["id"].to_list()) == sorted(FIRST["name"].to_list())
    members = pl.read_parquet(folder / "members.parquet")
    assert members.height == 11
    turnover = pl.read_parquet(folder / "turnover.parquet")
    assert dict(turnover.select("value", "population").iter_rows()) == dict(Counter(FIRST["disease"].to_list()))


def test_turnover_counts_who_came_and_who_left_by_value(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    history.publish(SECOND)
    turnover = pl.read_parquet(history.export(tmp_path / "state") / "turnover.parquet").filter(pl.col("version") == 2)
    found = {value: rest for value, *rest in turnover.select("value", "population", "inserted", "deleted").iter_rows()}
    # Came: Emily flu, Mary and Tom gastritis, Ray dyspepsia, Vince flu. Left: Alice, Andy, Helen, Ken, Paul.
    assert found == {
        "flu": [3, 2, 2],
        "gastritis": [5, 2, 1],
        "dyspepsia": [3, 1, 1],
        "bronchitis": [0, 0, 1],
    }


def test_the_same_seed_makes_the_same_groups(tmp_path):
    tables = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        history = start(tmp_path / name, algorithm="m-invariant:seed=7")
        tables.append(history.publish(FIRST).release.table.sort("age", "zipcode").rows())
    assert tables[0] == tables[1]
    manifest = json.loads((tmp_path / "one" / "history" / "releases" / "1" / "manifest.json").read_text("utf-8"))
    assert "seed" not in manifest["algorithm"]


def test_an_empty_set_of_quasi_identifiers_is_published_as_values_in_groups(tmp_path):
    history = start(tmp_path, roles={"disease": "sensitive"})
    release = history.publish(FIRST).release
    assert release.table.columns == ["group"]
    assert all(history.check())


def test_the_input_is_unchanged(tmp_path):
    before = FIRST.clone()
    start(tmp_path).publish(FIRST)
    assert FIRST.equals(before)
    assert row(FIRST, "Bob").height == 1
