"""A million rows like Adult: the whole run against polars reading, grouping and writing the same file."""

import sys
import tempfile
from pathlib import Path
from statistics import median
from subprocess import run
from time import perf_counter

from benchmarks.datasets import ADULT, adult_plan, resampled_adult
from benchmarks.results import Results
from benchmarks.whole_run import KRYPSIS

ROWS = 1_000_000
POLARS = """
import sys, polars as pl
table = pl.read_csv(sys.argv[1])
table.group_by(sys.argv[3:]).len()
table.write_csv(sys.argv[2])
"""


def measure(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, plan = Path(folder, "big.csv"), Path(folder, "plan.yaml")
        resampled_adult(ROWS).write_csv(data)
        plan.write_text(adult_plan(str(data), str(Path(folder, "release"))), encoding="utf-8")
        polars = elapsed([sys.executable, "-c", POLARS, str(data), str(Path(folder, "copy.csv")), *ADULT])
        krypsis = elapsed([*KRYPSIS, "run", str(plan), "--force", "--quiet", "--no-report"])
        report = elapsed([*KRYPSIS, "run", str(plan), "--force", "--quiet", "--report"])
    results.add("polars: read, group by, write", polars)
    results.add("krypsis run, no report", krypsis, "3 × polars", note=f"{krypsis / polars:.2f} × polars")
    results.add("krypsis run, with report", report, note=f"{report / polars:.2f} × polars")


def elapsed(command: list[str]) -> float:
    times = []
    for _ in range(4):
        start = perf_counter()
        run(command, check=True, capture_output=True)
        times.append(perf_counter() - start)
    return median(times[1:])  # the first compiles the kernels and fills the file cache
