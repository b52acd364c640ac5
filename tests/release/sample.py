"""A small release to save, load and break."""

from collections import Counter
from dataclasses import replace

import polars as pl

from krypsis.data.schema import Role, Schema
from krypsis.io.parts import TableParts
from krypsis.io.scratch import ScratchFolder
from krypsis.kinds.table.make import release_of
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.publication import BucketedTables
from krypsis.release.release import Release

TABLE = pl.DataFrame(
    {
        "age": ["[30-35)", "[30-35)", "[35-40)", "[35-40)", "[35-40)"],
        "zip": [None, None, "0123*", "0123*", "0123*"],
        "disease": ["Flu", "Fever", "Flu", None, 'a "quoted", one'],
        "visits": [1, 2, None, 4, 5],
    }
)
SCHEMA = Schema.of(
    {"name": "identifier", "age": "QI", "zip": "QI", "disease": "sensitive", "visits": "insensitive"},
    weights={"age": 2},
)


def make_release(**changes) -> Release:
    release = release_of(
        table=TABLE,
        schema=SCHEMA,
        promises=("k-anonymity:k=2",),
        algorithm="optimal",
        scheme="AG_TS",
        metric="loss",
        hierarchies={"age": "csv /home/mary/age.csv", "zip": "masking"},
        levels={"age": 1, "zip": 1},
        heights={"age": 3, "zip": 5},
        score=0.123456789,
        suppressed=1,
        rows_before=6,
        metrics={"loss": 0.123456789, "discernibility": 13.0},
        private={"seed": 31415926535, "input_sha256": "checksum-of-the-input", "suppressed_rows": [3]},
    )
    return changed(release, **changes)


def changed(release: Release, **changes) -> Release:
    """Return the release with other values of its fields, or of those of its publication and of how it was made."""
    if "table" in changes:
        changes["coded_table"] = changes.pop("table")  # which a publication keeps the table in
    for part in (release.publication, release.made_by):
        own = {name: changes.pop(name) for name in list(changes) if name in part.__dataclass_fields__}
        release = replace(release, **{"made_by" if part is release.made_by else "publication": replace(part, **own)})
    return replace(release, **changes)


def in_parts(release: Release, rows: int = 1) -> Release:
    """Return the release with its records in parts of so many."""
    frames = [release.table.slice(start, rows) for start in range(0, release.table.height, rows)]
    return replace(release, publication=PartedTable(TableParts.of(frames, ScratchFolder()), release.schema))


def in_one_group(release: Release) -> Release:
    """Return the release as one group of records, with the diseases in a table of their own."""
    table, column = release.table.with_columns(group=pl.lit(1)), "disease"
    publication = BucketedTables(
        table.drop(column),
        release.schema.model_copy(update={"roles": {**release.schema.roles, "group": Role.INSENSITIVE}}),
        sensitive_table=table.group_by("group", column).len("count").sort(column).cast({"count": pl.Int64}),
        group_column="group",
    )
    return changed(replace(release, publication=publication), promises=("distinct-l-diversity:l=2",))


def same_records(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables hold the same records, in whatever order."""
    return Counter(map(repr, one.rows())) == Counter(map(repr, other.rows())) and one.schema == other.schema
