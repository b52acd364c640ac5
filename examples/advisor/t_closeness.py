"""t-closeness: some wards have many patients and some have few, so every group must resemble the whole hospital."""

from journey import AGE, SEX, ZIP, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(600).select("patient_id", "age", "sex", "zip", "ward")
columns = {
    "patient_id": {"role": "identifier"},
    "age": AGE,
    "sex": SEX,
    "zip": ZIP,
    "ward": {"role": "sensitive"},
}
plan = write_plan("t-closeness", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,n,n,n,n,n,y", t="0.3")
verdicts = verify(publish(plan, advice))
