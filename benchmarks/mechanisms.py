"""Mechanisms: what exact noise costs by the number of combinations, and an audit by the number of records."""

from fractions import Fraction

import numpy as np
import polars as pl

import krypsis
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.algorithms.tables.mechanisms.noise import RandomSource, gaussian_for, laplace_for

DRAWS = 100_000


def measure(results: Results) -> None:
    source = RandomSource()
    noises = {"Laplace": laplace_for(Fraction(1, 10), 1), "Gaussian": gaussian_for(Fraction(1), Fraction(1, 10**6), 1)}
    for name, noise in noises.items():
        results.add(
            f"{DRAWS} draws, discrete {name}", cpu(lambda noise=noise: [noise.draw(source) for _ in range(DRAWS)], 2)
        )
    for values in (100, 300):
        results.add(
            f"dp-histogram, {(values + 1) ** 2} combinations, 100,000 records",
            cpu(lambda values=values: histogram(values), 2),
        )
    for rows in (10_000, 100_000):
        results.add(f"recursive-histogram, {rows} records, 3 columns", cpu(lambda rows=rows: boxes(rows), 1))


def histogram(values: int) -> krypsis.Release:
    """Release the counts of two columns with so many values each."""
    draw = np.random.default_rng(1)
    table = pl.DataFrame({name: draw.integers(0, values, 100_000).astype(str) for name in "ab"})
    declared = {"*": [str(number) for number in range(values)]}
    return krypsis.anonymize(
        table,
        dict.fromkeys("ab", "QI"),
        hierarchies=dict.fromkeys("ab", declared),
        models="differential-privacy:epsilon=1",
    )


def boxes(rows: int) -> krypsis.Release:
    """Release boxes of numbers, with the audit that their promise needs."""
    draw = np.random.default_rng(1)
    table = pl.DataFrame({name: draw.normal(50, 10, rows).round(1) for name in "abc"})
    return krypsis.anonymize(table, dict.fromkeys("abc", "QI"), models="ct-isolation:c=2,t=5")
