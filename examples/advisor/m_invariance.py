"""m-invariance: a hospital publishes its patients in spring and in autumn; some have left by then, others have come.

A search for the best groups is not there yet. Here everybody stays in the group of spring: a newcomer with the same
diagnosis takes the place of somebody who left, or a counterfeit does. Other newcomers form groups of their own.
"""

from pathlib import Path

import polars as pl
from journey import ask, told

import krypsis
from krypsis.advisor import evidence_of
from krypsis.attacks.intersection import CandidateAttack
from krypsis.checker import check_history, version_of_folder
from krypsis.kinds.table.demo import hospital
from krypsis.kinds.table.make import release_of_publication
from krypsis.kinds.table.publication import BucketedTables
from krypsis.release.order import in_input_order

M = 3
ROLES = {"patient_id": "identifier", "age": "quasi-identifier", "diagnosis": "sensitive"}


def grouped(patients: pl.DataFrame, first: int) -> pl.DataFrame:
    """Put patients into groups of M different diagnoses, with numbers from ``first`` on; whoever fits none waits."""
    whole = patients.head(patients.height // M * M)
    release = krypsis.anonymize(whole, ROLES, models=f"frequency-l-diversity:l={M}", algorithm="anatomize")
    return whole.with_columns(in_input_order(release)["group"] + first - 1)


def republished(spring: pl.DataFrame, staying: pl.DataFrame, coming: pl.DataFrame) -> pl.DataFrame:
    """Keep the groups of those who stay, fill the places of others, and group the remaining newcomers."""
    rows, waiting = [], {row["patient_id"]: row for row in coming.iter_rows(named=True)}
    left = set(spring["patient_id"]) - set(staying["patient_id"])
    open_groups = set(spring.filter(pl.col("patient_id").is_in(staying["patient_id"].to_list()))["group"])
    for row in spring.filter(pl.col("group").is_in(list(open_groups))).iter_rows(named=True):
        if row["patient_id"] in left:
            fitting = (one for one in waiting.values() if one["diagnosis"] == row["diagnosis"])
            other = next(fitting, {"patient_id": None, "age": None, "diagnosis": row["diagnosis"]})
            waiting.pop(other["patient_id"], None)
            rows.append({**other, "group": row["group"]})
        else:
            rows.append(row)
    filled = pl.DataFrame(rows, schema=spring.schema)
    return pl.concat([filled, grouped(pl.DataFrame(list(waiting.values()), schema=coming.schema), 1000)])


def save(version: pl.DataFrame, folder: Path) -> None:
    """Publish the ages of each group as one range, so that a counterfeit looks like everybody else."""
    ages = pl.format("{}-{}", pl.col("age").min().over("group"), pl.col("age").max().over("group"))
    table = version.select(ages.alias("age"), "group", "diagnosis")
    schema = krypsis.Schema.of({"age": "quasi-identifier", "group": "insensitive", "diagnosis": "sensitive"})
    promises = (f"k-anonymity:k={M}", f"distinct-l-diversity:l={M}")
    publication = BucketedTables(table, schema, group_column="group")
    release_of_publication(publication, promises, rows_before=table.height).save(folder)


def as_published(version: pl.DataFrame, folder: Path) -> krypsis.io.history.Version:
    """Read a release back, and add what only the publisher knows: who is in which group, and who does not exist."""
    real = version.drop_nulls("patient_id")
    invented = version.filter(pl.col("patient_id").is_null()).group_by("group").len()
    people = dict(real.select("patient_id", "group").iter_rows())
    return version_of_folder(folder, people=people, counterfeits=dict(invented.iter_rows()))


patients = hospital(240).select("patient_id", "age", "diagnosis")
before, coming = patients.head(150), patients.tail(90)
staying = before.sample(fraction=0.8, seed=23)

folder = Path("m-invariance")
evidence = evidence_of(pl.concat([staying, coming]), krypsis.Schema.of(ROLES), earlier_releases=1)
advice = ask("y,y,y,n,y", folder=folder, evidence=evidence, m=str(M))

spring = grouped(before, first=1)
autumn = republished(spring, staying, coming)
versions = []
for name, version in (("spring", spring), ("autumn", autumn)):
    save(version, folder / name)
    versions.append(as_published(version, folder / name))
    print(f"published: {name}, {version.height} records, {version['patient_id'].null_count()} of them counterfeits")

left = CandidateAttack(cascade=True).find(versions)
print(f"whoever compares both releases is left with at least {min(map(len, left.values()))} diagnoses for everybody")
verdicts = told(check_history(versions, [krypsis.registry.create("model", advice.spec)]))
