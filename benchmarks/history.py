"""A table that changes: the first release of a million records, a later one with one percent of changes, and growth."""

import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

import krypsis
from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from krypsis.progress import Progress

ROWS = 1_000_000
SIZES = (ROWS // 10, ROWS // 2, ROWS, 10 * ROWS)
KNOWN = {"age": 77, "sex": 2, "zip": 5000, "school": 16, "work": 7}
"""The quasi-identifiers, with the number of their values."""
TARGETS = {"first": "20 U", "later": "10 U"}
FORMS = ("anatomy", "generalization")


class Phases(Progress):
    """Adds up the CPU seconds of each phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._now, self._since = "", process_time()

    def phase(self, name: str) -> None:
        now = process_time()
        self.seconds[self._now] = self.seconds.get(self._now, 0.0) + now - self._since
        self._now, self._since = name, now

    def told(self) -> str:
        self.phase("")
        return ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items() if seconds >= 0.1)


def measure(results: Results) -> None:
    published(results, ROWS // 100, FORMS[0], told=False)  # compiles and loads what is needed
    points: dict[str, dict[float, float]] = {"first": {}, "later": {}}
    for rows in SIZES:
        for name, seconds in published(results, rows, FORMS[0]).items():
            points[name][rows] = seconds
    published(results, ROWS, FORMS[1])
    for name, found in points.items():
        plot(FOLDER / f"history-{name}.svg", f"{name} release: seconds by records", "records", found)


def published(results: Results, rows: int, form: str, *, told: bool = True) -> dict[str, float]:
    """Return the CPU seconds of the first release and of one after a hundredth has left and as many have come."""
    first, draw = people(0, rows), np.random.default_rng(2)
    stay = np.ones(rows, dtype=np.bool_)
    stay[draw.choice(rows, rows // 100, replace=False)] = False
    later = pl.concat([first.filter(pl.Series(stay)), people(rows, rows // 100)])
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        history = krypsis.History.init(
            Path(folder, "history"),
            id="id",
            roles=dict.fromkeys(KNOWN, "quasi-identifier") | {"disease": "sensitive"},
            models="m-invariance:m=4",
            algorithm=f"m-invariant:publish={form}",
        )
        for name, table in (("first", first), ("later", later)):
            progress, start = Phases(), process_time()
            change = history.publish(table, progress=progress).change
            found[name] = process_time() - start
            target = TARGETS[name] if rows == ROWS and form == FORMS[0] else ""
            note = f"{change.groups} groups, {change.counterfeits} counterfeits; {progress.told()}"
            if told:
                results.add(f"{name} release of {rows} records, {form}", found[name], target, note=note)
    return found


def people(first: int, rows: int) -> pl.DataFrame:
    """Return records with a skewed disease of 50 values, numbered from ``first`` on."""
    draw = np.random.default_rng(first + 1)
    weights = 1 / np.arange(5, 55)
    diseases = pl.Series([f"disease {number:02}" for number in range(50)])
    return pl.DataFrame(
        {
            "id": pl.Series(np.arange(first, first + rows)).cast(pl.String),
            **{name: draw.integers(0, top, rows) for name, top in KNOWN.items()},
            "disease": diseases.gather(draw.choice(50, rows, p=weights / weights.sum())),
        }
    )
