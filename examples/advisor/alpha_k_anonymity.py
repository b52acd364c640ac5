"""(α,k)-anonymity: groups of at least 5 patients, and no ward is that of more than half of a group."""

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
plan = write_plan("alpha-k-anonymity", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,n,n,n,n,y", alpha="0.5", k="5")
verdicts = verify(publish(plan, advice))
