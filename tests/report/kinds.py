"""Small releases of every kind that a table can be published as."""

from __future__ import annotations

import polars as pl

import krypsis

ROWS = 60
PATIENTS = pl.DataFrame(
    {
        "id": [f"p{number}" for number in range(ROWS)],
        "age": [20 + number * 7 % 30 for number in range(ROWS)],
        "sex": ["F" if number % 3 else "M" for number in range(ROWS)],
        "pay": [1000 + number * 37 % 800 for number in range(ROWS)],
        "disease": [("flu", "hiv", "cancer", "asthma")[number % 4] for number in range(ROWS)],
    }
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
AGES = {"age": {"kind": "intervals", "width": 10, "origin": 0}}
SEXES = {"any": ["F", "M"]}
STAYS = pl.DataFrame({"id": [f"p{n % ROWS}" for n in range(90)], "ward": [("A", "B")[n % 2] for n in range(90)]})


def _generalized(k=3, **options):
    return krypsis.anonymize(PATIENTS, ROLES, hierarchies=AGES, models=f"k-anonymity:k={k}", **options)


KINDS = {
    "full domain": lambda: _generalized(suppression=0.2, algorithm="optimal"),
    "fixed levels": lambda: _generalized(suppression=0.6, algorithm={"name": "fixed", "levels": "1,0"}, k=8),
    "kept": lambda: _generalized(suppression=0.2, suppressed="keep", algorithm="optimal"),
    "local recoding": lambda: _generalized(algorithm="mondrian"),
    "links": lambda: krypsis.anonymize(
        PATIENTS, ROLES, hierarchies=AGES, models="kk-anonymity:k=2", algorithm="kk-anonymizer"
    ),
    "two tables": lambda: krypsis.anonymize(
        PATIENTS, ROLES, models="frequency-l-diversity:l=2", algorithm="anatomize:seed=1"
    ),
    "permuted": lambda: krypsis.anonymize(
        PATIENTS,
        {"age": "quasi-identifier", "sex": "quasi-identifier", "pay": "sensitive"},
        models="ke-anonymity:k=3,e=50",
        algorithm="permutation:seed=1",
    ),
    "noise": lambda: krypsis.anonymize(PATIENTS, ROLES, algorithm="noise:columns=age,seed=1"),
    "synthetic": lambda: krypsis.anonymize(PATIENTS, ROLES, algorithm="synthetic:seed=1"),
    "blanked": lambda: krypsis.anonymize(
        PATIENTS,
        ROLES,
        models={"name": "ff-anonymity", "theta": 0.3, "lmax": 1, "observable": ["sex"], "sensitive": ["disease=hiv"]},
        algorithm="ff-suppression",
    ),
    "made by chance": lambda: krypsis.anonymize(
        PATIENTS,
        {"age": "quasi-identifier", "sex": "quasi-identifier"},
        models="differential-privacy:epsilon=2",
        algorithm="dp-histogram",
        hierarchies={"age": {"kind": "intervals", "cuts": [20, 30, 40, 50]}, "sex": SEXES},
    ),
    "several tables": lambda: krypsis.anonymize(
        PATIENTS.select("id", "age", "sex"),
        {"id": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier"},
        key="id",
        models="multirelational-k-anonymity:k=3",
        suppression=0.5,
        hierarchies=AGES,
        tables={"stays": {"data": STAYS, "roles": {"id": "identifier", "ward": "quasi-identifier"}}},
    ),
}
