"""How the cost of a search grows: with rows, with distinct tuples, with quasi-identifiers, with k; and its memory."""

import sys
from dataclasses import replace

from benchmarks.datasets import adult, made_up
from benchmarks.results import Results
from benchmarks.search import search
from benchmarks.unit import child

MILLION = """
from benchmarks.datasets import made_up
from benchmarks.search import search
table = made_up(1_300_000, 9)
print(len(table.counts))
search(table, ["k-anonymity:k=5"], "loss", 0.02, "optimal:nodes=40", repeats=1)
"""


def measure(results: Results) -> None:
    frequency = adult()
    for factor in (1, 2, 10, 100):
        more = replace(frequency, counts=frequency.counts * factor)
        results.add(f"rows {more.rows:,}, same tuples", search(more, [f"k-anonymity:k={5 * factor}"], "loss", 0.02))
    for tuples in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000):
        table = made_up(tuples, 6)
        seconds = search(table, ["k-anonymity:k=5"], "loss", 0.02, repeats=1)
        results.add(f"rows {tuples:,}, distinct tuples {len(table.counts):,}", seconds)
    for attributes in (3, 5, 7, 9, 11, 13, 15):
        table = made_up(20_000, attributes)
        limited = "optimal" if attributes <= 9 else "optimal:nodes=5000"
        seconds = search(table, ["k-anonymity:k=5"], "loss", 0.02, limited, repeats=1)
        results.add(f"quasi-identifiers {attributes}, {limited}", seconds)
    for k in (2, 5, 10, 100, 1000):
        results.add(f"k {k}", search(frequency, [f"k-anonymity:k={k}"], "loss", 0.02))
    seconds, peak = child([sys.executable, "-c", MILLION])
    results.add("a million distinct tuples, 40 nodes", seconds, "< 2 GB", note=f"peak {peak:.0f} MB")
