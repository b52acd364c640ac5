"""Publish the patients of a hospital twice: some have left in the meantime, others have come."""

from pathlib import Path

import polars as pl

import krypsis
from krypsis.attacks.intersection import CandidateAttack
from krypsis.kinds.table.demo import hospital

everybody = hospital(rows=1200, seed=5).select("patient_id", "age", "sex", "zip", "diagnosis")
spring, autumn = everybody.head(1000), everybody.tail(1100)  # 100 have left, 200 have come

history = krypsis.History.init(
    Path("patients-history"),
    id="patient_id",
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"},
    models="m-invariance:m=3",
    algorithm="m-invariant:on_ineligible=defer",
)
for table in (spring, autumn):
    print(history.publish(table).change.sentence())

for verdict in history.check():
    print(verdict.sentence)

left = CandidateAttack().find(history.versions())
print("whoever compares both releases is left with", min(map(len, left.values())), "diagnoses or more for everybody")

gone = pl.DataFrame({"patient_id": everybody["patient_id"].head(100)})
back = pl.concat([autumn, everybody.join(gone, on="patient_id").head(10)])
print(history.simulate(back).change.sentence())
