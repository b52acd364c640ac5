"""Hide who of a town is in the table of a hospital, and check the release with the register of the town."""

import numpy as np
import polars as pl

import krypsis

rng = np.random.default_rng(1)
town = pl.DataFrame(
    {
        "age": rng.integers(18, 90, 4000),
        "sex": rng.choice(["female", "male"], 4000),
        "zip": rng.choice(["94110", "94112", "94114", "94131", "94132"], 4000),
    }
)
patients = town.sample(fraction=0.1, seed=1).with_columns(ward=pl.lit("heart"))

task = {
    "roles": {"age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier", "ward": "insensitive"},
    "hierarchies": {
        "age": {"kind": "intervals", "width": 5},
        "sex": {"kind": "flat"},
        "zip": {"kind": "masking", "side": "right"},
    },
    "population": town,
}
for promise in (
    "k-anonymity:k=5",
    "k-map:k=5",
    "delta-presence:delta_max=0.2",
    "delta-presence:delta_min=0.05,delta_max=0.15",
):
    release = krypsis.anonymize(patients, **task, models=promise, suppression=0.02)
    print(f"{promise}: levels {release.levels}, loss {release.score:.3f}, {release.suppressed} suppressed")

saved = release.save("hidden-presence")
for verdict in krypsis.check(saved.folder, population=town, hierarchies=task["hierarchies"]):
    print(verdict.sentence)
