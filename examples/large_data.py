"""Files larger than memory: DuckDB counts and rewrites the records where they lie, and the release comes in parts."""

from pathlib import Path

import polars as pl

import krypsis
from krypsis.io.dataset import Dataset

Path("visits").mkdir()
for month in range(3):  # stands for files that some other program writes
    ages, diseases = [20 + (7 * visit + month) % 60 for visit in range(1000)], ["flu", "asthma", "angina"]
    visits = {"age": ages, "diagnosis": [diseases[visit % 3] for visit in range(1000)]}
    pl.DataFrame(visits).write_parquet(f"visits/{month}.parquet")

visits = Dataset.of("visits/*.parquet", engine="duckdb", memory=2 * 1024**3)
release = krypsis.anonymize(
    visits,
    roles={"age": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": {"kind": "intervals", "width": 5}},
    models=["k-anonymity:k=5", "l-diversity:l=2"],
)
release.save("release", formats=["parquet"])

print(sorted(file.name for file in Path("release").iterdir()))
