"""What a program may hand over, and what it is told when it hands over something else."""

import pandas as pd
import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError

TABLE = pl.DataFrame({"age": [31, 31, 38, 38], "disease": ["flu", "cold", "flu", "cold"]})
ROLES = {"age": "quasi-identifier", "disease": "sensitive"}


def anonymize(**given):
    return krypsis.anonymize(**{"data": TABLE, "roles": ROLES, "models": "k-anonymity:k=2", **given})


def refused(**given) -> str:
    with pytest.raises(UsageError) as caught:
        anonymize(**given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "hint"), [("Keep", "Did you mean 'keep'"), ("drop", "got 'drop'"), (None, "got None")]
)
def test_an_unknown_way_of_suppressing_is_refused(given, hint):
    message = refused(suppressed=given)
    assert "suppressed must be 'remove' or 'keep'" in message
    assert hint in message


ODD_NAMES = ["^s$", "^.*$", "^a|b$", "*", "count", "len", "group", "value", "q0", "s0", "\ufeffx", "literal", "index"]


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive", "insensitive"])
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_a_column_of_any_name_goes_the_whole_way(tmp_path, name, role):
    table = pl.DataFrame(
        {
            name: ["a", "b"] * 10 if role != "quasi-identifier" else ["a"] * 10 + ["b"] * 9 + ["c"],
            "age": ["x"] * 19 + ["y"],
            "disease": ["flu", "cold"] * 10,
        }
    )
    roles = {"age": "quasi-identifier", "disease": "sensitive", name: role}
    models = ["k-anonymity:k=3", "t-closeness:t=0.5"]
    first = name if role == "quasi-identifier" else "age"
    general = krypsis.anonymize(table, roles, models=models, suppression=1, min_levels={first: 1})
    assert set(general.table.get_column(first)) == {"*"}
    release = krypsis.anonymize(table, roles, models=models, suppression=1)
    assert release.suppressed == 1
    release.save(tmp_path / "release", ("csv", "parquet"))
    loaded = krypsis.Release.load(tmp_path / "release")
    assert loaded.table.columns == [name, "age", "disease"]
    assert all(krypsis.check(tmp_path / "release"))
    known = [column for column in roles if roles[column] == "quasi-identifier"]
    assert krypsis.check(loaded.table, "k-anonymity:k=3", quasi_identifiers=known, missing="wildcard")[0].holds


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"roles": None}, ["roles must be a mapping", "NoneType"]),
        ({"roles": ["age"]}, ["roles must be a mapping", "list"]),
        ({"roles": {0: "quasi-identifier"}}, ["names of columns are text", "'0'"]),
        ({"roles": {"age": None}}, ["a role is one of", "None"]),
        ({"roles": {"age": 3}}, ["a role is one of", "3"]),
        ({"weights": {"age": 1e308}}, ["weight of 'age'", "1e+308"]),
        ({"weights": {"age": float("inf")}}, ["weight of 'age'", "inf"]),
        ({"weights": {"age": float("nan")}}, ["weight of 'age'", "nan"]),
        ({"weights": {"age": "heavy"}}, ["weight of 'age'", "heavy"]),
        ({"weights": [1]}, ["weights must be a mapping"]),
        ({"hierarchies": ["age"]}, ["hierarchies must be a mapping"]),
        ({"min_levels": ["age"]}, ["min_levels must be a mapping"]),
        ({"min_levels": {"age": "1"}}, ["min_levels of 'age' must be a whole number"]),
        ({"max_levels": {"age": None}}, ["max_levels of 'age' must be a whole number"]),
        ({"models": None}, ["models must be promises"]),
        ({"models": 5}, ["models must be promises"]),
        ({"quasi_identifier_sets": 5}, ["lists of names"]),
        ({"quasi_identifier_sets": ["age"]}, ["lists of names"]),
        ({"quasi_identifier_sets": [[1]]}, ["lists of names"]),
        ({"suppression": [1]}, ["suppression must be a share"]),
        ({"min_levels": {"disease": 1}}, ["'disease' has the role 'sensitive'", "'quasi-identifier'", "age"]),
        ({"models": "distinct-l-diversity:l=2,attribute=age"}, ["'age' has the role 'quasi-identifier'", "disease"]),
        ({"models": "distinct-l-diversity:l=2,attribute=diseas"}, ["not found", "Did you mean 'disease'"]),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_in_plain_words(given, words):
    message = refused(**given)
    for word in words:
        assert word in message


