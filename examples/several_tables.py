"""Publish patients and their visits together, so that what is known of both distinguishes nobody."""

import polars as pl

import krypsis

patients = pl.DataFrame(
    {"id": [1, 2, 3, 4, 5], "age": [31, 34, 47, 48, 46], "disease": ["flu", "gout", "cancer", "flu", "asthma"]}
)
visits = pl.DataFrame(
    {
        "patient": [1, 1, 2, 2, 3, 4, 5, 5],
        "year": [2020, 2021, 2020, 2021, 2020, 2020, 2019, 2019],
        "ward": ["A", "B", "A", "B", "C", "C", "A", "A"],
        "drug": ["x", "y", "z", "w", "y", "z", "x", "x"],
    }
)

release = krypsis.anonymize(
    patients,
    {"id": "identifier", "age": "quasi-identifier", "disease": "sensitive"},
    key="id",
    hierarchies={"age": {"kind": "intervals", "width": 10, "origin": 0}},
    tables={
        "visits": {
            "data": visits,
            "key": "patient",
            "roles": {"year": "quasi-identifier", "ward": "quasi-identifier", "drug": "sensitive"},
        }
    },
    models="multirelational-k-anonymity:k=2",
    suppression=1,
)

print(release.summary())
print(release.table.sort("subject"))
print(release.tables["visits"].sort("subject"))
