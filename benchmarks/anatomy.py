"""A million records in groups: anatomize and permutation alone and as whole calls, and how their cost grows."""

from functools import partial

import numpy as np
import polars as pl

import krypsis
from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu
from krypsis import registry
from krypsis.data.hierarchies import resolve
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility import query_error

ROWS = 1_000_000
KNOWN = {"age": 90, "zip": 5000, "sex": 2, "job": 50}
"""The quasi-identifiers, with the number of their values."""
TASKS = {
    "anatomize": ("disease", "frequency-l-diversity:l=10"),
    "permutation": ("pay", "ke-anonymity:k=5,e=100"),
}


def measure(results: Results) -> None:
    points: dict[str, dict[float, float]] = {name: {} for name in TASKS}
    for rows in (ROWS // 10, ROWS // 4, ROWS // 2, ROWS):
        for name, (hidden, promise) in TASKS.items():
            frequency, models = counted(rows, hidden), [registry.create("model", promise)]
            method = registry.create("algorithm", name)
            search = partial(method.group, frequency, models)
            target = "5 U" if name == "anatomize" and rows == ROWS else ""
            points[name][rows] = cpu(lambda run=search: run(np.random.default_rng(1)))
            results.add(f"{name} alone, {rows} records", points[name][rows], target)
    for name, found in points.items():
        plot(FOLDER / f"anatomy-{name}.svg", f"{name}: seconds by records", "records", found)
    table = people(ROWS)
    for name, (hidden, promise) in TASKS.items():
        options = {"models": promise, "algorithm": name}
        whole = partial(krypsis.anonymize, table, roles_of(hidden), **options)
        results.add(f"krypsis.anonymize with {name}, {ROWS} records", cpu(whole, repeats=3))
    sample = people(50_000)
    for name, (hidden, promise) in TASKS.items():
        release = krypsis.anonymize(sample, roles_of(hidden), models=promise, algorithm=name)
        seconds = cpu(partial(query_error, sample, release, number=50), repeats=1)
        error = query_error(sample, release, number=50)
        results.add(f"50 queries on 50000 records by {name}", seconds, note=f"mean relative error {error.mean:.3f}")


def people(rows: int) -> pl.DataFrame:
    """Return a table with a skewed disease of 50 values and a pay of tens of thousands of values."""
    draw = np.random.default_rng(1)
    diseases = np.minimum(draw.geometric(0.08, rows), 50)
    return pl.DataFrame(
        {
            **{name: draw.integers(0, top, rows) for name, top in KNOWN.items()},
            "disease": pl.Series(diseases).cast(pl.String),
            "pay": np.round(draw.lognormal(8, 1, rows), 1),
        }
    )


def roles_of(hidden: str) -> dict[str, str]:
    return dict.fromkeys(KNOWN, "quasi-identifier") | {hidden: "sensitive"}


def counted(rows: int, hidden: str) -> FrequencySet:
    engine, schema = Dataset.of(people(rows)).engine, Schema.of(roles_of(hidden))
    trees = {name: resolve(None, engine.distinct(name), name) for name in schema.quasi_identifiers}
    return engine.count_tuples(schema, trees, "record").frequency
