"""A small release in groups, to save, load and break."""

import polars as pl

import krypsis

PATIENTS = pl.DataFrame(
    {
        "age": [23, 27, 35, 59, 61, 65, 65, 70],
        "sex": ["M", "M", "M", "M", "F", "F", "F", "F"],
        "disease": ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia", "flu", "gastritis", "flu", None],
        "pay": [30, 31, 40, 45, 50, 61, 70, 80],
        "ward": ["A", "B"] * 4,
    }
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "ward": "insensitive"}


def two_tables(seed=1):
    """Exact quasi-identifiers in one table, the diseases of each group in another."""
    roles, promise = {**ROLES, "disease": "sensitive"}, "frequency-l-diversity:l=2"
    return krypsis.anonymize(PATIENTS, roles, models=promise, algorithm={"name": "anatomize", "seed": seed})


def permuted_values(seed=1):
    """Exact quasi-identifiers, the pay shuffled inside groups."""
    roles, promise = {**ROLES, "pay": "sensitive"}, "ke-anonymity:k=3,e=10"
    return krypsis.anonymize(PATIENTS, roles, models=promise, algorithm={"name": "permutation", "seed": seed})
