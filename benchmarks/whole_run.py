"""The whole command ``krypsis run`` on Adult, from a cold process to files on disk."""

import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.datasets import adult_folder, adult_plan
from benchmarks.results import Results
from benchmarks.unit import REPEATS, child_cpu

KRYPSIS = [sys.executable, "-m", "krypsis.cli.main"]


def measure(results: Results) -> None:
    results.add("krypsis --help", command(["--help"]), "0.3 s")
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.yaml")
        plan.write_text(adult_plan(str(adult_folder() / "adult.csv"), str(Path(folder, "release"))), encoding="utf-8")
        words = ["run", str(plan), "--force", "--quiet"]
        results.add("krypsis run, no report", command([*words, "--no-report"]), "15 U", "[ARX 44 U]")
        results.add("krypsis run, with report", command([*words, "--report"]), "30 U")


def command(words: list[str]) -> float:
    child_cpu([*KRYPSIS, *words])  # the first run compiles the kernels and fills the file cache
    return median(child_cpu([*KRYPSIS, *words]) for _ in range(REPEATS))
