"""Checking tables in parts: ten million records in ten Parquet files, against DuckDB doing only the GROUP BY."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from benchmarks.datasets import ADULT, resampled_adult
from benchmarks.results import Results
from benchmarks.unit import child
from krypsis.data.schema import Schema
from krypsis.io.parts import TableParts
from krypsis.io.scratch import ScratchFolder
from krypsis.kinds.table.make import release_of_publication
from krypsis.kinds.table.parted_publication import PartedTable

PARTS = 10
ROWS = 1_000_000
"""Of a part."""
MOST_MEMORY = 1.5
"""What a check may take, in GiB."""

GROUP_BY = """
import sys, duckdb
columns = ", ".join('"' + name + '"' for name in sys.argv[2].split(","))
query = f"SELECT {columns}, count(*) FROM read_parquet('{sys.argv[1]}/*.parquet') GROUP BY ALL"
print(duckdb.sql(f"SELECT min(n), count(*) FROM ({query}) t({columns}, n)").fetchall())
"""
CHECK_FILES = """
import sys, krypsis
from krypsis.models.k_anonymity import KAnonymity
print(krypsis.check(sys.argv[1] + "/*.parquet", [KAnonymity(k=1)], quasi_identifiers=sys.argv[2].split(",")))
"""
CHECK_RELEASE = "import sys, krypsis; print(krypsis.check(sys.argv[1]))"
NOTHING = {
    GROUP_BY: "import duckdb; duckdb.sql('SELECT 1').fetchall()",
    CHECK_FILES: "import krypsis, krypsis.checker; from krypsis.models.k_anonymity import KAnonymity",
    CHECK_RELEASE: "import krypsis, krypsis.checker; from krypsis.models.k_anonymity import KAnonymity",
}
"""What starts and does no work: its time is taken off."""


def measure(results: Results) -> None:
    for order in ("by group", "at random"):
        with TemporaryDirectory() as scratch:
            folder = publish(Path(scratch) / "release", order)
            bare, _ = cost(GROUP_BY, folder)
            results.add(f"DuckDB, GROUP BY alone, rows {order}", bare)
            for case, program in (("files of any tool", CHECK_FILES), ("a release, byte by byte", CHECK_RELEASE)):
                seconds, peak = cost(program, folder)
                note = f"{seconds / bare:.2f} x DuckDB, peak {peak / 1024:.2f} GiB of {MOST_MEMORY} GiB"
                results.add(f"check of {case}, rows {order}", seconds, note=note)


def cost(program: str, folder: Path) -> tuple[float, float]:
    """Return the CPU seconds of a program beyond those of starting it, and the most memory it used, in MB."""
    start, _ = child([sys.executable, "-c", NOTHING[program]])
    seconds, peak = child([sys.executable, "-c", program, str(folder), ",".join(ADULT)])
    return seconds - start, peak


def publish(folder: Path, order: str) -> Path:
    """Write a release in parts of Adult resampled, its ages in decades."""
    low = pl.col("age").cast(pl.Int64) // 10 * 10
    people = resampled_adult(ROWS).select(ADULT).with_columns(age=pl.format("[{}-{})", low, low + 10))
    draw = np.random.default_rng(3)
    rows = draw.integers(0, people.height, PARTS * ROWS)
    if order == "by group":
        number = people.select(pl.struct(pl.all()).hash(seed=3)).to_series().to_numpy()
        rows = rows[np.argsort(number[rows], kind="stable")]
    frames = (people[rows[part * ROWS : (part + 1) * ROWS]] for part in range(PARTS))
    schema = Schema.of(dict.fromkeys(ADULT, "quasi-identifier"))
    form = PartedTable(TableParts.of(frames, ScratchFolder(folder.parent)), schema)
    return release_of_publication(form, ("k-anonymity:k=1",)).save(folder, ["parquet"]).folder
