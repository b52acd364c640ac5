"""Sub-trees or not: what releases of related sensitive values lose and cost, by e, by m and by records.

Adult with 50 sensitive values: two halves of five classes of occupation, each with five of education, in a pair and a
triple.
"""

from collections.abc import Iterable
from statistics import mean
from time import process_time

import numpy as np
import polars as pl

from benchmarks.curves import curves
from benchmarks.datasets import adult_folder
from benchmarks.results import FOLDER, Results
from krypsis.algorithms.histories.base import NEW, Past, Snapshot
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.penalties import Penalties, penalties_of
from krypsis.arrays import IntArray
from krypsis.data.hierarchies import HierarchySpec, resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.io.texts import distinct, encode
from krypsis.models.em_correlation import EMCorrelation

KNOWN = ("age", "sex", "race", "marital-status", "native-country", "workclass", "salary-class")
WAYS = ("sub-trees", "whole")
REPEATS = 5
COMMON = (2, 3, 4, 5, 6, 7)
"""Experiment 1: the fewest values below the lowest common ancestor, so e = 50/2 to 50/7, with m = 4."""
WIDTHS = (2, 3, 4, 5, 6)
"""Experiment 2: m, with e = 50/3."""
TIMES = (1, 2, 4)
"""How often the records are taken."""
CLASSES, BANDS = 10, 5

Case = tuple[float, EMCorrelation, Snapshot]


def measure(results: Results) -> None:
    once = snapshot(1)
    _run(once, EMCorrelation(e=25, m=4), WAYS[0], 0)  # compiles what is needed
    by_e = [(common, EMCorrelation(e=f"50/{common}", m=4), once) for common in COMMON]
    by_m = [(width, EMCorrelation(e="50/3", m=width), once) for width in WIDTHS]
    by_rows = [(len(taken), EMCorrelation(e="50/3", m=4), taken) for taken in map(snapshot, TIMES)]
    _sweep(results, "x of e = 50/x", by_e)
    _sweep(results, "m", by_m)
    _sweep(results, "records", by_rows)


def _sweep(results: Results, name: str, cases: Iterable[Case]) -> None:
    seconds: dict[str, dict[float, float]] = {way: {} for way in WAYS}
    losses: dict[str, dict[float, float]] = {way: {} for way in WAYS}
    for x, promise, table in cases:
        for way in WAYS:
            found = [_run(table, promise, way, seed) for seed in range(REPEATS)]
            seconds[way][x], losses[way][x] = min(time for time, _ in found), mean(one.mean for _, one in found)
            parts = [mean(float(one.sensitive.mean()) for _, one in found)]
            parts.append(mean(float(one.attributes.mean()) for _, one in found))
            note = f"penalty {losses[way][x]:.4f}: sensitive {parts[0]:.4f}, perimeter {parts[1]:.4f}"
            results.add(f"{name} {x}, {way}", seconds[way][x], note=note)
    file = FOLDER / f"correlation-by-{name.split(maxsplit=1)[0]}"
    curves(file.with_suffix(".seconds.svg"), f"CPU seconds by {name}", name, "seconds", seconds)
    curves(file.with_suffix(".penalty.svg"), f"mean penalty of a record by {name}", name, "penalty", losses)


def _run(table: Snapshot, promise: EMCorrelation, way: str, seed: int) -> tuple[float, Penalties]:
    method = Correlation(assignment=way)
    past = Past.none(len(KNOWN), CLASSES * BANDS)
    start = process_time()
    found = method.publication(table, past, [promise], np.random.default_rng(seed))
    return process_time() - start, penalties_of(table, found)


def snapshot(times: int) -> Snapshot:
    """Return all records as new ones, each taken so many times."""
    table = pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False)
    hierarchies = tuple(resolve(_hierarchy(name), distinct(table[name]), name) for name in KNOWN)
    codes = np.stack([encode(table[name], one, name) for name, one in zip(KNOWN, hierarchies, strict=True)], axis=1)
    values = np.tile(_classes(table["occupation"], CLASSES) * BANDS + _classes(table["education"], BANDS), times)
    return Snapshot(KNOWN, hierarchies, np.tile(codes, (times, 1)), "work", _tree(), values, np.full(len(values), NEW))


def _hierarchy(name: str) -> HierarchySpec:
    return None if name == "age" else adult_folder() / f"adult_hierarchy_{name}.csv"


def _classes(column: pl.Series, number: int) -> IntArray:
    """Return the values by frequency, the rarest ones as one class."""
    ranks = {value: rank for rank, value in enumerate(column.value_counts(sort=True)[column.name])}
    return np.asarray(np.minimum(column.replace_strict(ranks, return_dtype=pl.Int64).to_numpy(), number - 1))


def _tree() -> Hierarchy:
    leaves = [(one, band) for one in range(CLASSES) for band in range(BANDS)]
    # Two halves with classes of all sizes in both: a node is cut only if every child can stand by itself.
    rows = [[f"{a}.{b}", f"{a}.{'pair' if b < 2 else 'triple'}", f"{a}", f"half {a % 2}", "*"] for a, b in leaves]
    return Hierarchy.from_rows(rows)
