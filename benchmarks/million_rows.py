"""A million rows like Adult: the whole run against polars reading, grouping and writing the same file."""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from subprocess import run
from time import perf_counter

from benchmarks.datasets import ADULT, adult_plan, resampled_adult
from benchmarks.results import Results
from benchmarks.unit import REPEATS
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
        copy = [sys.executable, "-c", POLARS, str(data), str(Path(folder, "copy.csv")), *ADULT]
        release = [*KRYPSIS, "run", str(plan), "--force", "--quiet"]
        polars, krypsis, report = elapsed(copy, [*release, "--no-report"], [*release, "--report"])
    results.add("polars: read, group by, write", polars)
    results.add("krypsis run, no report", krypsis, "3 × polars", note=f"{krypsis / polars:.2f} × polars")
    results.add("krypsis run, with report", report, note=f"{report / polars:.2f} × polars")


def elapsed(*commands: list[str]) -> list[float]:
    """Return the median time of each command; they take turns, so that a busy moment meets all of them."""
    rounds = [[_elapsed(command) for command in commands] for _ in range(REPEATS + 1)]
    return [median(times) for times in zip(*rounds[1:], strict=True)]  # the first compiles and fills the file cache


def _elapsed(command: list[str]) -> float:
    # Modules are compiled once, as after an installation; where this is forbidden, each start would compile our own.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = perf_counter()
    run(command, check=True, capture_output=True, env=environment)
    return perf_counter() - start
