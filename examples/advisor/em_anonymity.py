"""(ε,m)-anonymity: nobody guesses the bill of a patient nearly right with a probability of more than 1 in 3."""

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
plan = write_plan("em-anonymity", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,y,y,n,n,n,n,n,n,y", m="3")  # how near is right, the data tells: a part of its spread
verdicts = verify(publish(plan, advice))
