"""Compare three releases of the same table by the utility gauge."""

import krypsis
from krypsis.kinds.table.demo import hospital
from krypsis.kinds.table.utility import utility_gauge

patients = hospital(rows=1000)
roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
ages = {"age": {"kind": "intervals", "width": 10}}

releases = {
    "levels": krypsis.anonymize(patients, roles, models="k-anonymity:k=5", hierarchies=ages, suppression=0.02),
    "groups": krypsis.anonymize(patients, roles, models="frequency-l-diversity:l=3", algorithm="anatomize"),
    "noise": krypsis.anonymize(patients, roles, algorithm="noise:columns=age"),
}

for name, release in releases.items():
    gauge = utility_gauge(release)
    parts = ", ".join(f"{part.name} {part.share:.2f}" for part in gauge.parts if part.share is not None)
    print(f"{name}: {gauge.value:.0f} of 100 ({parts})")
