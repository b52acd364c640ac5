"""How the cost of a search grows: with rows, with distinct tuples, with quasi-identifiers, with k."""

from dataclasses import replace

from benchmarks.datasets import adult, made_up
from benchmarks.results import Results
from benchmarks.search import search


def measure(results: Results) -> None:
    frequency = adult()
    for factor in (1, 10, 100):
        more = replace(frequency, counts=frequency.counts * factor)
        results.add(f"rows {more.rows:,}, same tuples", search(more, [f"k-anonymity:k={5 * factor}"], "loss", 0.02))
    for tuples in (10_000, 30_000, 100_000, 300_000):
        table = made_up(tuples, 6)
        results.add(f"distinct tuples {len(table.counts):,}", search(table, ["k-anonymity:k=5"], "loss", 0.02))
    for attributes in (3, 5, 7, 9):
        table = made_up(20_000, attributes)
        results.add(f"quasi-identifiers {attributes}", search(table, ["k-anonymity:k=5"], "loss", 0.02))
    for k in (2, 5, 10, 100, 1000):
        results.add(f"k {k}", search(frequency, [f"k-anonymity:k={k}"], "loss", 0.02))
