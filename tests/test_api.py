"""What a program may hand over, and what it is told when it hands over something else."""

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
