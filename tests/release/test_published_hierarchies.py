"""A release publishes the hierarchy of a sensitive column only if a promise measures in it."""

import json

import polars as pl
import pytest

import krypsis

TABLE = pl.DataFrame({"age": [30, 30, 40, 40] * 3, "illness": ["flu", "cold", "flu", "ulcer"] * 3})
ILLNESSES = {"any": {"lungs": ["flu", "cold", "asthma"], "stomach": ["ulcer", "gastritis"]}}


@pytest.mark.parametrize(
    ("promise", "is_published"),
    [
        ("t-closeness:t=1", False),
        ("t-closeness:t=1,distance=equal", False),
        ("basic-beta-likeness:beta=9", False),
        ("t-closeness:t=1,distance=hierarchical", True),
        ("t-closeness:t=1,distance=ordered", True),  # words have no order but that of the hierarchy
    ],
)
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_a_hierarchy_is_published_where_a_promise_measures_in_it(tmp_path, promise, is_published):
    release = krypsis.anonymize(
        TABLE,
        {"age": "quasi-identifier", "illness": "sensitive"},
        models=["k-anonymity:k=2", promise],
        hierarchies={"illness": ILLNESSES},
    )
    saved = release.save(tmp_path / "release")
    written = "".join(file.read_text("utf-8") for file in saved.folder.iterdir() if file.suffix != ".parquet")
    assert ("stomach" in written) is is_published
    assert bool(json.loads((saved.folder / "manifest.json").read_text())["sensitive_hierarchies"]) is is_published
    assert all(krypsis.check(saved.folder))
