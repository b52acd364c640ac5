"""(k,e)-anonymity: bills of a hospital. Every group has at least 5 different sums, far from each other at the ends."""

from journey import AGE, SEX, ask_about, publish, verify, write_plan

from krypsis.kinds.table.demo import hospital

patients = hospital(600).select("patient_id", "age", "sex", "marital_status", "job", "treatment_cost")
known = {"role": "quasi-identifier", "hierarchy": {"kind": "flat"}}
columns = {
    "patient_id": {"role": "identifier"},
    "age": AGE,
    "sex": SEX,
    "marital_status": known,
    "job": known,
    "treatment_cost": {"role": "sensitive"},
}
plan = write_plan("ke-anonymity", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,y,y,n,n,n,n,n,n,n")  # how far apart, the data tells: a tenth of the range
verdicts = verify(publish(plan, advice))
