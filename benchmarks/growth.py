"""How the cost of a search grows: with rows, with distinct tuples, with quasi-identifiers, with k; and its memory."""

import sys
from dataclasses import replace

from benchmarks.datasets import adult, made_up
from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from benchmarks.search import search
from benchmarks.unit import child

MILLION = """
from benchmarks.datasets import made_up
from benchmarks.search import search
table = made_up(1_300_000, 9)
print(len(table.counts))
search(table, ["k-anonymity:k=5"], "loss", 0.02, "optimal:nodes=400", repeats=1)
"""


def measure(results: Results) -> None:
    rows = {factor * adult().rows: _same_tuples(factor) for factor in (1, 2, 10, 100)}
    _show(results, "rows, same tuples", rows)
    tables = {rows: made_up(rows, 6) for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)}
    fresh = {rows: search(table, ["k-anonymity:k=5"], "loss", 0.02, repeats=1) for rows, table in tables.items()}
    _show(results, "rows, fresh tuples", fresh)
    _show(
        results,
        "quasi-identifiers, at most 5000 nodes",
        {count: _attributes(count) for count in (3, 5, 7, 9, 11, 13, 15)},
    )
    _show(results, "k", {k: search(adult(), [f"k-anonymity:k={k}"], "loss", 0.02) for k in (2, 5, 10, 100, 1000)})
    seconds, peak = child([sys.executable, "-c", MILLION])
    results.add("a million distinct tuples, 400 nodes", seconds, "< 2 GB", note=f"peak {peak:.0f} MB")


def _same_tuples(factor: int) -> float:
    more = replace(adult(), counts=adult().counts * factor)
    return search(more, [f"k-anonymity:k={5 * factor}"], "loss", 0.02)


def _attributes(count: int) -> float:
    return search(made_up(20_000, count), ["k-anonymity:k=5"], "loss", 0.02, "optimal:nodes=5000", repeats=1)


def _show(results: Results, name: str, points: dict[int, float]) -> None:
    for x, seconds in points.items():
        results.add(f"{name}: {x:,}", seconds)
    file = FOLDER / f"growth-{name.replace(',', '').replace(' ', '-')}.svg"
    plot(file, f"optimal: seconds by {name}", name, points)
