"""The first ``krypsis run`` after an installation, the second one, and one after ``krypsis warm``: 5,000 records.

The floor is what nobody can do without: start Python, read the same file with polars, group its records and write them.
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import polars as pl

from benchmarks.datasets import adult_folder
from benchmarks.results import Results
from benchmarks.unit import child
from krypsis.kinds.table.demo import hospital

KRYPSIS = [sys.executable, "-m", "krypsis.cli.start"]
REPEATS = 3
ROWS = 5000
FLOOR = """
import sys
import polars as pl
table = pl.read_csv(sys.argv[1])
table.join(table.group_by(table.columns[1:]).len(), on=table.columns[1:]).write_csv(sys.argv[2])
"""

Times = tuple[float, float]
"""CPU and elapsed seconds."""


def measure(results: Results) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    for name, table, targets in (("Adult", some_of_adult(), ("8 s", "2.5 s")), ("patients", hospital(), ("8 s", ""))):
        with tempfile.TemporaryDirectory() as folder:
            add_runs(results, name, table, targets, Path(folder))


def some_of_adult() -> pl.DataFrame:
    table = pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False)
    return table.sample(ROWS, seed=1)


def add_runs(results: Results, name: str, table: pl.DataFrame, targets: tuple[str, str], folder: Path) -> None:
    """Measure the runs on one table, each also in multiples of the floor."""
    table.write_csv(folder / "data.csv")
    child([*KRYPSIS, "init", str(folder / "data.csv"), "--output", str(folder / "plan.yaml")])
    rounds = zip(*(times_of_round(folder, repeat) for repeat in range(REPEATS)), strict=True)
    floor, first, second, warmed = (tuple(map(median, zip(*runs, strict=True))) for runs in rounds)
    cases = (("floor", floor, ""), ("first run", first, targets[0]), ("second run", second, targets[1]))
    for case, (cpu, elapsed), target in (*cases, ("warmed", warmed, "")):
        results.add(f"{name}, {case}, CPU", cpu, note=f"{cpu / floor[0]:.1f} floors")
        results.add(f"{name}, {case}, elapsed", elapsed, target, note=f"{elapsed / floor[1]:.1f} floors")


def times_of_round(folder: Path, repeat: int) -> list[Times]:
    """Return the times of the floor, of two runs from an empty cache on, and of a run after warming."""
    os.environ["NUMBA_CACHE_DIR"] = str(folder / f"cache-{repeat}")
    floor = [sys.executable, "-c", FLOOR, str(folder / "data.csv"), str(folder / "copy.csv")]
    run = [*KRYPSIS, "run", str(folder / "plan.yaml"), "--force", "--quiet"]
    times = [timed(floor), timed(run), timed(run)]
    child([*KRYPSIS, "warm"])
    return [*times, timed(run)]


def timed(command: list[str]) -> Times:
    start = perf_counter()
    cpu, _ = child(command)
    return cpu, perf_counter() - start
