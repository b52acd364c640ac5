"""The report of a version of a table that changes: a million records, of which one percent has changed."""

import tempfile
from pathlib import Path

import polars as pl

import krypsis
from benchmarks.history import FORMS, KNOWN, ROWS, people
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.kinds.history.version_release import VersionRelease
from krypsis.report import write_report


def measure(results: Results) -> None:
    for form in FORMS:
        with tempfile.TemporaryDirectory() as folder:
            version = second(Path(folder, "history"), form)
            seconds = cpu(lambda: write_report(version, version.folder), 2)  # noqa: B023  called at once
            page, data = write_report(version, version.folder)
            sizes = f"page {page.stat().st_size / 1000:.0f} kB, JSON {data.stat().st_size / 1000:.0f} kB"
            results.add(f"{form}: report of {ROWS:,} records", seconds, note=sizes)


def second(folder: Path, form: str) -> VersionRelease:
    """Return the second version of a history, after a hundredth has left and as many have come."""
    first = people(0, ROWS)
    history = krypsis.History.init(
        folder,
        id="id",
        roles=dict.fromkeys(KNOWN, "quasi-identifier") | {"disease": "sensitive"},
        models="m-invariance:m=4",
        algorithm={"name": "m-invariant", "publish": form, "on_ineligible": "counterfeits"},
    )
    history.publish(first)
    return history.publish(pl.concat([first.tail(ROWS - ROWS // 100), people(ROWS, ROWS // 100)]))
