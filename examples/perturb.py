"""Change numbers instead of generalizing them, and compare what that keeps."""

import krypsis
from krypsis.kinds.table.demo import hospital

roles = {
    "patient_name": "identifier",
    "age": "quasi-identifier",
    "admission_date": "quasi-identifier",
    "sex": "insensitive",
    "treatment_cost": "sensitive",
}
patients = hospital(rows=2000)

for method in ("noise:share=0.3,keep_variance=true", "rank-swapping:p=10", "microaggregation:k=5"):
    release = krypsis.anonymize(patients, roles, algorithm=method)
    print(release.summary(), end="\n\n")

# All quasi-identifiers were averaged together, so the last release promises k-anonymity, and the checker agrees.
assert release.promises == ("k-anonymity:k=5",)
assert all(release.verdicts)

# Statistics before and after are for the publisher: they are in the private record and in no published file.
age = release.statistics["columns"]["age"]
print(age["before"]["mean"], age["after"]["mean"])
