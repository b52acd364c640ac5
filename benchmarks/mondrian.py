"""Mondrian: cost of the search by rows, memory at ten million, loss on Adult, and how far it is from the optimum."""

import sys
from itertools import product
from statistics import mean

import numpy as np
import polars as pl

import krypsis
from benchmarks.datasets import adult, adult_folder, generated
from benchmarks.plot import plot
from benchmarks.results import FOLDER, Results
from benchmarks.unit import child, cpu
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import CellRecoding, FrequencySet, outcome_of

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
TARGETS = {1_000_000: "8 U", 10_000_000: "100 U"}
PEER = "[best Python peer 103 U on a 1 M-row Adult]"

SCHOOL = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college", "Assoc-voc",
    "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip
EIGHT = ("age", "education_num", "workclass", "marital-status", "occupation", "race", "sex", "native-country")

TEN_MILLION = """
from benchmarks.datasets import generated
from benchmarks.mondrian import search
search(generated(10_000_000), "mondrian", 10)
"""
MADE = "from benchmarks.datasets import generated; generated(10_000_000)"


def measure(results: Results) -> None:
    _quality(results)
    _ratio(results)
    points: dict[float, float] = {}
    for rows in ROWS:
        table = generated(rows)
        points[rows] = cpu(lambda table=table: search(table, "mondrian", 10), repeats=3 if rows <= 1_000_000 else 1)
        results.add(f"strict, k=10, 8 attributes, {rows:,} rows", points[rows], TARGETS.get(rows, ""), PEER)
    plot(FOLDER / "mondrian-rows.svg", "mondrian, k = 10: seconds by rows", "rows", points)
    million = generated(1_000_000)
    seconds = cpu(lambda: search(million, "mondrian:choose=ncp", 10), repeats=1)
    results.add("choose=ncp, k=10, 1,000,000 rows", seconds)
    records = by_record(million)
    results.add("relaxed, k=10, 1,000,000 rows", cpu(lambda: search(records, "mondrian-relaxed", 10), repeats=1))
    _, without = child([sys.executable, "-c", MADE])
    seconds, peak = child([sys.executable, "-c", TEN_MILLION])
    note = f"peak {peak:.0f} MB, {without:.0f} MB of them to make the table"
    results.add("10,000,000 rows, a process of its own, table made", seconds, "< 4 GB", note=note)


def search(frequency: FrequencySet, spec: str, k: int, metric: str = "generalized-loss") -> CellRecoding:
    finder = registry.create("algorithm", spec)
    models = [registry.create("model", f"k-anonymity:k={k}")]
    found: CellRecoding = finder.search(frequency, models, registry.create("metric", metric), Limits())
    return found


def by_record(frequency: FrequencySet) -> FrequencySet:
    """Return every record as a tuple of its own."""
    codes = np.repeat(frequency.codes, frequency.counts, axis=0)
    return FrequencySet(frequency.attributes, frequency.hierarchies, codes, np.ones(len(codes), dtype=np.int64))


def _quality(results: Results) -> None:
    """Adult, k = 5, nothing suppressed: eight ordered attributes, and all nine with their hierarchies."""
    eight = adult_with_order()
    for name, choose in product(("mondrian", "mondrian-relaxed"), ("width", "ncp")):
        spec = f"{name}:publish=ranges,choose={choose}"
        seconds = cpu(lambda spec=spec: _release(eight, spec), repeats=1)
        release = _release(eight, spec)
        note = f"loss {release.score:.2%}, {release.evidence.outcome.group_count:,} groups"
        results.add(f"Adult, 8 ordered, {name} {choose}", seconds, "7.2 %", "[7.22 %, 3,661 groups]", note)
    nine = adult()
    for choose, publish in product(("width", "ncp"), ("auto", "hierarchy")):
        spec = f"mondrian:choose={choose},publish={publish}"
        search(nine, spec, 5, "loss")
        seconds = cpu(lambda spec=spec: search(nine, spec, 5, "loss"))
        loss = registry.create("metric", "generalized-loss").compute(outcome_of(search(nine, spec, 5, "loss"), nine))
        peer = "[local recoding of ARX 0.1804, 200 U]"
        results.add(f"Adult, 9 by {publish}, mondrian {choose}", seconds, "0.15", peer, f"mean loss {loss:.4f}")


def adult_with_order() -> pl.DataFrame:
    """Return eight attributes of Adult, with education as a number."""
    table = pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False)
    years = {school: str(number) for number, school in enumerate(SCHOOL, start=1)}
    return table.with_columns(education_num=pl.col("education").replace_strict(years)).select(EIGHT)


def _release(table: pl.DataFrame, spec: str) -> krypsis.Release:
    roles = dict.fromkeys(table.columns, "quasi-identifier")
    return krypsis.anonymize(table, roles, models="k-anonymity:k=5", algorithm=spec, metric="generalized-loss")


def _ratio(results: Results, tables: int = 200, rows: int = 8) -> None:
    """Compare the loss on tiny tables with the best of all partitions."""
    draw = np.random.default_rng(1)
    points = [draw.integers(0, 10, (rows, 2)) for _ in range(tables)]
    best = [optimum(table, 2) for table in points]
    for spec in ("mondrian", "mondrian:choose=ncp", "mondrian-relaxed"):
        frames = [pl.DataFrame(table, schema=["a", "b"]) for table in points]
        losses = [_tiny(frame, spec) for frame in frames]
        ratios = [loss / least for loss, least in zip(losses, best, strict=True) if least > 0]
        note = f"loss / optimum: mean {mean(ratios):.3f}, worst {max(ratios):.3f}"
        results.add(f"{tables} tables of {rows} rows, k=2, {spec}", 0.0, note=note)


def _tiny(frame: pl.DataFrame, spec: str) -> float:
    roles = dict.fromkeys(frame.columns, "quasi-identifier")
    release = krypsis.anonymize(frame, roles, models="k-anonymity:k=2", algorithm=spec, metric="generalized-loss")
    return float(release.score)


def optimum(points: np.ndarray, k: int) -> float:
    """Return the lowest loss of all partitions into parts of at least k, found subset by subset."""
    spans = np.maximum(np.ptp(points, axis=0), 1)
    rows = len(points)
    members = [[row for row in range(rows) if subset >> row & 1] for subset in range(1 << rows)]
    costs = [
        len(part) * float((np.ptp(points[part], axis=0) / spans).sum()) if len(part) >= k else np.inf
        for part in members
    ]
    best = [0.0] + [np.inf] * ((1 << rows) - 1)
    for subset in range(1, 1 << rows):
        part = subset
        while part:
            best[subset] = min(best[subset], costs[part] + best[subset ^ part])
            part = (part - 1) & subset
    return best[-1] / points.size
