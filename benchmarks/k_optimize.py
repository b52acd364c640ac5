"""k-Optimize on Adult (30,162 records): the cost reached in 30 seconds, and exact searches on coarser domains."""

from benchmarks.datasets import adult
from benchmarks.results import Results
from benchmarks.unit import cpu, wall
from krypsis import registry
from krypsis.algorithms.tables.k_optimize.k_optimize import KOptimize
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import CellRecoding, FrequencySet

SECONDS = 30
FULL_DOMAIN = "[full-domain optimum 7,220,555]"
"""The discernibility of the best full-domain generalization for k = 5, with any suppression allowed."""

KS = (2, 5, 10, 25, 100)


def measure(results: Results) -> None:
    frequency = adult()
    for k in KS:
        limited(results, KOptimize(seconds=SECONDS), frequency, k, FULL_DOMAIN if k == 5 else "")
    for k in KS:
        exact(results, KOptimize(level=1), frequency, k, FULL_DOMAIN if k == 5 else "")
    classes = adult("salary-class")
    limited(results, KOptimize(cost="classification", seconds=SECONDS), classes, 5)
    exact(results, KOptimize(cost="classification", level=1), classes, 5)


def limited(results: Results, finder: KOptimize, frequency: FrequencySet, k: int, peer: str = "") -> None:
    """Run until the time is over."""
    found: list[CellRecoding] = []
    seconds = wall(lambda: found.append(search(finder, frequency, k)), repeats=1)
    results.add(f"{finder.cost}, k={k}, all values, {SECONDS} s", seconds, "", peer, note(found[0]))


def exact(results: Results, finder: KOptimize, frequency: FrequencySet, k: int, peer: str = "") -> None:
    """Run to the end, in a warm process."""
    found = search(finder, frequency, k)
    seconds = cpu(lambda: search(finder, frequency, k), repeats=1)
    results.add(f"{finder.cost}, k={k}, level {finder.level}, exact", seconds, "", peer, note(found))


def search(finder: KOptimize, frequency: FrequencySet, k: int) -> CellRecoding:
    models = [registry.create("model", f"k-anonymity:k={k}")]
    return finder.search(frequency, models, registry.create("metric", finder.cost), Limits())


def note(recoding: CellRecoding) -> str:
    told = recoding.trace[0]
    return f"cost {told['cost']:,}, nothing below {told['lower_bound']:,}, {told['judged']:,} sets of cuts judged"
