"""k-anonymity: the attacker knows age, sex and zip code of patients, and diagnoses are many and spread."""

from journey import AGE, SEX, ZIP, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(600).select("patient_id", "age", "sex", "zip", "diagnosis")
columns = {
    "patient_id": {"role": "identifier"},
    "age": AGE,
    "sex": SEX,
    "zip": ZIP,
    "diagnosis": {"role": "sensitive"},
}
plan = write_plan("k-anonymity", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,y,y,n,n,n,n,y")
verdicts = verify(publish(plan, advice))