@pytest.mark.parametrize("path", [None, 5, "", 1.5])
def test_a_folder_that_is_no_path_is_refused(path):
    with pytest.raises(UsageError, match="folder of a release is a path"):
        anonymize().save(path)
    with pytest.raises(UsageError, match="folder of a release is a path"):
        krypsis.Release.load(path)


def test_the_home_folder_may_be_written_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert anonymize().save("~/release").folder == tmp_path / "release"
    assert krypsis.Release.load("~/release").table.height == 4


@pytest.mark.parametrize("formats", [None, 5, [1], ["xlsx"]])
def test_formats_that_do_not_exist_are_refused(tmp_path, formats):
    with pytest.raises(UsageError, match="csv"):
        anonymize().save(tmp_path / "release", formats)


@pytest.mark.parametrize(
    "given",
    [
        {"quasi_identifiers": 5},
        {"quasi_identifiers": ["age"], "sensitive": 5},
        {"quasi_identifiers": ["age"], "sensitive": "disease", "models": "distinct-l-diversity:l=2,attribute=age"},
    ],
)
def test_the_checker_refuses_what_makes_no_sense(given):
    with pytest.raises(UsageError):
        krypsis.check(TABLE, **{"models": "k-anonymity:k=2", **given})


@pytest.mark.parametrize(
    "values", [pd.period_range("2020-01", periods=4, freq="M"), pd.cut([1, 2, 3, 4], 2)], ids=["period", "interval"]
)
def test_columns_of_pandas_that_have_no_text_are_named(values):
    table = pd.DataFrame({"when": values, "disease": list("abab")})
    message = refused(data=table, roles={"when": "quasi-identifier", "disease": "sensitive"})
    assert "column 'when'" in message
    assert "astype(str)" in message


def test_numbers_as_column_names_of_pandas_are_named_by_their_text():
    table = pd.DataFrame({0: [1, 1, 2, 2], "disease": list("abab")})
    assert anonymize(data=table, roles={"0": "quasi-identifier", "disease": "sensitive"}).levels == {"0": 0}


BASKETS = krypsis.Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["tea"], ["tea"]])


@pytest.mark.parametrize(
    "given",
    [
        {"models": ["k-anonymity:k=2", "distinct-l-diversity:l=2"]},
        {"models": "distinct-l-diversity:l=2", "algorithm": "anatomize"},
        {"models": "kk-anonymity:k=2", "algorithm": "kk-anonymizer"},
        {"data": BASKETS, "roles": None, "models": "km-anonymity:k=2,m=2", "algorithm": "disassociation"},
    ],
    ids=lambda given: str(given["models"]),
)
def test_a_release_is_checked_as_its_folder_is(tmp_path, given):
    release = anonymize(**given)
    from_files = krypsis.check(release.save(tmp_path / "release").folder)
    verdicts = krypsis.check(release)
    needs_original = given["models"] == "kk-anonymity:k=2"
    assert [one.promise for one in verdicts] == [one.promise for one in from_files]
    assert [one.holds for one in verdicts] == [True] * len(verdicts)
    assert [one.holds for one in from_files] == [None if needs_original else True] * len(verdicts)
    assert krypsis.check(krypsis.Release.load(tmp_path / "release"))[0].holds is (None if needs_original else True)


def test_a_release_is_checked_for_other_promises_too():
    verdict, stronger = krypsis.check(anonymize(), ["k-anonymity:k=2", "k-anonymity:k=3"])
    assert (verdict.holds, stronger.holds, stronger.achieved) == (True, False, 2)


def test_what_a_release_says_itself_is_not_given():
    with pytest.raises(UsageError, match="a release says itself what sensitive is; leave it out"):
        krypsis.check(anonymize(), sensitive="disease")


def test_a_release_is_a_frame_of_every_library():
    release = anonymize()
    assert release.to_polars().equals(release.table)
    assert pl.from_arrow(release.to_arrow()).equals(release.table)
    assert release.to_pandas()["age"].tolist() == release.table["age"].to_list()
