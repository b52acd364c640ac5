"""Perturbation: how the cost of MDAV grows with records, columns and k, and what the other methods cost."""

from functools import partial

import numpy as np

from benchmarks.plot import exponent, plot_curves
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu, wall
from krypsis import registry
from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.microaggregation import BLOCK, Microaggregation
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
EXACT = ROWS[:4]


def measure(results: Results) -> None:
    run(Microaggregation(k=3, block=16), normal(100, 4))  # compiled before it is measured
    curves = {"in blocks": growth(results, BLOCK, ROWS), "block=none": growth(results, None, EXACT)}
    plot_curves(FOLDER / "perturbation-mdav-rows.svg", "MDAV, 4 columns, k=3: seconds by records", "records", curves)
    for shape in ("normal", "uniform", "lognormal", "rounded"):
        quality(results, shape)
    million = normal(1_000_000, 4)
    for threads in (1, 2):
        seconds = wall(lambda threads=threads: run(Microaggregation(k=3, threads=threads), million), 1)
        results.add(f"MDAV, 1,000,000 × 4, k=3, elapsed on {threads} threads", seconds)
    for k in (5, 10, 50):
        results.add(f"MDAV, 100,000 × 4, k={k}", mdav(normal(100_000, 4), k))
    for width in (1, 2, 8):
        results.add(f"MDAV, 100,000 × {width}, k=3", mdav(normal(100_000, width), 3))
    results.add("MDAV, 100,000 × 4 of 20 values each, k=3", mdav(rounded(100_000, 4), 3))
    for name, cls in registry.classes("algorithm").items():
        if issubclass(cls, Perturbation) and cls is not Microaggregation:
            columns = coded(1_000_000) if cls.works_on == "categories" else normal(1_000_000, 4)
            results.add(f"{name}, 1,000,000 × 4", cpu(lambda cls=cls, columns=columns: run(cls(), columns), 3))


def growth(results: Results, block: int | None, sizes: tuple[int, ...]) -> dict[float, float]:
    points: dict[float, float] = {}
    for rows in sizes:
        columns = normal(rows, 4)
        points[rows] = cpu(lambda columns=columns: run(Microaggregation(k=3, block=block), columns), 1)
        target = "80 U" if rows == 100_000 else ""
        results.add(f"MDAV, {rows:,} × 4, k=3, block={block}", points[rows], target)
    results.add(f"MDAV, block={block}: growth", 0.0, "1.1", note=f"n to the power of {exponent(points):.2f}")
    return points


def quality(results: Results, shape: str, rows: int = 200_000) -> None:
    """Compare what is lost in blocks of several sizes with what is lost without."""
    columns = {str(place): NumericColumn(str(place), values) for place, values in enumerate(drawn(shape, rows))}
    least = lost(columns, None)
    for block in (4096, BLOCK):
        more = lost(columns, block) / least - 1
        results.add(f"MDAV, {rows:,} × 4 {shape}, block={block}", 0.0, note=f"loss {more:+.2%}")


def lost(columns: dict[str, NumericColumn], block: int | None) -> float:
    """Return the squared distances of what is published from what was, in variances."""
    after = Microaggregation(k=5, block=block).perturb(columns, np.random.default_rng())
    return sum(
        float(((after[name].values - column.values) ** 2).mean() / column.values.var())
        for name, column in columns.items()
    )


def drawn(shape: str, rows: int) -> np.ndarray:
    draw = np.random.default_rng(rows)
    if shape == "rounded":  # as ages, years of school, hours of work, and a gain that most do not have
        gain = np.where(draw.random(rows) < 0.08, draw.lognormal(8.5, 1.2, rows), 0)
        return np.stack([draw.gamma(6, 6.5, rows), draw.normal(10, 2.6, rows), draw.normal(40, 12, rows), gain]).round()
    return {"normal": draw.standard_normal, "uniform": draw.random, "lognormal": partial(draw.lognormal, 8, 1.5)}[
        shape
    ](size=(4, rows))


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
