"""The report of a million rows like Adult: how long its parts take, and how large its files are."""

import tempfile
from pathlib import Path

import krypsis
from benchmarks.datasets import ADULT, adult_folder, resampled_adult
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.kinds.table.attack_results import attacks_tried
from krypsis.kinds.table.report_figures import risk_of
from krypsis.kinds.table.solution_space import solution_space
from krypsis.kinds.table.utility import utility_gauge
from krypsis.release.release import Release
from krypsis.report import build_report, render_html, render_pdf, write_report

ROWS = 1_000_000
SENSITIVE = "occupation"
MOST = 3_000_000
"""Bytes that the page of a million rows may take."""


def measure(results: Results) -> None:
    for name, release in _releases().items():
        content = build_report(release)
        results.add(f"{name}: all that is said", cpu(lambda: build_report(release), 2))  # noqa: B023  called at once
        results.add(f"{name}: the attacks of it", cpu(lambda: attacks_tried(release), 2))  # noqa: B023
        results.add(f"{name}: the gauge of it", cpu(lambda: utility_gauge(release), 2))  # noqa: B023
        if (evidence := release.evidence) is not None:
            seconds = cpu(lambda: solution_space(release, evidence, risk_of(release)), 2)  # noqa: B023
            results.add(f"{name}: the solution space of it", seconds)
        results.add(f"{name}: the page", cpu(lambda: render_html(content), 2))  # noqa: B023
        results.add(f"{name}: the PDF", cpu(lambda: render_pdf(content), 2), note=_sizes(release))  # noqa: B023


def _releases() -> dict[str, Release]:
    table = resampled_adult(ROWS)
    roles = dict.fromkeys(ADULT, "quasi-identifier") | {SENSITIVE: "sensitive"}
    files = {name: adult_folder() / f"adult_hierarchy_{name}.csv" for name in ADULT if name != SENSITIVE}
    return {
        "levels": krypsis.anonymize(table, roles, hierarchies=files, models="k-anonymity:k=5", suppression=0.02),
        "groups": krypsis.anonymize(table, roles, models="frequency-l-diversity:l=3", algorithm="anatomize:seed=1"),
    }


def _sizes(release: Release) -> str:
    with tempfile.TemporaryDirectory() as folder:
        sizes = [path.stat().st_size for path in write_report(release, Path(folder, "release"))]
    if sizes[0] > MOST:
        raise AssertionError(f"the page takes {sizes[0]:,} bytes, more than {MOST:,}")
    return f"page {sizes[0] / 1000:.0f} kB, JSON {sizes[1] / 1000:.0f} kB"
