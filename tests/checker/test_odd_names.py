"""Columns whose names polars would take for patterns are published and checked like any others."""

import polars as pl
import pytest

import krypsis

QI = {"*": ["x", "y", "z"]}
WHO = "^who$"


def people(known, hidden):
    return pl.DataFrame(
        {
            known: ["x", "x", "y", "y", "z", "z"] * 4,
            hidden: ["1", "2", "3", "1", "2", "3"] * 4,
            WHO: [str(row % 12) for row in range(24)],
        }
    )


JOURNEYS = {
    "generalized": {"models": ["k-anonymity:k=2", "t-closeness:t=0.9,distance=hierarchical"]},
    "two tables": {"models": "frequency-l-diversity:l=2", "algorithm": "anatomize"},
    "permuted": {"models": "ke-anonymity:k=2,e=1", "algorithm": "permutation"},
    "swapped": {"algorithm": "data-swapping:rate=1"},
    "several tables": {"models": "multirelational-k-anonymity:k=2", "key": WHO},
}


@pytest.mark.parametrize("journey", JOURNEYS)
@pytest.mark.parametrize(("known", "hidden"), [("^a$", "*"), ("*", "^s$"), ("size of group", "^.*$")])
def test_a_release_is_made_saved_checked_and_loaded(journey, known, hidden, tmp_path):
    table, wanted = people(known, hidden), dict(JOURNEYS[journey])
    roles = {known: "QI", hidden: "sensitive", WHO: "identifier"}
    hierarchies = {known: QI, hidden: {"*": ["1", "2", "3"]}}
    if journey == "several tables":
        hierarchies = {known: QI}
        wanted["tables"] = {"more": {"data": table, "roles": roles, "hierarchies": {known: QI}}}
    release = krypsis.anonymize(table, roles, hierarchies=hierarchies, **wanted)
    folder = release.save(tmp_path / "release", ["csv", "parquet"]).folder
    assert all(krypsis.check(folder))
    assert krypsis.Release.load(folder).table.columns == release.table.columns
