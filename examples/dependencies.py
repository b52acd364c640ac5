"""Publish a table without a diagnosis that drugs and other records would give away."""

import polars as pl

import krypsis

patients = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        "drug": ["insulin", "aspirin", "metformin", "statin", "statin", "statin"],
        "ward": ["east", "west", "west", "east", "west", "west"],
        "diagnosis": ["E10", "I10", "E11", "E78", "E78", "E78"],
    }
)
roles = {"name": "identifier", "drug": "insensitive", "ward": "insensitive", "diagnosis": "sensitive"}

release = krypsis.anonymize(
    patients,
    roles,
    secrets="diagnosis where ward = east",
    dependencies=["drug = insulin => diagnosis in E10, E11", "drug -> diagnosis"],
)
print(release.table.sort("ward", "drug", nulls_last=True))
for leak in release.private["secrets"]:
    print(f"{leak['readable']}: {leak['steps'][-1]['sentence']}; blank now: {', '.join(leak['blanked'])}")

# A table of another tool is checked in the same way: here, only the diagnoses are blank.
only_secrets = patients.drop("name").with_columns(
    diagnosis=pl.when(pl.col("ward") == "west").then("diagnosis"),
)
(verdict,) = krypsis.check(
    only_secrets, "dependency-safety", sensitive=["diagnosis"], dependencies=["drug -> diagnosis"]
)
print(verdict.sentence)
