"""(k,k)-anonymization: what it releases, what it refuses, and what an attacker can make of it."""

import json
import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import Infeasible, PromiseBroken, UsageError
from krypsis.io.frames import frame_of
from krypsis.release.order import in_input_order
from strategies import VALUES, hierarchies, tables

ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def release_of(table, k=2, promise="kk-anonymity", **options):
    roles = dict.fromkeys((name for name in table.columns if not name.startswith("s")), "quasi-identifier")
    options = {"algorithm": "kk-anonymizer", "models": f"{promise}:k={k}", **options}
    return krypsis.anonymize(table, roles, **options)


def test_neighbors_need_no_common_group():
    """Each of 1 to 6 takes its neighbor: five boxes of two suffice, where groups of two would be 1-2, 3-4, 5-6."""
    release = release_of(pl.DataFrame({"age": [1, 2, 3, 4, 5, 6]}))
    assert release.verdicts[0].achieved >= 2
    assert release.score <= release_of(pl.DataFrame({"age": [1, 2, 3, 4, 5, 6]}), algorithm="mondrian").score


def test_records_that_are_alike_already_stay_as_they_are():
    table = pl.DataFrame({"age": [30] * 3 + [40] * 3, "sex": ["f"] * 6})
    release = release_of(table, k=3)
    assert in_input_order(release)["age"].to_list() == [30] * 3 + [40] * 3
    assert release.score == 0


def test_an_outlier_is_covered_by_more_than_its_own_record():
    """The box of 90 holds its neighbor; the neighbor itself needs none, but must be widened so that 90 has two."""
    table = pl.DataFrame({"age": [20, 20, 21, 21, 22, 22, 90]})
    labels = in_input_order(release_of(table, metric="ncp"))["age"].to_list()
    assert labels[:4] == ["20", "20", "21", "21"]
    assert sorted(labels[4:]) == ["22", "[22-90]", "[22-90]"]


@given(tables(max_sensitive=0), st.integers(1, 4), st.sampled_from(["auto", "ranges", "hierarchy"]), st.data())
def test_its_release_keeps_the_promise_in_every_form(table, k, publish, data):
    trees = {name: data.draw(hierarchies(VALUES)) for name in table.columns}
    release = release_of(
        table, min(k, table.height), hierarchies=trees, algorithm={"name": "kk-anonymizer", "publish": publish}
    )
    assert all(release.verdicts)
    assert release.suppressed == 0
    assert release.table.height == table.height


@given(tables(max_sensitive=0), st.integers(1, 4))
def test_one_sided_promises_cost_no_more_than_both(table, k):
    k = min(k, table.height)
    both = release_of(table, k).score
    one_sided = release_of(table, k, "k1-anonymity")
    assert one_sided.verdicts[0].holds
    assert one_sided.score <= both + 1e-12
    assert release_of(table, k, "1k-anonymity").verdicts[0].holds


@given(tables(max_quasi_identifiers=3, max_sensitive=0), st.integers(1, 3))
def test_the_promise_holds_on_every_set_of_quasi_identifiers(table, k):
    sets = [[name] for name in table.columns]
    release = release_of(table, min(k, table.height), quasi_identifier_sets=sets)
    assert all(release.verdicts)


def test_several_promises_hold_together():
    table = pl.DataFrame({"age": list(range(20))})
    release = release_of(table, models=["1k-anonymity:k=4", "k1-anonymity:k=2"])
    assert [verdict.holds for verdict in release.verdicts] == [True, True]


@given(tables(max_quasi_identifiers=2, max_sensitive=0), st.integers(2, 3), st.integers(0, 10**6))
def test_an_attacker_who_knows_a_person_guesses_one_in_k_at_best(table, k, seed):
    """Whoever knows all attributes of a person, and looks at this one alone, has at least k records to choose from."""
    k = min(k, table.height)
    release = release_of(table, k)
    target = random.Random(seed).randrange(table.height)
    known = [None if value is None else str(value) for value in table.row(target)]
    candidates = [
        row
        for row in in_input_order(release).iter_rows()
        if all(label == "*" or _could_be(label, value) for label, value in zip(row, known, strict=True))
    ]
    assert len(candidates) >= k


def _could_be(label, value):
    if label is None or value is None:
        return label == value
    if label.startswith("[") and label.endswith("]"):
        low, high = (float(end) for end in label[1:-1].split(" to " if " to " in label else "-"))
        return low <= float(value) <= high
    return label == value


def test_a_saved_release_can_be_checked_with_the_original_alone(tmp_path):
    table = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6]})
    folder = release_of(table).save(tmp_path / "release").folder
    (undecided,) = krypsis.check(folder)
    assert undecided.holds is None
    assert "give the original table" in undecided.sentence
    (verdict,) = krypsis.check(folder, original=table)
    assert verdict.holds
    with pytest.raises(PromiseBroken, match="but the published data has 0"):
        krypsis.check(folder, original=pl.DataFrame({"age": [11, 12, 13, 14, 15, 16]}))


