"""Promises about links on Adult (30,162 records, 9 attributes, k = 5): loss with and without groups, and checking."""

from functools import partial
from pathlib import Path

import krypsis
from benchmarks.datasets import ADULT, adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.checker.evidence import Original
from krypsis.checker.linkage import Linkage
from krypsis.metrics.loss import Loss
from krypsis.release.release import Release

CASES = (
    ("kk-anonymizer:publish=hierarchy", "kk-anonymity:k=5"),
    ("mondrian:publish=hierarchy", "k-anonymity:k=5"),
    ("kk-anonymizer", "kk-anonymity:k=5"),
    ("mondrian", "k-anonymity:k=5"),
    ("optimal", "k-anonymity:k=5"),
)


def measure(results: Results) -> None:
    folder = adult_folder()
    made: dict[str, Release] = {}
    for algorithm, promise in CASES:
        made[algorithm] = release_of(folder, algorithm, promise)  # warm: the kernels are compiled
        seconds = cpu(partial(release_of, folder, algorithm, promise), 1)
        results.add(f"{algorithm}, {promise}", seconds, note=f"mean loss {mean_loss(made[algorithm]):.4f}")
    measure_check(results, made[CASES[0][0]])


def measure_check(results: Results, release: Release) -> None:
    """Measure what it costs to compare a release with its original."""
    assert release.evidence is not None
    original: Original = release.evidence.original
    found: list[Linkage] = []
    seconds = cpu(lambda: found.extend(original.links_to(release.table, [ADULT])), 1)
    seconds += cpu(lambda: found[0].of_originals, 1)
    results.add("check kk-anonymity", seconds, note=f"fewest links {found[0].of_originals.min()}")
    seconds = cpu(lambda: found[0].matches_of_originals, 1)
    few = int((found[0].matches_of_originals < 5).sum())
    results.add("check global-1k-anonymity", seconds, note=f"{few} different tuples have fewer than 5 matches")


def release_of(folder: Path, algorithm: str, promise: str) -> Release:
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT}
    roles = dict.fromkeys(ADULT, "quasi-identifier")
    return krypsis.anonymize(folder / "adult.csv", roles, hierarchies=trees, models=promise, algorithm=algorithm)


def mean_loss(release: Release) -> float:
    """Return the mean over all cells, as other tools report it; the metric itself is a geometric mean."""
    assert release.evidence is not None
    return float(release.evidence.outcome.mean_penalties(Loss.penalty).mean())
