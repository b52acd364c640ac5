"""Release a table in which every record could be five others, without groups, and check it with the original."""

import krypsis
from krypsis.kinds.table.demo import hospital

patients = hospital(rows=2000)
task = {
    "roles": {
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
    },
    "hierarchies": {"sex": {"kind": "flat"}, "zip": {"kind": "masking", "side": "right"}},
}

free = krypsis.anonymize(patients, **task, models="kk-anonymity:k=5", algorithm="kk-anonymizer")
grouped = krypsis.anonymize(patients, **task, models="k-anonymity:k=5", algorithm="mondrian")
print(f"loss without groups {free.score:.3f}, with groups {grouped.score:.3f}")

saved = free.save("kk-release")
promises = ["kk-anonymity:k=5", "global-1k-anonymity:k=2"]
for verdict in krypsis.check(saved.folder, promises, original=patients, hierarchies=task["hierarchies"]):
    print(verdict.sentence)
