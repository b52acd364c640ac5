"""From a table to its report, through the public functions."""

from __future__ import annotations

import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.table.report_figures import table_figures
from krypsis.report import build_report, parse_json, write_report

ROLES = {"name": "identifier", "age": "quasi-identifier", "city": "quasi-identifier", "disease": "sensitive"}


def patients() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"patient {number}" for number in range(60)],
            "age": [20 + number % 50 for number in range(60)],
            "city": [None if number % 10 == 0 else ("Αθήνα", "Πάτρα")[number % 2] for number in range(60)],
            "disease": [("flu", "fever", "asthma")[number % 3] for number in range(60)],
        }
    )


@pytest.mark.parametrize("suppressed", ["remove", "keep"])
def test_the_report_of_a_run_agrees_with_the_published_table(tmp_path, suppressed):
    release = krypsis.anonymize(
        patients(),
        ROLES,
        models=["k-anonymity:k=4"],
        hierarchies={"age": {"kind": "intervals", "width": 10, "origin": 0}},
        suppression=10,
        suppressed=suppressed,
    )
    _, data = write_report(release, tmp_path / "release")
    assert parse_json(data.read_text("utf-8")) == build_report(release, "release")
    content = table_figures(release)
    sizes = release.table.group_by("age", "city").len()["len"]
    assert build_report(release).holds
    assert content.risk[0].groups_after == len(sizes)
    assert content.risk[0].figure("smallest-group").after == sizes.min()
    assert content.records_published == release.table.height
    assert {one.attribute: one.level for one in content.attributes} == dict(release.levels)
    for one in content.distributions:
        counted = dict(release.table[one.attribute].cast(pl.String).fill_null("(missing)").value_counts().iter_rows())
        assert {bar.label: bar.records for bar in one.after if bar.records} == counted


def test_nobody_is_named_in_a_report(tmp_path):
    release = krypsis.anonymize(patients(), ROLES, models=["k-anonymity:k=2"])
    for path in write_report(release, tmp_path / "release"):
        assert "patient 1" not in path.read_text("utf-8")


def test_a_release_loaded_from_its_files_says_why_it_has_no_report(tmp_path):
    krypsis.anonymize(patients(), ROLES, models=["k-anonymity:k=2"]).save(tmp_path / "release")
    with pytest.raises(UsageError, match="loaded from its published files"):
        build_report(krypsis.Release.load(tmp_path / "release"))
