"""The tables that are measured: UCI Adult as it is, resampled, and tables made up for one question."""

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from krypsis.data.hierarchies import resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset
from krypsis.kernels.rows import number_rows

ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip


def adult_folder() -> Path:
    """Return the folder of the public Adult table."""
    data = os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(data) / "relational" / "adult"
    if not folder.is_dir():
        sys.exit(f"the benchmarks need the public Adult table; expected {folder}, or set KRYPSIS_DATA")
    return folder


@cache
def adult(sensitive: str | None = None) -> FrequencySet:
    """Return the frequency set of Adult, all columns quasi-identifiers but the sensitive one."""
    folder = adult_folder()
    names = [name for name in ADULT if name != sensitive]
    roles = dict.fromkeys(names, "quasi-identifier") | ({sensitive: "sensitive"} if sensitive else {})
    engine = Dataset.of(folder / "adult.csv").engine
    files = {name: folder / f"adult_hierarchy_{name}.csv" for name in names}
    return engine.count_tuples(
        Schema.of(roles), {name: resolve(file, engine.distinct(name), name) for name, file in files.items()}
    ).frequency


def public_table(name: Path) -> FrequencySet:
    """Return the frequency set of a public table, every column with a hierarchy a quasi-identifier."""
    folder = adult_folder().parent / name
    dataset = Dataset.of(folder / f"{name}.csv")
    files = {column: folder / f"{name}_hierarchy_{column}.csv" for column in dataset.columns}
    trees = {
        column: resolve(file, dataset.engine.distinct(column), column)
        for column, file in files.items()
        if file.exists()
    }
    return dataset.engine.count_tuples(Schema.of(dict.fromkeys(trees, "quasi-identifier")), trees).frequency


def resampled_adult(rows: int, seed: int = 1) -> pl.DataFrame:
    """Return rows of Adult drawn with replacement, ages jittered by up to two years."""
    table = pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False)
    draw = np.random.default_rng(seed)
    drawn = table[draw.integers(0, table.height, rows)]
    ages = np.clip(drawn["age"].cast(pl.Int64).to_numpy() + draw.integers(-2, 3, rows), 1, 100)
    return drawn.with_columns(pl.Series("age", ages).cast(pl.String))


def adult_plan(data: str, output: str, suppression: str = "0") -> str:
    """Return a plan for Adult or a table like it."""
    folder = adult_folder()
    columns = "\n".join(
        f"  {name}: {{role: quasi-identifier, hierarchy: '{folder / f'adult_hierarchy_{name}.csv'}'}}" for name in ADULT
    )
    return (
        f"data: {data}\ncolumns:\n{columns}\npromises: ['k-anonymity:k=5']\nalgorithm: optimal\n"
        f"suppression: '{suppression}'\noutput: {{folder: {output}}}\n"
    )


def made_up(tuples: int, attributes: int, seed: int = 1) -> FrequencySet:
    """Return a frequency set with about so many distinct tuples and attributes of 16 values below three levels."""
    tree = Hierarchy.from_rows([[f"{value}", f"a{value // 4}", f"b{value // 8}", "*"] for value in range(16)])
    draw = np.random.default_rng(seed)
    # Skewed values, as in real tables: most records are common, some are rare.
    codes = np.minimum(draw.geometric(0.25, (tuples, attributes)) - 1, 15).astype(np.int32)
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    names = tuple(f"q{number}" for number in range(attributes))
    return FrequencySet(names, (tree,) * attributes, np.ascontiguousarray(distinct), counts.astype(np.int64))


def generated(rows: int, seed: int = 1) -> FrequencySet:
    """Return a table of so many rows and eight attributes of 2 to 5000 numbers, low ones more common than high ones."""
    draw = np.random.default_rng(seed)
    sizes = (2, 5, 9, 16, 40, 100, 700, 5000)
    columns = [np.minimum(draw.beta(1.2, 3, rows) * size, size - 1).astype(np.int32) for size in sizes]
    numbers, first = number_rows(columns, sizes, rows)
    trees = [Hierarchy.from_columns([[str(value) for value in range(size)], ["*"] * size]) for size in sizes]
    return FrequencySet(
        tuple(f"q{size}" for size in sizes),
        tuple(trees),
        np.ascontiguousarray(np.stack([column[first] for column in columns], axis=1)),
        np.bincount(numbers, minlength=len(first)).astype(np.int64),
    )
