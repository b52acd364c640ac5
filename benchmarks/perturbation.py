"""Perturbation: how the cost of MDAV grows with records, columns and k, and what the other methods cost."""

import numpy as np

from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.algorithms.base import Perturbation
from krypsis.algorithms.perturbation.microaggregation import Microaggregation
from krypsis.columns import AnyColumn, CategoryColumn, NumericColumn

ROWS = (10_000, 30_000, 100_000, 300_000)


def measure(results: Results) -> None:
    Microaggregation(k=3).perturb(normal(100, 4), np.random.default_rng())  # compiled before it is measured
    points = {rows: mdav(normal(rows, 4), 3) for rows in ROWS}
    for rows, seconds in points.items():
        results.add(f"MDAV, {rows:,} × 4, k=3", seconds, "80 U" if rows == 100_000 else "")
    plot(FOLDER / "perturbation-mdav-rows.svg", "MDAV, 4 columns, k=3: seconds by records", "records", points)
    for k in (5, 10, 50):
        results.add(f"MDAV, 100,000 × 4, k={k}", mdav(normal(100_000, 4), k))
    for width in (1, 2, 8):
        results.add(f"MDAV, 100,000 × {width}, k=3", mdav(normal(100_000, width), 3))
    results.add("MDAV, 100,000 × 4 of 20 values each, k=3", mdav(rounded(100_000, 4), 3))
    for name, cls in registry.classes("algorithm").items():
        if issubclass(cls, Perturbation) and cls is not Microaggregation:
            columns = coded(1_000_000) if cls.works_on == "categories" else normal(1_000_000, 4)
            results.add(f"{name}, 1,000,000 × 4", cpu(lambda cls=cls, columns=columns: run(cls(), columns), 3))


def mdav(columns: dict[str, AnyColumn], k: int) -> float:
    return cpu(lambda: run(Microaggregation(k=k), columns), 1)


def run(method: Perturbation, columns: dict[str, AnyColumn]) -> None:
    method.perturb(columns, np.random.default_rng(1))


def normal(rows: int, width: int) -> dict[str, AnyColumn]:
    values = np.random.default_rng(rows).standard_normal((width, rows))
    return {str(place): NumericColumn(str(place), column) for place, column in enumerate(values)}


def rounded(rows: int, width: int) -> dict[str, AnyColumn]:
    values = np.random.default_rng(rows).integers(0, 20, (width, rows)).astype(float)
    return {str(place): NumericColumn(str(place), column) for place, column in enumerate(values)}


def coded(rows: int) -> dict[str, AnyColumn]:
    labels = tuple(map(str, range(50)))
    codes = np.random.default_rng(rows).integers(0, 50, (4, rows)).astype(np.int32)
    return {str(place): CategoryColumn(str(place), column, labels) for place, column in enumerate(codes)}
