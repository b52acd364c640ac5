"""Publish patients twice, once carelessly and once with a memory, and attack both as somebody would who knows them."""

from pathlib import Path

import polars as pl

import krypsis
from krypsis.attacks.histories import attack_history
from krypsis.io.history import Version
from krypsis.kinds.table.demo import hospital
from krypsis.release.order import in_input_order

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"}
everybody = hospital(rows=600, seed=5).select("patient_id", *ROLES)
spring, autumn = everybody.head(500), everybody.tail(500)  # 100 have left, 100 have come


def careless(table: pl.DataFrame) -> Version:
    """Three different diagnoses in every group, and no thought of what was published before."""
    release = krypsis.anonymize(
        table.drop("patient_id"), roles=ROLES, models=["distinct-l-diversity:l=3"], algorithm="anatomize"
    )
    # The published records are in random order; only the publisher can put them back in that of the input.
    private = table.with_columns(in_input_order(release).get_column("group"))
    return Version.of(private, group="group", sensitive="diagnosis", person="patient_id")


report = attack_history([careless(spring), careless(autumn)], m=3)
for learned in report.attacks:
    print(f"{learned.attack}: {learned.breached(report.limit)} of {report.people} people are given away")

history = krypsis.History.init(
    Path("patients-attacked"), id="patient_id", roles=ROLES, models="m-invariance:m=3", algorithm="m-invariant"
)
for table in (spring, autumn):
    history.publish(table)
print("\n".join(history.attack().sentences()))
