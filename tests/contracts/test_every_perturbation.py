"""What every registered perturbation must do, on small tables of any kind."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal, assert_series_equal

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.base import Perturbation
from krypsis.errors import ColumnError, PrivacyWarning, UsageError
from krypsis.io.columns import read_column, write_column
from krypsis.release.order import in_input_order

NAMES = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, Perturbation)]
every_perturbation = pytest.mark.parametrize("name", NAMES)
OPTIONS = {
    "microaggregation": {"k": 2},
    "synthetic": {"rare": 1},
    "rank-swapping": {"p": 30},
    "data-swapping": {"rate": 1},
}
ROLES = {"name": "identifier", "age": "QI", "pay": "QI", "when": "QI", "town": "sensitive", "size": "insensitive"}
SEED = 918273645546372819


def method(name, **more):
    return {"name": name, **OPTIONS.get(name, {}), **more}


def made_or_refused(data, roles, name):
    """The release, or the words of the refusal; any other error is a mistake."""
    try:
        return krypsis.anonymize(data, roles, algorithm=method(name)), ""
    except UsageError as refusal:
        return None, str(refusal)


def table(count=60, missing=True):
    """Numbers of several types, with some missing, next to text."""
    return pl.DataFrame(
        {
            "name": [f"person {row}" for row in range(count)],
            "age": [None if missing and row % 12 == 5 else 20 + row * 7 % 50 for row in range(count)],
            "pay": [f"{1000 + row * 37 % 900}.{row % 10}0" for row in range(count)],
            "when": pl.date_range(pl.date(2020, 1, 1), pl.date(2029, 1, 1), "1w", eager=True)[:count],
            "town": ["x", "y", "x", "z"] * (count // 4),
            "size": pl.Series([1.5, 2.25] * (count // 2), dtype=pl.Float32),
            "left out": range(count),
        }
    )


@every_perturbation
def test_the_release_has_the_types_the_columns_and_the_records_of_the_table(name):
    release = krypsis.anonymize(table(), ROLES, algorithm=method(name))
    published = [column for column in table().columns if column in ROLES and column != "name"]
    assert release.table.columns == published
    assert release.table.schema == table().select(published).schema
    assert release.table.height == 60


@every_perturbation
def test_it_changes_the_chosen_columns_and_no_others(name):
    release = krypsis.anonymize(table(), ROLES, algorithm=method(name, columns=["age", "pay"]))
    for column in ("when", "town", "size"):
        assert_series_equal(in_input_order(release)[column], table()[column])
    assert all((in_input_order(release)[column] != table()[column]).any() for column in ("age", "pay"))
    assert set(release.statistics["columns"]) == {"age", "pay"}


@every_perturbation
def test_missing_values_stay_missing_unless_records_are_drawn_anew(name):
    release = krypsis.anonymize(table(), ROLES, algorithm=method(name, columns="age"))
    if name != "synthetic":
        assert_series_equal(in_input_order(release)["age"].is_null(), table()["age"].is_null())
    assert release.table["pay"].null_count() == 0


@every_perturbation
def test_the_input_is_unchanged_and_a_seed_repeats_the_release(name):
    data = table()
    first = krypsis.anonymize(data, ROLES, algorithm=method(name, seed=SEED))
    assert_frame_equal(data, table())
    assert_frame_equal(krypsis.anonymize(data, ROLES, algorithm=method(name, seed=SEED)).table, first.table)
    if name != "microaggregation":  # which has nothing random
        assert not krypsis.anonymize(data, ROLES, algorithm=method(name, seed=SEED + 1)).table.equals(first.table)
        drawn = [krypsis.anonymize(data, ROLES, algorithm=method(name)) for _ in range(2)]
        assert not drawn[0].table.equals(drawn[1].table)
        assert drawn[0].private["seed"] != drawn[1].private["seed"]


@every_perturbation
def test_a_guessed_seed_repeats_nothing_without_the_data(name):
    if name == "microaggregation":  # which has nothing random
        return
    made = registry.create("algorithm", method(name, columns=["age"], seed=7))
    before = {"age": read_column(table()["age"], made.form_of("age"))}
    guessed = write_column(made.perturb(before, np.random.default_rng(7))["age"], table()["age"])
    assert not in_input_order(krypsis.anonymize(table(), ROLES, algorithm=made))["age"].equals(guessed)


@pytest.mark.parametrize(
    ("algorithm", "values"),
    [
        ("noise", [0, 1, 2] * 20),  # whole numbers, and noise of a tenth
        ("rank-swapping:p=5", list(range(10))),  # five percent of ten ranks
        ("data-swapping:rate=0.1", list(range(9))),  # half a pair
        ("microaggregation:k=2,separately=true", [1, 1, 2, 2]),
    ],
)
def test_where_nothing_changed_nothing_is_published(algorithm, values):
    columns = {"age": values, "pay": values}
    refusal = f"changed nothing: age, pay of all {len(values)} records.*exactly as they were.*krypsis explain"
    with pytest.raises(UsageError, match=refusal):
        krypsis.anonymize(pl.DataFrame(columns), dict.fromkeys(columns, "QI"), algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["rank-swapping:p=60", "data-swapping:rate=1"])
def test_a_column_that_was_to_change_and_did_not_is_warned_of(algorithm):
    columns = {"age": [31] * 40, "pay": [1000 + 37 * row for row in range(40)]}
    with pytest.warns(PrivacyWarning, match="no value of age, which is published exactly as it was"):
        release = krypsis.anonymize(pl.DataFrame(columns), dict.fromkeys(columns, "QI"), algorithm=algorithm)
    assert in_input_order(release)["age"].to_list() == columns["age"]


@pytest.mark.parametrize("algorithm", ["rank-swapping:p=10,range=values", "data-swapping:rate=0.2"])
def test_records_that_are_published_as_they_were_are_counted_in_a_warning(algorithm):
    columns = {"age": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1001]}
    with pytest.warns(PrivacyWarning, match="left 10 of 12 records exactly as they were in age, and nothing is prom"):
        release = krypsis.anonymize(pl.DataFrame(columns), {"age": "QI"}, algorithm=algorithm)
    same = [one == other for one, other in zip(in_input_order(release)["age"], columns["age"], strict=True)]
    assert sum(same) == 10


def test_averages_that_keep_a_promise_may_be_the_values_themselves():
    data = pl.DataFrame({"age": [31, 31, 40, 40]})
    assert in_input_order(krypsis.anonymize(data, {"age": "QI"}, algorithm="microaggregation:k=2")).equals(data)


@every_perturbation
@pytest.mark.parametrize("formats", ["csv", "parquet"])
def test_no_public_file_tells_the_seed_and_the_private_record_does(name, formats, tmp_path):
    release = krypsis.anonymize(table(), ROLES, algorithm=method(name, seed=SEED))
    saved = release.save(tmp_path / "release", formats=formats)
    for file in saved.folder.iterdir():
        assert str(SEED).encode() not in file.read_bytes()
        assert b"seed" not in file.read_bytes()
    record = json.loads(saved.private.read_text(encoding="utf-8"))
    assert record["seed"] == SEED
    assert set(record["statistics"]["columns"]) == set(release.statistics["columns"])


@every_perturbation
def test_a_saved_release_says_what_its_method_guarantees_and_keeps_the_statistics_before_to_itself(name, tmp_path):
    release = krypsis.anonymize(table(), ROLES, algorithm=method(name))
    saved = release.save(tmp_path / "release")
    loaded = krypsis.Release.load(saved.folder)
    assert loaded.guarantee == registry.find("algorithm", name).guarantee
    assert loaded.guarantee in loaded.summary()
    assert loaded.statistics == {}
    manifest = json.loads(Path(saved.folder, "manifest.json").read_text(encoding="utf-8"))
    assert manifest["scheme"] == "perturbation"
    assert "statistics" not in manifest
    assert Counter(loaded.table.rows()) == Counter(release.table.rows())
    verdicts = krypsis.check(saved.folder)
    assert [verdict.promise for verdict in verdicts] == list(release.promises)
    assert all(verdicts)


@every_perturbation
def test_its_spec_can_be_read_back(name):
    made = registry.create("algorithm", method(name, columns=["age", "a, b"], seed=7))
    again = registry.create("algorithm", made.spec)
    assert again.columns == ("age", "a, b")
    assert again.spec == made.spec
    assert "seed" not in made.spec


@every_perturbation
def test_its_guarantee_names_what_it_does_not_protect_from(name):
    words = registry.find("algorithm", name).guarantee
    assert "nothing about groups" in words
    assert words.endswith(".")


@every_perturbation
@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ("agee", ColumnError, "Did you mean 'age'?"),
        ("name", UsageError, "'name' is an identifier"),
        ("left out", ColumnError, "column 'left out' not found"),
        (["age", 5], UsageError, "columns of"),
    ],
)
def test_columns_that_cannot_be_changed_are_named(name, columns, error, words):
    with pytest.raises(error) as caught:
        krypsis.anonymize(table(), ROLES, algorithm=method(name, columns=columns))
    assert words in str(caught.value)


@every_perturbation
def test_without_a_column_to_change_it_says_so(name):
    if name == "synthetic":  # which draws whole records
        return
    with pytest.raises(UsageError, match="has no column to change"):
        krypsis.anonymize(table(), {"town": "sensitive"}, algorithm=method(name))


@every_perturbation
def test_sensitive_columns_can_be_changed_where_nothing_is_known_to_an_attacker(name, tmp_path):
    release = krypsis.anonymize(table(), {"pay": "sensitive"}, algorithm=method(name, columns="pay"))
    loaded = krypsis.Release.load(release.save(tmp_path / "release").folder)
    assert loaded.promises == ()
    assert loaded.schema.quasi_identifiers == ()
    assert "an attacker is assumed to know: nothing" in loaded.summary()


@every_perturbation
def test_text_is_changed_or_refused_with_advice(name):
    if registry.find("algorithm", name).works_on == "numbers":
        with pytest.raises(UsageError, match=r"'town' has 3 different value.*'x', 'y', 'z'.*'pram'"):
            krypsis.anonymize(table(), {"town": "QI"}, algorithm=method(name))
    else:
        release = krypsis.anonymize(table(), {"town": "QI"}, algorithm=method(name))
        assert set(release.table["town"]) <= {"x", "y", "z"}


@every_perturbation
@pytest.mark.parametrize(
    "values",
    [
        [7],
        [7] * 9,
        [None, None],
        [None, 4, None],
        [1.0, float("nan"), 2.0],
        [float("inf"), 1.0],
        ["7", "x"],
        [1e300, -1e300],
    ],
)
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_odd_columns_give_a_release_or_a_plain_refusal(name, values):
    data = pl.DataFrame({"age": pl.Series(values, strict=False)})
    release, refusal = made_or_refused(data, {"age": "QI"}, name)
    if release is None:
        assert "age" in refusal or "k=2" in refusal
    else:
        assert release.table.height == len(values)


@every_perturbation
def test_promises_that_it_cannot_make_are_refused(name):
    with pytest.raises(UsageError, match="who could be who"):
        krypsis.anonymize(table(), ROLES, models="kk-anonymity:k=2", algorithm=method(name))
    with pytest.raises(UsageError, match="does not generalize"):
        krypsis.anonymize(table(), ROLES, algorithm=method(name), min_levels={"age": 1})
    with pytest.raises(UsageError, match="sensitive"):
        krypsis.anonymize(table(), {"age": "QI"}, models="distinct-l-diversity:l=2", algorithm=method(name))


numbers = st.one_of(st.none(), st.integers(-(10**6), 10**6))


@every_perturbation
@given(values=st.lists(numbers, min_size=1, max_size=30), towns=st.data())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_any_table_gives_a_release_or_a_plain_refusal(name, values, towns):
    labels = towns.draw(st.lists(st.sampled_from(["x", "y", None]), min_size=len(values), max_size=len(values)))
    data = pl.DataFrame({"age": pl.Series(values, dtype=pl.Int64), "town": pl.Series(labels, dtype=pl.String)})
    release, _ = made_or_refused(data, {"age": "QI", "town": "sensitive"}, name)
    if release is None:
        return
    assert release.table.schema == data.schema
    assert release.table.height == len(values)
    assert all(release.verdicts)


@every_perturbation
def test_what_is_no_number_is_published_as_missing(name):
    data = pl.DataFrame({"age": [float("nan"), None, *(20.0 + row for row in range(20))]})
    release, refusal = made_or_refused(data, {"age": "QI"}, name)
    assert release is not None, refusal
    assert not release.table["age"].is_nan().any()
