"""Confidence bounding: nobody may be more than 20 % sure that a patient is in oncology; other wards do not matter."""

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
plan = write_plan("confidence-bounding", columns, {"patients.csv": patients})

advice = ask_about(plan, "y,n,n,n,y", value="oncology", h="0.2")
verdicts = verify(publish(plan, advice))
