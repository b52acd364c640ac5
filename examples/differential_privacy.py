"""Publish a histogram with noise, and answer single questions, within a budget of differential privacy."""

import krypsis
from krypsis import PrivacyBudget, Queries
from krypsis.kinds.table.demo import hospital

patients = hospital(rows=5000)

# All values that could occur are declared: which ones do occur would reveal something about the people who have them.
release = krypsis.anonymize(
    patients,
    roles={"patient_name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier"},
    hierarchies={
        "age": {"kind": "intervals", "cuts": [18, 30, 45, 60, 75]},
        "sex": {"*": ["F", "M"]},
    },
    models="differential-privacy:epsilon=0.5",
    algorithm={"name": "dp-histogram", "nonnegative": True, "missing": "leave out"},
)
print(release.summary())
print(release.table.sort("age", "sex"))

# What was stated fits, but nobody can see from a table how it was drawn.
verdict = release.verdicts[0]
assert verdict.holds is None

# Single questions share another budget; bounds are what could be, not what is in the data.
queries = Queries(patients, PrivacyBudget(epsilon=0.5), person="patient_id")
print("patients:", queries.count(0.1))
print("mean age:", queries.mean("age", bounds=(0, 110), epsilon=0.2))
print("left of the budget:", queries.budget.remaining)
