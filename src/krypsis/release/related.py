"""A further table of a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from krypsis.checker.views import SubjectTable
from krypsis.format.claims import Claims
from krypsis.format.files import DATA, PARQUET, read_tables
from krypsis.format.types import publishable, restore_types
from krypsis.schema import Schema

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """What is published beside the first table, linked to it by the subject of its rows, with the roles it has."""

    table: pl.DataFrame
    schema: Schema
    from_text: frozenset[str] = frozenset()
    """Columns that are published as they were in a text file; in Parquet they have the type of their values."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", publishable(self.table))


def load_tables(folder: Path, claims: Claims) -> dict[str, PublishedTable]:
    """Read the further tables of a release from its folder."""
    found = read_tables(folder, claims, prefer=PARQUET)
    return {
        name: PublishedTable(
            restore_types(found[name], one.columns, found[name].columns),
            Schema(roles={column.name: column.role for column in one.columns}),
        )
        for name, one in claims.tables.items()
    }


def subject_tables(release: Release) -> dict[str, SubjectTable]:
    """Return the tables of a release of several as the checker knows them, the first under the name of its file."""
    if (column := release.subject_column) is None:
        return {}
    return {
        DATA: SubjectTable(release.table, column, release.schema.quasi_identifiers),
        **{name: SubjectTable(one.table, column, one.schema.quasi_identifiers) for name, one in release.tables.items()},
    }


def sensitive_of_tables(release: Release) -> dict[str, tuple[str, str]]:
    """Return the sensitive columns of a release of several tables: what to call one → its table and its name there."""
    first = {name: (DATA, name) for name in release.schema.sensitive}
    further = {
        f"{table}.{name}": (table, name) for table, one in release.tables.items() for name in one.schema.sensitive
    }
    return first | further
