"""What an analyst can still do with a release: learn a class, find rules, find clusters."""

import krypsis
from krypsis.kinds.table.demo import hospital
from krypsis.kinds.table.utility import cluster_agreement, kept_rules, tree_accuracy

patients = hospital(rows=5000)
release = krypsis.anonymize(
    patients,
    roles={
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
    models=["k-anonymity:k=5"],
    algorithm="optimal",
    suppression=0.02,
)

print(tree_accuracy(patients, release, target="ward", columns=["age", "sex"]).sentence)
print(cluster_agreement(patients, release, columns=["age", "sex"]).sentence)

rules = kept_rules(patients, release, columns=["sex", "zip", "diagnosis", "ward"], support=0.01, confidence=0.5)
print(rules.sentence)
for rule in rules.kept[:3]:
    print(f"  {rule} ({rule.confidence:.0%})")
