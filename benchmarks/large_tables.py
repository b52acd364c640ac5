"""Large tables: our engines on files, against the library that each works with, which counts, recodes and writes alone.

Tables larger than memory go through DuckDB. Of the memory engine a whole run is measured, with a random order of the
records and a check of the written file, against polars reading, grouping, recoding by joins and writing.
"""

import json
import sys
import tempfile
import warnings
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from subprocess import run
from typing import Any

import numpy as np
import polars as pl

from benchmarks.results import Results

ROWS = (1_000_000, 10_000_000, 100_000_000)
MOST_IN_MEMORY = 10_000_000
PIECE = 1_000_000
MEMORY = 2 * 1024**3
SIZES = {
    "age": 80, "zip": 200, "sex": 2, "race": 5, "marital": 7, "education": 16, "country": 40, "workclass": 8,
    "occupation": 14,
}  # fmt: skip
ROLES = {**dict.fromkeys(SIZES, "quasi-identifier"), "disease": "sensitive"}
DISEASES = 30
SKEW = 2.5
"""Values are as frequent as their rank to the power of minus this: 0.4 M distinct tuples in 10 M rows."""


def make(folder: Path, rows: int) -> None:
    """Write files of made-up people: an age, eight columns of texts and a disease."""
    random = np.random.default_rng(1)
    for number, start in enumerate(range(0, rows, PIECE)):
        here = min(PIECE, rows - start)
        columns = {name: _drawn(random, name, size, here) for name, size in {**SIZES, "disease": DISEASES}.items()}
        pl.DataFrame(columns).write_parquet(folder / f"{number:05}.parquet")


def _drawn(random: np.random.Generator, name: str, size: int, rows: int) -> pl.Series:
    shares = np.arange(1, size + 1) ** -SKEW
    codes = random.choice(size, size=rows, p=shares / shares.sum())
    if name == "age":
        return pl.Series(name, codes + 17)
    return pl.Series(name, [f"{name} {code:03}" for code in range(size)]).gather(codes)


def label(value: str) -> str:
    """Return what a value is published as: the values that begin alike."""
    return f"{value[:-1]}*"


def bare(folder: Path, target: Path) -> None:
    """Count the tuples, replace values by labels and write the table, in DuckDB alone."""
    import duckdb  # noqa: PLC0415  each way is measured in a process of its own

    connection = duckdb.connect(config={"memory_limit": f"{MEMORY // 2}B", "preserve_insertion_order": False})
    connection.execute(f"create view t as from read_parquet('{folder}/*.parquet')")
    names = ", ".join(SIZES)
    connection.execute(f"create table counts as select {names}, disease, count(*) from t group by {names}, disease")
    connection.execute("drop table counts")
    for name in SIZES:
        text = f"cast({name} as varchar)"
        connection.execute(f"create table l_{name} as select distinct {name} v, {text}[:-2] || '*' label from t")
    labels = ", ".join(f"l_{name}.label as {name}" for name in SIZES)
    joins = " ".join(f"join l_{name} on t.{name} = l_{name}.v" for name in SIZES)
    connection.execute(f"copy (select {labels}, disease from t {joins}) to '{target}' (format parquet)")


def counted_and_published(folder: Path, *, with_other: bool) -> None:
    """Count the tuples and publish the table in random order of groups, by the engine; no search, no check."""
    import krypsis  # noqa: PLC0415
    from krypsis.data.recoding import FullDomain  # noqa: PLC0415
    from krypsis.data.schema import Schema  # noqa: PLC0415

    engine = krypsis.io.dataset.Dataset.of(folder, engine="duckdb", memory=MEMORY).engine
    schema = Schema.of(ROLES | ({"sex": "insensitive"} if with_other else {}))
    counted = engine.count_tuples(schema, hierarchies(engine))
    frequency = counted.frequency
    nobody = np.zeros(len(frequency.counts), dtype=np.bool_)
    parts = counted.publish(FullDomain((1,) * len(frequency.attributes), nobody), "remove", "5ad3")
    if parts.rows != frequency.rows:
        sys.exit(f"{frequency.rows} rows were counted and {parts.rows} published")


def whole_run(data: object, target: Path, **options: object) -> None:
    """Count, search, publish in random order, check, write, and check the files."""
    import krypsis  # noqa: PLC0415
    from krypsis.io.dataset import Dataset  # noqa: PLC0415

    dataset = Dataset.of(data, **options)
    warnings.simplefilter("ignore", krypsis.errors.PrivacyWarning)  # k-anonymity discloses values, as everybody knows
    release = krypsis.anonymize(
        dataset,
        ROLES,
        hierarchies=hierarchies(dataset.engine),
        models="k-anonymity:k=5",
        algorithm="datafly",
        suppression=0.05,
    )
    release.save(target, formats=["parquet"])


