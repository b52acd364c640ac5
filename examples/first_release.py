"""Anonymize the built-in hospital table, publish it, and check what was published."""

import krypsis
from krypsis.kinds.table.demo import hospital

release = krypsis.anonymize(
    hospital(rows=2000),
    roles={
        "patient_id": "identifier",
        "patient_name": "identifier",
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
        "ward": "sensitive",
    },
    hierarchies={
        "age": {"kind": "intervals", "width": 5},
        "sex": {"kind": "flat"},
        "zip": {"kind": "masking", "side": "right"},
    },
    models=["k-anonymity:k=5", "distinct-l-diversity:l=2"],
    algorithm="optimal",
    metric="loss",
    suppression=0.02,
)

print(release.summary())
print(release.levels, release.score, release.suppressed)
release.save("hospital-release")

for verdict in krypsis.check("hospital-release", models=["k-anonymity:k=5"]):
    print(verdict.sentence)
