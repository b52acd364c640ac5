"""How the checker reads tables back: those of a release, and those of any tool."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker import published_tables
from krypsis.checker.base import Given, QuasiIdentifiers, attribute_sets, based_on, names_of
from krypsis.checker.evidence import Evidence, Judge, judge_with, read_evidence
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.table import check_table
from krypsis.checker.views import check_views
from krypsis.data.schema import Role
from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.format.claims import PARTED_FORMAT, Claims, restore_types
from krypsis.format.files import CSV, DATA, read_tables
from krypsis.format.part_files import PublishedParts, part_names
from krypsis.io.frames import frame_of
from krypsis.io.parquet_parts import is_parts, parts_at
from krypsis.io.read import read_table
from krypsis.models.base import Basis, PrivacyModel, Verdict

OF_ONE_FILE = ("group_column", "sensitive_table", "subject_column", "tables", "mechanism_record", "reference")
"""What a manifest may declare where a table is one file; a table in parts has generalized records and nothing else."""
LINKED = "tables"
"""The kind of promises about several tables that are linked by the subject of their rows."""


class TableCheck(published_tables.TableFiles):
    """Reads one table, or several that are linked by the subject of their rows."""

    name = "table"
    promise_kinds = ("table", LINKED)
    judged_fields = published_tables.TableFiles.judged_fields | {"subject_column", "tables"}
    reads_parts = True

    def files(self, claims: Claims) -> frozenset[str]:
        return part_names(claims) or super().files(claims)

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        yield from super().unjudged(claims, promises)
        if claims.format == PARTED_FORMAT:
            found = {name: getattr(claims, name) for name in OF_ONE_FILE}
            yield from (f"the field {name} with a table in parts" for name, value in found.items() if value)

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        if claims.format != PARTED_FORMAT:
            return super().check_files(folder, claims, models, given)
        published_tables.check_roles(folder, claims)
        rows = rows_of_release(folder, claims)
        if not models:  # the files are verified while they are counted, whatever is promised
            for _ in rows.frames():
                pass
            return ()
        stated = Given(claims.quasi_identifier_sets, claims.sensitive, hierarchies=claims.hierarchies_of_sensitive)
        return check_table(rows, models, given.or_else(stated))

    def with_further_tables(
        self, published: published_tables.PublishedTables, folder: Path, claims: Claims
    ) -> published_tables.PublishedTables:
        return replace(published, subjects=_subjects(folder, claims, published.table))

    def unjudged_tables(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        if claims.subject_column is None:
            if claims.tables:
                yield f"further tables that nothing links to the first ({', '.join(sorted(claims.tables))})"
            return
        for name, table in claims.tables.items():
            if claims.subject_column not in [column.name for column in table.columns]:
                yield f"a table {name} without the column {claims.subject_column!r}"
        if claims.tables and not any(promise.kind == LINKED for promise in promises):
            yield f"further tables ({', '.join(claims.tables)}) without a promise about all tables together"

    def shows_records(self, models: Sequence[PrivacyModel]) -> bool:
        return not any(model.kind == LINKED for model in models)

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        if any(getattr(model, "kind", None) == LINKED for model in models):
            linked = _linked(published, given.key, given.tables or {}, given.quasi_identifiers or ())
            verdicts = check_views(linked, models)
            return based_on(basis_of_views(linked.pop(DATA), linked), verdicts)
        given.refuse(("key", "tables", "item"), "promises about several tables or sets of items; leave it out")
        given = read_evidence(given)
        return _check_table(_table_of(published, given), models, given)


def rows_of_release(folder: Path, claims: Claims) -> PartedRows:
    """Return the rows of a release in parts, each part verified when it is read.

    As in a table in one file, quasi-identifiers stay as they are written, and sensitive values get their types.
    """
    parts = PublishedParts.in_folder(folder, claims, prefer=CSV)

    def frames() -> Iterator[pl.DataFrame]:
        return (restore_types(table, claims.columns, claims.sensitive) for table in parts.as_written())

    return PartedRows(parts.columns, parts.rows, frames)


def _table_of(published: Any, given: Given) -> pl.DataFrame | PartedRows:
    """Return a table of a frame, of a file, or of several Parquet files."""
    if is_parts(published):
        given.refuse(("delimiter", "encoding"), "CSV files; leave it out")
        return rows_of_files(published)
    if not isinstance(published, str | Path):
        given.refuse(("delimiter", "encoding"), "CSV files; leave it out")
        return frame_of(published)
    path = Path(published)
    if not path.exists():
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise DataError(f"no file or folder {path}.{did_you_mean(path.name, names)}")
    return read_table(path, **given.named("delimiter", "encoding"))


def rows_of_files(published: str | os.PathLike[str]) -> PartedRows:
    """Return the rows of a table in several Parquet files that any tool has written."""
    parts = parts_at(published)
    return PartedRows(parts.columns, parts.rows, parts.frames)


def _check_table(table: pl.DataFrame | PartedRows, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
    """Say for each promise whether a table keeps it, whichever tool has made it."""
    group, sensitive, known = given.group, given.sensitive or (), given.quasi_identifiers
    judge: Judge
    if group is None:
        if given.sensitive_table is not None:
            raise UsageError("a table of sensitive values needs the column that both tables share; name the group")
        known = _required(models, known)
        judge = partial(check_table, table, given=given)
    else:
        if isinstance(table, PartedRows):
            raise UsageError("groups that a column names are checked in a table in one file; leave the group out")
        only_groups = bool(models) and all(model.needs_sensitive for model in models)
        known = _required(models, known or ([group] if only_groups else None))
        values_table = given.sensitive_table
        values = (
            None
            if values_table is None
            else published_tables.sensitive_table_of(frame_of(values_table), group, given.sensitive)
        )
        judge = partial(
            published_tables.check_published,
            published_tables.PublishedTables(table, group, values),
            given=replace(given, quasi_identifiers=known),
        )
    evidence = Evidence(table.columns, names_of(sensitive), **given.named("original", "population", "private_columns"))
    found = judge_with(evidence, models, lambda decidable: judge(decidable) if decidable else ())
    return based_on(basis_of_table(table.columns, known, names_of(sensitive)), found)


def _required(models: Sequence[PrivacyModel], quasi_identifiers: QuasiIdentifiers | None) -> QuasiIdentifiers:
    """Return the quasi-identifiers, or say what a table without a manifest still needs."""
    if not models:
        raise UsageError("a table brings no promises of its own; name at least one, such as k-anonymity:k=5")
    if not quasi_identifiers:
        raise UsageError("a table does not say which attributes an attacker may know; name the quasi-identifiers")
    return quasi_identifiers


def _linked(
    data: Any, key: str | None, tables: Mapping[str, Any], quasi_identifiers: QuasiIdentifiers
) -> dict[str, published_tables.SubjectTable]:
    """Return the tables with what is known of each; ``visits.year`` is the column year of the table visits."""
    if key is None:
        return {}
    sets = attribute_sets(quasi_identifiers) if quasi_identifiers else ((),)
    if len(sets) > 1:
        raise UsageError("what is known of a subject in several tables is one set of attributes; name it once")
    names = {
        name: tuple(one.removeprefix(f"{name}.") for one in sets[0] if one.startswith(f"{name}.")) for name in tables
    }
    own = tuple(one for one in sets[0] if not any(one.startswith(f"{name}.") for name in tables))
    if not any((own, *names.values())):
        raise UsageError(
            "tables do not say which attributes an attacker may know; name the quasi-identifiers, those of a further "
            "table with its name before: age, visits.year"
        )
    frames = {DATA: data, **tables}
    known = {DATA: own, **names}
    return {name: published_tables.SubjectTable(frame_of(frame), key, known[name]) for name, frame in frames.items()}


def basis_of_table(columns: Sequence[str], known: QuasiIdentifiers, sensitive: Sequence[str]) -> Basis:
    """Return what a table of any tool was judged on: whoever checks has named all of it."""
    sets = attribute_sets(known)
    judged = {*sensitive, *(name for names in sets for name in names)}
    rest = tuple(name for name in columns if name not in judged)
    return Basis(quasi_identifiers=sets, sensitive=tuple(sensitive), not_judged=rest)


def basis_of_views(first: published_tables.SubjectTable, others: Mapping[str, published_tables.SubjectTable]) -> Basis:
    """Return what tables of any tool that are linked by a key were judged on, columns of further tables by its name."""
    tables = [("", first), *((f"{name}.", one) for name, one in others.items())]
    known = tuple(f"{prefix}{name}" for prefix, one in tables for name in one.quasi_identifiers)
    rest = tuple(
        f"{prefix}{name}"
        for prefix, one in tables
        for name in one.table.columns
        if name != one.key and name not in one.quasi_identifiers
    )
    return Basis(quasi_identifiers=(known,), not_judged=rest)


def _subjects(folder: Path, claims: Claims, table: pl.DataFrame) -> dict[str, published_tables.SubjectTable]:
    """Return the tables of a release of several, the first under the name of its file."""
    column = claims.subject_column
    if column is None:
        return {}
    first = tuple(one.name for one in claims.columns if one.role is Role.QUASI_IDENTIFIER)
    further = read_tables(folder, claims)
    known = {
        name: published_tables.SubjectTable(further[name], column, one.quasi_identifiers)
        for name, one in claims.tables.items()
    }
    return {DATA: published_tables.SubjectTable(table, column, first), **known}