def bare_in_memory(file: Path, target: Path) -> None:
    """Read the table, count the tuples, replace values by labels with joins and write the table, in polars alone."""
    table = pl.read_parquet(file)
    table.group_by(list(SIZES)).len()
    for name in SIZES:
        values = table.get_column(name).unique()
        labels = pl.DataFrame({name: values, "label": [label(str(value)) for value in values]})
        table = table.join(labels, on=name, how="left").drop(name).rename({"label": name})
    table.write_parquet(target)


def whole_run_in_memory(file: Path, target: Path) -> None:
    """Publish the table by the memory engine as ``krypsis run`` does: read, recode, shuffle, write and check."""
    from krypsis.kinds.publishing import publish  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415
    from krypsis.progress import Progress  # noqa: PLC0415

    columns = {name: {"role": "quasi-identifier", "hierarchy": {"kind": "masking"}} for name in SIZES}
    plan = {
        "data": str(file),
        "engine": "memory",
        "columns": {**columns, "disease": "sensitive"},
        "promises": ["k-anonymity:k=5"],
        "algorithm": {"name": "fixed", "levels": ",".join(f"{name}=1" for name in SIZES)},
        "suppression": "100%",
        "output": {"folder": str(target), "formats": ["parquet"], "report": False},
    }
    written = file.with_suffix(".json")  # which is YAML, too
    written.write_text(json.dumps(plan), encoding="utf-8")
    publish(Plan.load(written), target, Progress(), force=True)


def hierarchies(engine: Any) -> dict[str, Any]:
    """Return the hierarchies of the quasi-identifiers."""
    from krypsis.data.hierarchies.base import Hierarchy  # noqa: PLC0415

    return {name: Hierarchy.from_rows([value, label(value), "*"] for value in engine.distinct(name)) for name in SIZES}


def measure(results: Results) -> None:
    for rows in ROWS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "data")
            folder.mkdir()
            make(folder, rows)
            _measure(results, folder, f"{rows / 1e6:.0f} M")
            if rows <= MOST_IN_MEMORY:
                _measure_in_memory(results, folder, f"{rows / 1e6:.0f} M")


def _measure(results: Results, folder: Path, size: str) -> None:
    base, base_peak = _measured("bare", folder)
    results.add(f"{size}: duckdb alone: count, recode, write (CPU)", base, note=f"{base_peak:.0f} MB")
    cases = {
        "counted": "count and publish, all counted",
        "read-again": "count and publish, one column read again",
        "whole": "whole run with search, order, files and checks",
    }
    for case, words in cases.items():
        seconds, peak = _measured(case, folder)
        note = f"{seconds / base:.2f} × duckdb, {peak:.0f} MB"
        results.add(f"{size}: {words} (CPU)", seconds, "2.2 × duckdb, 2560 MB", note=note)


def _measure_in_memory(results: Results, folder: Path, size: str) -> None:
    file = folder.parent / "people.parquet"
    pl.read_parquet(folder).write_parquet(file)
    base, base_peak = _measured("bare-in-memory", file)
    results.add(f"{size}: polars alone: read, count, recode, write (CPU)", base, note=f"{base_peak:.0f} MB")
    seconds, peak = _measured("whole-in-memory", file)
    note = f"{seconds / base:.2f} × polars, {peak:.0f} MB"
    results.add(f"{size}: memory engine, whole run of a plan (CPU)", seconds, "1.5 × polars, 3072 MB", note=note)


def _measured(case: str, folder: Path) -> tuple[float, float]:
    """Return the seconds of CPU and the peak of memory in MB of a way, in a process of its own."""
    found = run([sys.executable, "-m", __name__, case, str(folder)], check=True, capture_output=True, text=True)
    seconds, peak = found.stdout.split()
    return float(seconds), float(peak)


def _main(case: str, folder: Path) -> None:
    if case == "bare":
        bare(folder, folder.parent / "bare.parquet")
    elif case == "whole":
        whole_run(folder, folder.parent / "release", engine="duckdb", memory=MEMORY)
    elif case == "bare-in-memory":
        bare_in_memory(folder, folder.parent / "recoded.parquet")
    elif case == "whole-in-memory":
        whole_run_in_memory(folder, folder.parent / "release-in-memory")
    else:
        counted_and_published(folder, with_other=case == "read-again")
    used = getrusage(RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
