"""Publish patients in groups of five, and attack the release as somebody would who knows some columns of everybody."""

import krypsis
from krypsis.kinds.table.demo import hospital

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
release = krypsis.anonymize(
    hospital(rows=500, seed=5).select(*ROLES), roles=ROLES, models="k-anonymity:k=5", algorithm="mondrian"
)

for spec in ("linkage", "homogeneity", "background:ruled_out=2"):
    print(krypsis.registry.create("attack", spec).run(release).sentence())

# What was learned in detail: whose diagnosis is known with a chance of one half or more?
learned = krypsis.HomogeneityAttack(known=["age"], sensitive="diagnosis", certainty=0.5).find(release)
print(f"{learned.exposed:.0f} of {learned.records} records are exposed to somebody who knows the age")
