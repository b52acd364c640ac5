"""Publish a table of which some values leave again and again: as they are, and more generally where that pays."""

import numpy as np
import polars as pl

import krypsis

DISEASES = {
    "any": {
        "infection": ["flu", "cold", "bronchitis", "pneumonia"],
        "chronic": ["asthma", "diabetes", "gout", "arthritis"],
        "injury": ["fracture", "sprain", "burn", "cut"],
    }
}
EVERY = [disease for family in DISEASES["any"].values() for disease in family]

chance = np.random.default_rng(5)


def patient(*diseases: str) -> tuple[int, str]:
    return int(chance.integers(20, 80)), str(chance.choice(diseases))


patients = {number: patient(*EVERY) for number in range(600)}
versions = []
# In every version most patients with flu or a cold are gone, and others with bronchitis or pneumonia have come.
for version in range(5):
    versions.append(dict(patients))
    gone = [number for number, (_, disease) in patients.items() if disease in ("flu", "cold") and chance.random() < 0.6]
    for place, number in enumerate(gone):
        del patients[number]
        patients[1000 * (version + 1) + place] = patient("bronchitis", "pneumonia")

for algorithm in ("correlation", "frequency-aware"):
    history = krypsis.History.init(
        f"{algorithm}-history",
        id="patient",
        roles={"age": "quasi-identifier", "disease": "sensitive"},
        models="em-correlation:e=12/5,m=2",
        hierarchies={"disease": DISEASES},
        algorithm=f"{algorithm}:on_ineligible=counterfeits,seed=1",
    )
    for people in versions:
        rows = [(number, age, disease) for number, (age, disease) in people.items()]
        history.publish(pl.DataFrame(rows, schema=["patient", "age", "disease"], orient="row"))
    print(f"{algorithm}: {sum(change.counterfeits for change in history.log())} counterfeits")
    print("  ", ", ".join(sorted(set(history.versions()[-1].records["value"]))))
    print("  ", *(verdict.sentence for verdict in history.check()))