def test_nothing_of_the_original_is_written_into_the_release(tmp_path):
    table = pl.DataFrame({"age": [101, 203, 305, 407, 509, 611], "zip": ["x17", "x17", "x17", "x18", "x18", "x18"]})
    folder = release_of(table, k=6).save(tmp_path / "release").folder
    manifest = json.loads((folder / "manifest.json").read_text())
    told = {name: value for name, value in manifest.items() if name not in ("files", "release_id")}  # random digits
    written = json.dumps(told) + (folder / "data.csv").read_text()
    assert not any(str(age) in written for age in (203, 305, 407, 509))


def test_a_release_loaded_from_its_files_cannot_be_checked_again_without_the_original(tmp_path):
    folder = release_of(pl.DataFrame({"age": [1, 2, 3, 4]})).save(tmp_path / "release").folder
    loaded = krypsis.Release.load(folder)
    assert "could be at least 2 published records" in loaded.summary()
    with pytest.raises(UsageError, match="give the original table"):
        loaded.save(tmp_path / "again")


@pytest.mark.parametrize("promise", ["k-anonymity:k=2", "distinct-l-diversity:l=2", "global-1k-anonymity:k=2"])
def test_other_promises_are_refused_with_what_keeps_them(promise):
    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "b", "a", "b"]})
    roles = {"age": "quasi-identifier", "s": "sensitive"}
    with pytest.raises(UsageError, match=r"cannot promise .* algorithm 'optimal'"):
        krypsis.anonymize(table, roles, models=promise, algorithm="kk-anonymizer")


@pytest.mark.parametrize("algorithm", ["optimal", "datafly", "mondrian"])
def test_algorithms_that_make_groups_keep_the_promise_by_k_anonymity(algorithm):
    table = pl.DataFrame({"age": [1, 2, 3, 4, 5]})
    release = release_of(table, algorithm=algorithm)
    assert release.promises == ("kk-anonymity:k=2",)
    assert krypsis.check(release.table, "k-anonymity:k=2", quasi_identifiers=["age"])[0].holds


def test_records_cannot_be_removed_under_a_promise_about_links():
    table = pl.DataFrame({"age": [1, 1, 9]})
    with pytest.raises(UsageError, match="none may be removed"):
        release_of(table, algorithm="datafly", suppression=1)
    assert release_of(table, algorithm="datafly").table.height == 3


def test_more_candidates_than_records_are_infeasible():
    with pytest.raises(Infeasible, match="largest k that is possible is 3") as error:
        release_of(pl.DataFrame({"age": [1, 2, 3]}), k=4)
    assert error.value.closest == {"k": 3}


def test_levels_to_keep_to_are_refused():
    with pytest.raises(UsageError, match="no least or highest level"):
        release_of(pl.DataFrame({"age": [1, 2, 3]}), min_levels={"age": 1})


def test_missing_values_are_published_as_such_or_as_everything():
    table = pl.DataFrame({"age": [1, 1, None, None, None], "zip": ["a", "a", "a", "a", None]})
    release = release_of(table)
    assert all(release.verdicts)
    assert in_input_order(release)["age"].to_list()[:4] == [1, 1, None, None]
    assert in_input_order(release)["zip"].to_list()[4] == "*" or release.table["zip"].to_list().count(None) >= 2


def test_a_constant_column_and_a_single_record_are_published():
    assert release_of(pl.DataFrame({"age": [7, 7], "job": ["f", "f"]})).table.rows() == [(7, "f")] * 2
    assert release_of(pl.DataFrame({"age": [7]}), k=1).table.rows() == [(7,)]


def test_weights_say_what_is_generalized():
    table = pl.DataFrame({"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"]})
    release = release_of(table, weights={"a": 10})
    assert in_input_order(release)["a"].to_list() == table["a"].to_list()


@pytest.mark.data
def test_adult_loses_less_than_with_any_groups(data_folder):
    """3,000 records, all nine attributes and their hierarchies, k = 5."""
    folder = data_folder / "relational" / "adult"
    table = frame_of(folder / "adult.csv").head(3000)
    options = {
        "roles": dict.fromkeys(ADULT, "quasi-identifier"),
        "hierarchies": {name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT},
    }
    free = krypsis.anonymize(table, models="kk-anonymity:k=5", algorithm="kk-anonymizer:publish=hierarchy", **options)
    grouped = krypsis.anonymize(table, models="k-anonymity:k=5", algorithm="mondrian:publish=hierarchy", **options)
    assert all(free.verdicts)
    assert free.score < grouped.score
