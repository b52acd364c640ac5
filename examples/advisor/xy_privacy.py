"""(X,Y)-privacy: visits to a doctor. Some patients come often, so that five records may be one patient."""

import numpy as np
import polars as pl
from journey import AGE, SEX, ZIP, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(300).select("patient_id", "age", "sex", "zip")
draw = np.random.default_rng(5)
visitor = np.sort(np.concatenate([np.arange(300), draw.integers(0, 300, 300)]))
reasons = [f"reason {number}" for number in range(1, 21)]
visits = patients[visitor].with_columns(pl.Series("reason", draw.choice(reasons, len(visitor))))
columns = {
    "patient_id": {"role": "identifier"},
    "age": AGE,
    "sex": SEX,
    "zip": ZIP,
    "reason": {"role": "sensitive"},
}
plan = write_plan("xy-privacy", columns, {"visits.csv": visits}, suppression="5%")

advice = ask_about(plan, "y,y,n", k="5", h="0.4")  # whom records belong to, the data tells: y=patient_id
saved = publish(plan, advice)
verdicts = verify(saved, private_columns=saved.private)
