"""(d,γ)-privacy: a few patients of a rare disease, each improbable; some are left out, invented ones are added."""

from journey import ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(60).select("patient_id", "age", "sex", "job").drop_nulls("job")
jobs = ["teacher", "nurse", "engineer", "physician", "lawyer", "clerk", "shop assistant", "driver", "lighthouse keeper"]
jobs += ["builder", "electrician", "farmer", "beekeeper", "pupil", "student", "unemployed", "retired"]
# Which values could occur is said beforehand: those that do occur would reveal something about the people who have
# them.
columns = {
    "patient_id": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "cuts": list(range(5, 100, 5))}},
    "sex": {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": {"*": ["F", "M"]}}},
    "job": {"role": "quasi-identifier", "hierarchy": {"kind": "taxonomy", "tree": {"*": jobs}}},
}
plan = write_plan("d-gamma-privacy", columns, {"patients.csv": patients})

advice = ask_about(plan, "n,n,y", d="0.1", gamma="0.3")
verdicts = verify(publish(plan, advice))
