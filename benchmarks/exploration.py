"""All nodes of a lattice with their figures, on Adult (30,162 records, 9 quasi-identifiers, 12,960 nodes)."""

from benchmarks.datasets import adult
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.data.recoding import FrequencySet
from krypsis.kinds.table.exploration.explore import judge_all
from krypsis.progress import NO_PROGRESS


def measure(results: Results) -> None:
    results.add("k=5, loss, every node", explore(adult(), ["k-anonymity:k=5"], ["loss"]))
    results.add("k=5, three metrics, every node", explore(adult(), ["k-anonymity:k=5"], ["loss", "dm", "ncp"]))
    promises = ["k-anonymity:k=5", "t-closeness:t=0.2"]
    results.add("k=5, t=0.2, loss, every node", explore(adult("occupation"), promises, ["loss"]))


def explore(frequency: FrequencySet, promises: list[str], metrics: list[str]) -> float:
    judge = Judge(frequency, [registry.create("model", promise) for promise in promises])
    chosen = {name: registry.create("metric", name) for name in metrics}
    limits = Limits(frequency.rows // 50)
    return cpu(lambda: judge_all(judge, Lattice.of(frequency, limits), chosen, limits, NO_PROGRESS), 1)
