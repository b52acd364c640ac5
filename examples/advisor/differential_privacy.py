"""ε-differential privacy: how many patients of which sex and age a clinic has, as counts with noise; no records."""

from journey import ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(600).select("patient_id", "age", "sex")
# Which values could occur is said beforehand: those that do occur would reveal something about the people who have
# them.
columns = {
    "patient_id": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "cuts": [18, 40, 65, 80]}},
    "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": {"*": ["F", "M"]}}},
}
plan = write_plan("differential-privacy", columns, {"patients.csv": patients})

advice = ask_about(plan, "n,y", epsilon="1")
verdicts = verify(publish(plan, advice))
