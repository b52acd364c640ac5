"""Personalized privacy by groups alone and with generalized sensitive values: cost, and what is lost."""

from functools import partial

import numpy as np
import polars as pl

import krypsis
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.errors import Infeasible

TREE = {"any": {f"branch {one}": [f"value {one}.{two}" for two in range(10)] for one in range(10)}}
ROLES = {
    **dict.fromkeys(("age", "zip", "sex"), "quasi-identifier"),
    "disease": "sensitive",
    "guard": "identifier",
}


def measure(results: Results) -> None:
    for rows in (100_000, 250_000, 500_000, 1_000_000):
        table = patients(rows)
        for algorithm in ("mondrian", "sa-generalization"):
            for p in (0.6, 0.3):
                options = {"models": f"personalized-privacy:p={p},guarding=guard", "algorithm": algorithm}
                run = partial(krypsis.anonymize, table, ROLES, hierarchies={"disease": TREE}, **options)
                found: list[str] = []
                seconds = cpu(lambda run=run, found=found: found.append(attempt(run)), repeats=1)
                results.add(f"{algorithm}, p={p}, {rows} records", seconds, note=found[0])


def attempt(run: partial[krypsis.Release]) -> str:
    """Return what is lost, or that it cannot be."""
    try:
        release = run()
    except Infeasible:
        return "infeasible"
    groups = release.table.select("age", "zip", "sex").n_unique()
    return f"loss {release.score:.4f} in {groups} groups; {release.guarantee.partition(' are')[0]}"


def patients(rows: int) -> pl.DataFrame:
    """Return patients with a skewed disease of 100 values, one in ten of whom guards a branch or a value."""
    draw = np.random.default_rng(1)
    branches = list(TREE["any"])
    values = [value for branch in TREE["any"].values() for value in branch]
    shares = 1 / np.arange(1, 101)
    nodes = pl.Series([None, *branches, *values], dtype=pl.String)
    wishes = np.array([0.9, *[0.005] * 10, *[0.0005] * 100])
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, rows),
            "zip": draw.integers(0, 1000, rows),
            "sex": draw.integers(0, 2, rows),
            "disease": draw.choice(values, rows, p=shares / shares.sum()),
            "guard": nodes.gather(draw.choice(len(nodes), rows, p=wishes / wishes.sum())),
        }
    )
