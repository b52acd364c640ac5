"""Incognito and Samarati on Adult (30,162 records, 9 quasi-identifiers, 12,960 nodes), in a warm process."""

from collections.abc import Mapping

from benchmarks.datasets import adult, made_up
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.samarati import Samarati
from krypsis.data.recoding import FrequencySet

OPTIONS: tuple[Mapping[str, bool], ...] = (
    {"super_roots": True, "cube": False},
    {"super_roots": False, "cube": False},
    {"super_roots": True, "cube": True},
    {"super_roots": False, "cube": True},
)
PROMISES = ("entropy-l-diversity:l=2", "recursive-l-diversity:c=4,l=3", "t-closeness:t=0.5")


def measure(results: Results) -> None:
    frequency = adult()
    for options in OPTIONS:
        words = ", ".join(f"{name}={value}" for name, value in options.items())
        seconds = search(Incognito(**options), frequency, ["k-anonymity:k=5"])
        results.add(f"incognito, k=5, 0%, {words}", seconds, "5 U" if options == OPTIONS[0] else "")
    for share in (0.02, 0.2):
        results.add(f"incognito, k=5, {share:.0%}", search(Incognito(), frequency, ["k-anonymity:k=5"], share))
    for promise in PROMISES:
        seconds = search(Incognito(), adult("occupation"), ["k-anonymity:k=5", promise])
        results.add(f"incognito, k=5, {promise}, 8 attributes, 0%", seconds)
    for share in (0.0, 0.02, 0.2):
        results.add(f"samarati, k=5, {share:.0%}", search(Samarati(), frequency, ["k-anonymity:k=5"], share))
    for attributes in (3, 5, 7, 9, 11):
        table = made_up(5000, attributes)
        results.add(f"incognito, k=5, 0%, {attributes} attributes", search(Incognito(), table, ["k-anonymity:k=5"]))


def search(finder: Algorithm, frequency: FrequencySet, promises: list[str], share: float = 0.0) -> float:
    models = [registry.create("model", promise) for promise in promises]
    loss, limits = registry.create("metric", "loss"), Limits(int(share * frequency.rows))
    finder.search(frequency, models, loss, limits)  # warm: the kernels are compiled
    return cpu(lambda: finder.search(frequency, models, loss, limits), repeats=3)
