"""Promises about a population and about all groups together: searches on Adult, and checking with a million people."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import krypsis
from benchmarks.datasets import ADULT, adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.release.release import Release

OF_A_TENTH = ("k-map:k=5", "delta-presence:delta_max=0.2", "delta-presence:delta_min=0.05,delta_max=0.15")
"""A tenth of Adult, the whole of it being the population."""
OF_ALL = (
    "average-risk:threshold=0.01",
    "sample-uniqueness:threshold=0.01",
    "population-uniqueness:threshold=0.0001,people=317238626,estimator=zayatz",
    "population-uniqueness:threshold=0.0001,people=317238626,estimator=pitman",
)
PEOPLE = 1_000_000


def measure(results: Results) -> None:
    folder = adult_folder()
    for promises, table in ((OF_A_TENTH, "adult_subset.csv"), (OF_ALL, "adult.csv")):
        for promise in promises:
            release = release_of(folder, table, promise)  # warm: the kernels are compiled
            seconds = cpu(partial(release_of, folder, table, promise), 1)
            results.add(
                f"{promise}, {table}", seconds, note=f"loss {release.score:.4f}, {release.suppressed} suppressed"
            )
    people, published = town()
    for promise in ("k-map:k=2", "delta-presence:delta_max=0.9"):
        seconds = cpu(partial(check, published, people, promise), 1)
        results.add(f"check {promise}, {PEOPLE:,} people", seconds, note=f"{published.height:,} records")


def release_of(folder: Path, table: str, promise: str) -> Release:
    return krypsis.anonymize(
        folder / table,
        dict.fromkeys(ADULT, "quasi-identifier"),
        hierarchies={name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT},
        models=promise,
        algorithm="optimal",
        suppression=0.04,
        population=folder / "adult.csv",
    )


def town() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return people, nearly all different, and what is published of a fifth of them."""
    draw = np.random.default_rng(1)
    people = pl.DataFrame(
        {name: draw.integers(0, values, PEOPLE) for name, values in zip("abc", (1000, 100, 20), strict=True)}
    )
    low = pl.col("a") // 5 * 5
    interval = pl.format("[{}-{})", low, low + 5).alias("a")
    return people, people.sample(fraction=0.2, seed=1).with_columns(interval)


def check(published: pl.DataFrame, people: pl.DataFrame, promise: str) -> None:
    krypsis.check(published, [promise], quasi_identifiers=list("abc"), population=people)
