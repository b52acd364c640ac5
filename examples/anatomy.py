"""Publish exact quasi-identifiers in groups of different diagnoses, and ask how well counts can still be estimated."""

import krypsis
from krypsis.kinds.table.demo import hospital
from krypsis.kinds.table.utility import CountQuery, estimated_count, query_error, reconstruction_error, true_count

patients = hospital(rows=2000).select("age", "sex", "zip", "diagnosis")
roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"}

groups = krypsis.anonymize(patients, roles, models="frequency-l-diversity:l=4", algorithm="anatomize")
print(groups.summary())
print(groups.table.head(3), groups.sensitive_table.head(3))
groups.save("patients-in-groups")  # data.csv, sensitive.csv and manifest.json

general = krypsis.anonymize(
    patients,
    roles,
    models=["k-anonymity:k=4", "distinct-l-diversity:l=4"],
    hierarchies={
        "age": {"kind": "intervals", "width": 5},
        "sex": {"kind": "flat"},
        "zip": {"kind": "masking", "side": "right"},
    },
    suppression=0.02,
)

query = CountQuery({"age": (60, 80), "sex": "F", "diagnosis": "influenza"})
print(true_count(patients, query), estimated_count(groups, query), estimated_count(general, query))
for release in (groups, general):
    print(query_error(patients, release).sentence)
    print(reconstruction_error(release).sentence)
