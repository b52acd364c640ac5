"""δ-presence: patients of a clinic for addictions. Everybody may look into the register of inhabitants of the town."""

import numpy as np
from journey import SEX, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

inhabitants = hospital(1000).select("sex", "marital_status", "job")
draw = np.random.default_rng(3)
patients = inhabitants[np.sort(draw.choice(1000, 400, replace=False))]
partners = {"*": {"with partner": ["married"], "without partner": ["single", "divorced", "widowed"]}}
columns = {
    "sex": SEX,
    "marital_status": {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": partners}},
    "job": {"role": "quasi-identifier", "hierarchy": {"kind": "flat"}},
}
files = {"patients.csv": patients, "inhabitants.csv": inhabitants}
plan = write_plan("delta-presence", columns, files, population="inhabitants.csv", suppression="5%")

advice = ask_about(plan, "n,n,n", delta_max="0.6")
hierarchies = {name: column["hierarchy"] for name, column in columns.items()}
verdicts = verify(publish(plan, advice), population=plan.parent / "inhabitants.csv", hierarchies=hierarchies)
