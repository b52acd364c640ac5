"""The optimal search alone, on Adult (30,162 records, 9 quasi-identifiers, 12,960 nodes), in a warm process."""

from dataclasses import replace

from benchmarks.datasets import adult
from benchmarks.results import Results
from benchmarks.unit import REPEATS, cpu
from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import FrequencySet
from krypsis.metrics.base import Metric

CASES = (
    # metric, suppression, target in U, ARX 3.9.2 on the same scale
    ("loss", 0.0, "0.2 U", "[ARX 0.32 U]"),
    ("loss", 0.02, "1 U", "[ARX 10 U]"),
    ("loss", 1.0, "3 U", "[ARX 39 U]"),
    ("discernibility", 1.0, "3 U", "[ARX 43 U]"),
    ("non-uniform-entropy", 1.0, "3 U", "[ARX 56 U]"),
    ("kl-divergence", 1.0, "15 U", "[ARX 330 U]"),
)
HAS_ITS_OWN = {"fixed", "k-optimize", "mu-argus", "mu-argus-improved"}
"""Algorithms that search nothing, or are measured elsewhere."""

WITHIN_TWICE = ("recursive-l-diversity:c=4,l=3", "t-closeness:t=0.2")
PROMISES = ("distinct-l-diversity:l=3", "entropy-l-diversity:l=3", *WITHIN_TWICE)


def measure(results: Results) -> None:
    frequency = adult()
    for metric, share, target, peer in CASES:
        seconds = search(frequency, ["k-anonymity:k=5"], metric, share)
        results.add(f"k=5, {metric}, {share:.0%} suppression", seconds, target, peer)
    for metric, cls in registry.classes("metric").items():
        if not (issubclass(cls, Metric) and cls().applies_to(frequency)):
            continue
        results.add(f"k=5, {metric}, 2% suppression", search(frequency, ["k-anonymity:k=5"], metric, 0.02))
    measure_promises(results)
    for name, cls in registry.classes("algorithm").items():
        # those that search the lattice of one table
        if name not in HAS_ITS_OWN and cls.scheme == "AG_TS" and issubclass(cls, Algorithm):
            seconds = search(frequency, ["k-anonymity:k=5"], "loss", 0.02, name)
            results.add(f"{name}, k=5, loss, 2% suppression", seconds)


def measure_promises(results: Results) -> None:
    """Measure what a promise about occupations costs on top of k-anonymity, on the same 8 quasi-identifiers."""
    frequency = adult("occupation")
    alone = replace(frequency, sensitive={})
    for share in (0.02, 1.0):
        least = search(alone, ["k-anonymity:k=5"], "loss", share)
        results.add(f"k=5 on 8 attributes, {share:.0%} suppression", least)
        for promise in PROMISES:
            seconds = search(frequency, ["k-anonymity:k=5", promise], "loss", share)
            target = "2 × k only" if promise in WITHIN_TWICE else ""
            results.add(f"k=5, {promise}, {share:.0%} suppression", seconds, target, note=f"{seconds / least:.2f} ×")


def search(
    frequency: FrequencySet,
    promises: list[str],
    metric: str,
    share: float,
    algorithm: str = "optimal",
    repeats: int = REPEATS,
) -> float:
    models = [registry.create("model", promise) for promise in promises]
    objective = registry.create("metric", metric)
    finder = registry.create("algorithm", algorithm)
    limits = Limits(int(share * frequency.rows))
    if repeats > 1:
        finder.search(frequency, models, objective, limits)  # warm: the kernels are compiled
    return cpu(lambda: finder.search(frequency, models, objective, limits), repeats)
