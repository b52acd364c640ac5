"""What is not one table: checking sets of items, several tables and several releases; a search over two tables."""

from functools import partial

import numpy as np
import polars as pl

import krypsis
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.checker import SubjectTable, check_history, check_transactions, check_views
from krypsis.data.transactions import Transactions
from krypsis.io.history import Version
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.m_invariance import MInvariance
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity


def measure(results: Results) -> None:
    rng = np.random.default_rng(1)
    measure_sets(results, rng)
    measure_tables(results, rng)
    measure_releases(results, rng)


def measure_sets(results: Results, rng: np.random.Generator) -> None:
    """Measure 100,000 records of 5,000 items, few of them frequent: names of what breaks the promise included."""
    count = 100_000
    sizes = rng.integers(1, 20, count)
    records = np.repeat(np.arange(count), sizes)
    codes = rng.zipf(1.3, len(records)) % 5000
    sets = Transactions.of_pairs(records, codes, tuple(f"item {number:04d}" for number in range(5000)), count)
    for m in (1, 2, 3):
        seconds = cpu(partial(check_transactions, sets, [KmAnonymity(k=5, m=m)]), 2)
        results.add(f"check km-anonymity:k=5,m={m}", seconds, note=f"{count} records, {len(sets.codes)} items in them")


def measure_tables(results: Results, rng: np.random.Generator) -> None:
    """Measure 100,000 persons with 500,000 visits."""
    people, visits = 100_000, 500_000
    first = pl.DataFrame({"id": np.arange(people), "age": rng.integers(20, 90, people)})
    second = pl.DataFrame({"id": rng.integers(0, people, visits), "year": rng.integers(2000, 2020, visits)})
    linked = {"people": SubjectTable(first, "id", ("age",)), "visits": SubjectTable(second, "id", ("year",))}
    promise = MultirelationalKAnonymity(k=5)
    seconds = cpu(partial(check_views, linked, [promise]), 2)
    results.add("check multirelational-k-anonymity:k=5", seconds, note=f"{people} persons, {visits} visits")
    options = {
        "key": "id",
        "hierarchies": {"age": {"kind": "intervals", "width": 5}},
        "tables": {
            "visits": {
                "data": second,
                "roles": {"year": "quasi-identifier"},
                "hierarchies": {"year": {"kind": "intervals", "width": 5}},
            }
        },
        "models": promise,
        "suppression": 0.05,
    }
    made = krypsis.anonymize(first, {"age": "quasi-identifier"}, **options)
    seconds = cpu(partial(krypsis.anonymize, first, {"age": "quasi-identifier"}, **options), 1)
    results.add("release of both tables", seconds, note=f"levels {dict(made.levels)}, {made.suppressed} suppressed")


def measure_releases(results: Results, rng: np.random.Generator) -> None:
    """Measure five releases of 100,000 people in groups of four."""
    people, values = 100_000, np.array(["a", "b", "c", "d"])
    versions = []
    for _ in range(5):
        table = pl.DataFrame(
            {
                "person": rng.permutation(people),
                "group": np.repeat(np.arange(people // 4), 4),
                "disease": np.tile(values, people // 4),
            }
        )
        versions.append(Version.of(table, group="group", sensitive="disease", person="person"))
    seconds = cpu(partial(check_history, versions, [MInvariance(m=4)]), 2)
    results.add("check m-invariance:m=4", seconds, note=f"{len(versions)} releases of {people} records")
