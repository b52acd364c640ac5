"""Cut the built-in hospital table into groups of five and more, and see what it costs against one recoding for all."""

import krypsis
from krypsis.kinds.table.demo import hospital

patients = hospital(rows=2000)
roles = {
    "patient_id": "identifier",
    "patient_name": "identifier",
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "zip": "quasi-identifier",
    "diagnosis": "sensitive",
    "ward": "sensitive",
}
models = ["k-anonymity:k=5", "distinct-l-diversity:l=2"]

for algorithm in ("optimal", "mondrian", "mondrian:choose=ncp", "mondrian-relaxed"):
    release = krypsis.anonymize(
        patients,
        roles,
        hierarchies={"age": {"kind": "intervals", "width": 5}, "zip": {"kind": "masking", "side": "right"}},
        models=models,
        algorithm=algorithm,
        metric="generalized-loss",
    )
    print(f"{algorithm:<20} {release.score:.1%} lost, {release.evidence.outcome.group_count} groups")
