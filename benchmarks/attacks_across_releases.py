"""Two releases of a table that changes, attacked: groups made one by one, groups that keep their signature, growth."""

from time import process_time

import numpy as np
import polars as pl

from benchmarks.results import Results
from krypsis.attacks.histories import HistoryAttackReport, attack_history
from krypsis.io.history import Version

SIZES = (100_000, 1_000_000)
M = 4


def measure(results: Results) -> None:
    for name, made in (("careless", careless), ("invariant", invariant)):
        attacked(made(1000))  # loads what is needed
        for rows in SIZES:
            versions = made(rows)
            start = process_time()
            report = attacked(versions)
            seconds = process_time() - start
            given_away = report.attacks[0].breached(report.limit)
            results.add(f"{name}, {rows} records", seconds, note=f"{given_away} given away, at best {report.worst}")


def attacked(versions: list[Version]) -> HistoryAttackReport:
    return attack_history(versions, m=M)


def careless(rows: int) -> list[Version]:
    """Return two releases in random groups of other people each; a tenth has left and a tenth has come."""
    draw = np.random.default_rng(1)
    values = draw.integers(0, 50, rows)
    return [
        version(people, draw.permutation(len(people)) // M, values[people])
        for people in (np.arange(rows * 9 // 10), np.arange(rows // 10, rows))
    ]


def invariant(rows: int) -> list[Version]:
    """Return two releases in which everybody is among the same values, with other people each time."""
    draw = np.random.default_rng(2)
    family, value = np.arange(rows) // M % 12, np.arange(rows) % M
    groups = []
    for _ in range(2):
        order = np.lexsort((draw.random(rows), value, family))
        place = np.empty(rows, dtype=np.int64)
        place[order] = np.arange(rows)
        counts = np.bincount(family * M + value)
        first = np.cumsum(counts) - counts
        groups.append(family * rows + place - first[family * M + value])
    return [version(np.arange(rows), group, family * M + value) for group in groups]


def version(people: np.ndarray, group: np.ndarray, value: np.ndarray) -> Version:
    table = pl.DataFrame({"person": people, "group": group, "value": value})
    return Version.of(table, group="group", sensitive="value", person="person")
