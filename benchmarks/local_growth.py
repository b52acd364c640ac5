"""How the cost of local recoding, bucketization and perturbation grows with records: all in one picture."""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.anatomy import TASKS, counted
from benchmarks.datasets import generated
from benchmarks.mondrian import by_record
from benchmarks.perturbation import normal
from benchmarks.plot import exponent, plot_curves
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
ENOUGH = 12.0
"""Seconds after which no larger table is tried."""
PROMISES = {"kk-anonymizer": "kk-anonymity:k=5"} | {name: promise for name, (_, promise) in TASKS.items()}
NAMES = (
    "mondrian", "mondrian-relaxed", "bottom-up", "top-down", "clustering", "kk-anonymizer", "anatomize", "permutation",
    "microaggregation",
)  # fmt: skip
SORTING = "numpy.argsort"
"""What is known to grow as n log n, on the machine that measures."""


def measure(results: Results) -> None:
    curves = {name: _curve(results, name) for name in (SORTING, *NAMES)}
    for name, points in curves.items():
        target = f"n log n: {exponent(curves[SORTING]):.2f}"
        results.add(f"{name}: growth", 0.0, target, note=f"n to the power of {exponent(points):.2f}")
    plot_curves(FOLDER / "local-growth.svg", "seconds by records", "records", curves)


def _curve(results: Results, name: str) -> dict[float, float]:
    _run(name, 1000)()  # compiled before it is measured
    points: dict[float, float] = {}
    for rows in ROWS:
        points[rows] = cpu(_run(name, rows), 1 if rows > 100_000 else 3)
        results.add(f"{name}, {rows:,} records", points[rows])
        if points[rows] > ENOUGH:
            break
    return points


def _run(name: str, rows: int) -> Callable[[], object]:
    """Return the work of an algorithm on a table that is made by now."""
    if name == SORTING:
        return partial(np.argsort, np.random.default_rng(1).standard_normal(rows))
    method = registry.create("algorithm", name)
    if name == "microaggregation":
        return partial(method.perturb, normal(rows, 4), np.random.default_rng(1))
    models = [registry.create("model", PROMISES.get(name, "k-anonymity:k=5"))]
    if name in TASKS:
        return partial(method.group, counted(rows, TASKS[name][0]), models, np.random.default_rng(1))
    table = generated(rows) if name == "mondrian" else by_record(generated(rows))
    return partial(method.search, table, models, registry.create("metric", "loss"), Limits())
