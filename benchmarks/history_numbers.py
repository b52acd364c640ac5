"""A table that changes with a number as sensitive attribute: the first release, a later one, few and many numbers."""

import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

import krypsis
from benchmarks.history import KNOWN, Phases, people
from benchmarks.results import Results

ROWS = 1_000_000
HIGHEST = 200_000
STEPS = (100, 1)
"""Salaries are rounded to so much: 2,000 or 200,000 different ones."""


def measure(results: Results) -> None:
    published(results, ROWS // 100, STEPS[0], told=False)  # compiles and loads what is needed
    for step in STEPS:
        published(results, ROWS, step)


def published(results: Results, rows: int, step: int, *, told: bool = True) -> None:
    """Publish a table, and again after a hundredth has left and as many have come."""
    first, later = salaries(0, rows, step), salaries(rows, rows // 100, step)
    with tempfile.TemporaryDirectory() as folder:
        history = krypsis.History.init(
            Path(folder, "history"),
            id="id",
            roles=dict.fromkeys(KNOWN, "quasi-identifier") | {"salary": "sensitive"},
            models=f"em-correlation:e=20,m=4,low=0,high={HIGHEST}",
        )
        for name, table in (("first", first), ("later", pl.concat([first[rows // 100 :], later]))):
            progress, start = Phases(), process_time()
            change = history.publish(table, progress=progress).change
            seconds = process_time() - start
            note = f"{change.groups} groups, {change.counterfeits} counterfeits; {progress.told()}"
            if told:
                results.add(f"{name} release of {rows} records, steps of {step}", seconds, note=note)


def salaries(first: int, rows: int, step: int) -> pl.DataFrame:
    """Return records with a skewed salary, numbered from ``first`` on."""
    drawn = np.random.default_rng(first + 5).gamma(3, 15_000, rows)
    rounded = np.minimum(drawn, HIGHEST).astype(np.int64) // step * step
    return people(first, rows).drop("disease").with_columns(salary=pl.Series(rounded))
