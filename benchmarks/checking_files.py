"""Checking files: the whole check of a published file of a million records in 100,000 groups, for every model."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

import krypsis
from benchmarks.checking import FAR_TARGET, GROUPS, MEMORY, ROWS, TARGET, VALUES, models
from benchmarks.results import Results
from benchmarks.unit import child, cpu
from krypsis.data.hierarchies.base import TOP, Hierarchy
from krypsis.models.base import GroupModel
from krypsis.models.lkc_privacy import LKCPrivacy
from krypsis.models.xy_privacy import XYAnonymity

KNOWN = ("age", "zip", "job")
PEOPLE = 500_000

ALL_CHECKS = """
import sys
from pathlib import Path
from benchmarks.checking_files import cases, check
for _, model, sensitive in cases():
    check(Path(sys.argv[1]), model, sensitive)
"""
NO_CHECK = "from benchmarks.checking_files import cases; list(cases())"


def measure(results: Results) -> None:
    with TemporaryDirectory() as folder:
        publish(Path(folder))
        for case, model, sensitive in cases():
            check(Path(folder), model, sensitive)
            far = getattr(model, "distance", "") == "hierarchical"
            seconds = cpu(partial(check, Path(folder), model, sensitive), 3)
            results.add(case, seconds, FAR_TARGET if far else TARGET)
        _, without = child([sys.executable, "-c", NO_CHECK])
        seconds, peak = child([sys.executable, "-c", ALL_CHECKS, folder])
        results.add("all of them in one process", seconds, MEMORY, note=f"peak {peak:.0f} MB, {without:.0f} MB without")


def cases() -> Iterator[tuple[str, GroupModel, tuple[str, ...]]]:
    """Yield every promise that needs no population, by what it is called and the sensitive attributes it looks at."""
    for model in models():
        if not model.needs_population:
            several = model.name.startswith("multi-attribute")
            yield model.spec, model, ("number", "second") if several else ("number",)
    yield "xy-anonymity by the number of a person", XYAnonymity(y=("person",), k=3), ("number",)
    yield "lkc-privacy, two of three known", LKCPrivacy(l=2, k=3, c=0.9), ("number",)


def check(folder: Path, model: GroupModel, sensitive: tuple[str, ...]) -> None:
    """Check from files: read the table, and its private columns where the promise asks for that."""
    names = [str(number) for number in range(VALUES)]
    rows = [[name, f"fives {int(name) // 5}", f"half {int(name) // 25}", TOP] for name in names]
    counted = {name for names in model.combinations(sensitive) for name in names} - {*KNOWN, *sensitive}
    krypsis.check(
        folder / "published.csv",
        [model],
        quasi_identifiers=KNOWN,
        sensitive=sensitive,
        hierarchies={"number": Hierarchy.from_rows(rows)},
        private_columns=folder / "private_columns.csv" if counted else None,
    )


def publish(folder: Path) -> None:
    """Write a table of ten records per group on average, and the people and guarding nodes that belong to it."""
    draw = np.random.default_rng(1)
    group = draw.integers(0, GROUPS, ROWS)
    number, second = (np.minimum(draw.geometric(0.08, ROWS), VALUES) - 1 for _ in range(2))
    codes = pl.DataFrame({"a": group % 100 * 5, "z": group // 100 % 50, "j": group // 5000, "n": number, "s": second})
    codes.select(
        pl.format("[{}-{})", "a", pl.col("a") + 5).alias("age"),
        pl.format("12{}**", "z").alias("zip"),
        pl.format("job {}", "j").alias("job"),
        pl.col("n").alias("number"),
        pl.col("s").alias("second"),
    ).write_csv(folder / "published.csv")
    half = pl.Series(draw.random(ROWS) < 0.5)
    codes.select(
        pl.Series("person", draw.integers(0, PEOPLE, ROWS)),
        pl.when(half).then(pl.format("fives {}", pl.col("n") // 5)).alias("guard"),
    ).write_csv(folder / "private_columns.csv")
