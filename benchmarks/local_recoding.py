"""Local recoding by forming groups: loss on Adult, growth with rows, and how far from the optimum."""

from statistics import mean

import numpy as np
import polars as pl

from benchmarks.datasets import ADULT, adult_folder, resampled_adult
from benchmarks.mondrian import adult_with_order, optimum
from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.hierarchies import resolve
from krypsis.data.recoding import CellRecoding, FrequencySet, outcome_of
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset

NAMES = ("bottom-up", "top-down", "clustering")
ROWS = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
EXACT = (2_500, 5_000, 10_000)
K = 5


def measure(results: Results) -> None:
    _quality(results)
    _rounds(results)
    _ratio(results)
    for name in NAMES:
        _growth(results, name, ROWS)
    _growth(results, "bottom-up:block=none", EXACT)


def search(frequency: FrequencySet, spec: str, metric: str, k: int = K) -> CellRecoding:
    finder = registry.create("algorithm", spec)
    models = [registry.create("model", f"k-anonymity:k={k}")]
    found: CellRecoding = finder.search(frequency, models, registry.create("metric", metric), Limits())
    return found


def records(table: pl.DataFrame, *, with_hierarchies: bool) -> FrequencySet:
    """Return every record of a table as a tuple of its own, all columns quasi-identifiers."""
    engine = Dataset.of(table).engine
    files = {
        name: adult_folder() / f"adult_hierarchy_{name}.csv" if with_hierarchies else None for name in table.columns
    }
    trees = {name: resolve(file, engine.distinct(name), name) for name, file in files.items()}
    return engine.count_tuples(Schema.of(dict.fromkeys(table.columns, "quasi-identifier")), trees, "record").frequency


def nine() -> FrequencySet:
    """Return all nine attributes of Adult with their hierarchies."""
    table = pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False)
    return records(table.select(ADULT), with_hierarchies=True)


def _loss(frequency: FrequencySet, recoding: CellRecoding) -> float:
    return float(registry.create("metric", "generalized-loss").compute(outcome_of(recoding, frequency)))


def _quality(results: Results) -> None:
    """Adult, k = 5, nothing suppressed: nine attributes as nodes of hierarchies, eight ordered ones as ranges."""
    cases = (
        ("9 by hierarchy", nine(), "hierarchy", "loss", "0.15 in 30 U", "[local recoding of ARX 0.1804, 200 U]"),
        (
            "8 ordered",
            records(adult_with_order(), with_hierarchies=False),
            "ranges",
            "generalized-loss",
            "6 %",
            "[best Python Mondrian 7.22 %]",
        ),
    )
    for label, frequency, publish, metric, target, peer in cases:
        for name in (*NAMES, "top-down:assign=box", "clustering:rounds=0"):
            spec = f"{name}{',' if ':' in name else ':'}publish={publish}"
            found = search(frequency, spec, metric)
            seconds = cpu(lambda frequency=frequency, spec=spec, metric=metric: search(frequency, spec, metric), 1)
            note = f"loss {_loss(frequency, found):.4f}, {found.trace[0]['groups']:,} groups"
            best = name == "clustering"
            results.add(f"Adult, {label}, {name}", seconds, target if best else "", peer if best else "", note)


def _rounds(results: Results) -> None:
    """Show what more rounds bring."""
    frequency = nine()
    for rounds in (1, 2, 5, 10):
        spec = f"clustering:publish=hierarchy,rounds={rounds}"
        found: list[CellRecoding] = []
        seconds = cpu(lambda spec=spec, found=found: found.append(search(frequency, spec, "loss")), 1)
        results.add(f"Adult, 9 by hierarchy, {rounds} rounds", seconds, note=f"loss {_loss(frequency, found[0]):.4f}")


def _ratio(results: Results, tables: int = 200, rows: int = 8) -> None:
    """Compare the loss on tiny tables with the best of all partitions."""
    draw = np.random.default_rng(1)
    points = [draw.integers(0, 10, (rows, 2)) for _ in range(tables)]
    best = [optimum(table, 2) for table in points]
    frequencies = [records(pl.DataFrame(table, schema=["a", "b"]), with_hierarchies=False) for table in points]
    for name in (*NAMES, "top-down:assign=box"):
        losses = [_loss(table, search(table, name, "generalized-loss", 2)) for table in frequencies]
        ratios = [loss / least for loss, least in zip(losses, best, strict=True) if least > 0]
        note = f"loss / optimum: mean {mean(ratios):.3f}, worst {max(ratios):.3f}"
        results.add(f"{tables} tables of {rows} rows, k=2, {name}", 0.0, note=note)


def _growth(results: Results, spec: str, sizes: tuple[int, ...]) -> None:
    points: dict[float, float] = {}
    for rows in sizes:
        frequency = records(resampled_adult(rows).select(ADULT), with_hierarchies=True)
        points[rows] = cpu(lambda frequency=frequency: search(frequency, spec, "loss"), 1)
        results.add(f"{spec}, {rows:,} rows", points[rows])
    name = spec.replace(":", "-").replace("=", "-")
    plot(FOLDER / f"local-recoding-{name}.svg", f"{spec}, k = {K}: seconds by rows", "rows", points)
