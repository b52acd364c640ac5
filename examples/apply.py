"""Publish this month's patients, then next month's in the same way."""

import krypsis
from krypsis.kinds.table.demo import hospital

patients = hospital(rows=4000)
this_month, next_month = patients[:3000], patients[3000:]

release = krypsis.anonymize(
    this_month,
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": {"kind": "intervals", "width": 10}},
    models=["k-anonymity:k=5"],
    suppression="1%",
)
release.save("release")

more = krypsis.apply("release", next_month)
more.save("more")
print(release.levels, "and", more.levels)
print(sorted(set(more.table["age"].drop_nulls())))
