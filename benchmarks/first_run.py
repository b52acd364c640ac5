"""The first ``krypsis run`` after an installation, the second one, and one after ``krypsis warm``: 5,000 patients."""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.results import Results
from benchmarks.unit import child
from krypsis.kinds.table.demo import hospital

KRYPSIS = [sys.executable, "-m", "krypsis.cli.main"]
REPEATS = 3


def measure(results: Results) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hospital().write_csv(folder / "patients.csv")
        child([*KRYPSIS, "init", str(folder / "patients.csv"), "--output", str(folder / "plan.yaml")])
        first, second, warmed = zip(*(three_runs(folder, repeat) for repeat in range(REPEATS)), strict=True)
    for case, runs, target in (("first run", first, "8 s"), ("second run", second, "2.5 s"), ("warmed", warmed, "")):
        results.add(f"{case}, CPU", median(cpu for cpu, _ in runs))
        results.add(f"{case}, elapsed", median(elapsed for _, elapsed in runs), target)


def three_runs(folder: Path, repeat: int) -> list[tuple[float, float]]:
    """Return CPU and elapsed seconds of two runs from an empty cache on, and of one after warming."""
    os.environ["NUMBA_CACHE_DIR"] = str(folder / f"cache-{repeat}")
    runs = [timed_run(folder), timed_run(folder)]
    child([*KRYPSIS, "warm"])
    return [*runs, timed_run(folder)]


def timed_run(folder: Path) -> tuple[float, float]:
    start = perf_counter()
    cpu, _ = child([*KRYPSIS, "run", str(folder / "plan.yaml"), "--force", "--quiet"])
    return cpu, perf_counter() - start
