"""MultiRelational k-anonymity: a table of patients and one of their visits, published together."""

import numpy as np
import polars as pl
from journey import AGE, SEX, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(400).select("patient_id", "age", "sex", "diagnosis")
draw = np.random.default_rng(9)
visitor = np.repeat(np.arange(400), draw.integers(1, 3, 400))
visits = pl.DataFrame(
    {
        "patient_id": patients["patient_id"].gather(visitor),
        "year": draw.integers(2019, 2023, len(visitor)),
    }
)
columns = {"patient_id": {"role": "identifier"}, "age": AGE, "sex": SEX, "diagnosis": {"role": "sensitive"}}
years = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "width": 2, "origin": 2019}}
visited = {"data": "visits.csv", "columns": {"year": years}}
plan = write_plan(
    "multirelational-k-anonymity",
    columns,
    {"patients.csv": patients, "visits.csv": visits},
    key="patient_id",
    tables={"visits": visited},
    suppression="5%",
)

advice = ask_about(plan, "y,y,y,y", k="5")
verdicts = verify(publish(plan, advice))
