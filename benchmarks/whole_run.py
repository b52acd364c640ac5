"""The whole command ``krypsis run`` on Adult, from a cold process to files on disk."""

import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.datasets import adult_folder, adult_plan
from benchmarks.results import Results
from benchmarks.unit import REPEATS, child, wall

KRYPSIS = [sys.executable, "-m", "krypsis.cli.main"]


def measure(results: Results) -> None:
    results.add("krypsis --help, elapsed", wall(lambda: child([*KRYPSIS, "--help"])), "0.3 s")
    with tempfile.TemporaryDirectory() as folder:
        plan, data, release = Path(folder, "plan.yaml"), adult_folder() / "adult.csv", Path(folder, "release")
        for suppression, target, peer in (("0%", "15 U", "[ARX 44 U]"), ("2%", "", ""), ("100%", "", "")):
            plan.write_text(adult_plan(str(data), str(release), suppression), encoding="utf-8")
            words = [*KRYPSIS, "run", str(plan), "--force", "--quiet"]
            command(results, f"{suppression} suppression, no report", [*words, "--no-report"], target, peer)
        plan.write_text(adult_plan(str(data), str(release), "0%"), encoding="utf-8")
        command(results, "0% suppression, with report", [*words, "--report"], "30 U")


def command(results: Results, case: str, words: list[str], target: str = "", peer: str = "") -> None:
    child(words)  # the first run compiles the kernels and fills the file cache
    runs = [child(words) for _ in range(REPEATS)]
    results.add(case, median(cpu for cpu, _ in runs), target, peer, f"peak {max(peak for _, peak in runs):.0f} MB")
