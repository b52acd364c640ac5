"""From a table to its report, through the public functions."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError
from krypsis.frequency import FrequencySet
from krypsis.recoding import FullDomain, Outcome
from krypsis.release.evidence import Evidence
from krypsis.report import ReportContent, build_content, write_report
from report.releases import flat, medical

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
    content = ReportContent.model_validate_json(data.read_text("utf-8"))
    sizes = release.table.group_by("age", "city").len()["len"]
    assert content.holds
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
        build_content(krypsis.Release.load(tmp_path / "release"))


def test_the_cost_of_a_report_is_small_and_depends_on_distinct_tuples_only(tmp_path):
    """A table such as Adult: thirty thousand distinct tuples of nine quasi-identifiers, each a thousand times."""
    generator = np.random.default_rng(5)
    radices = (2, 100, 5, 7, 16, 41, 8, 2, 14)
    codes = np.stack([generator.integers(0, radix, 30_000) for radix in radices], axis=1).astype(np.int32)
    hierarchies = tuple(flat(*map(str, range(radix))) for radix in radices)
    frequency = FrequencySet(tuple("abcdefghi"), hierarchies, codes, np.full(30_000, 1000))
    levels, none = (0,) * 9, np.zeros(30_000, dtype=bool)
    lost = tuple(np.zeros(radix, dtype=np.int64) for radix in radices)
    outcome = Outcome(frequency, levels, 0, lost, 30_000, 30_000 * 1000**2)
    evidence = Evidence(frequency, FullDomain(levels, none), outcome)
    release = replace(medical(), evidence=evidence, rows_before=30_000_000)
    start = time.process_time()
    write_report(release, tmp_path / "release")
    assert time.process_time() - start < 1
