"""How the checker reads tables back: those of a release, and those of any tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.base import Given, QuasiIdentifiers, attribute_sets, based_on, names_of
from krypsis.checker.evidence import Evidence, Judge, judge_with, read_evidence
from krypsis.checker.published_tables import (
    PublishedTables,
    SubjectTable,
    TableFiles,
    check_published,
    sensitive_table_of,
)
from krypsis.checker.table import check_table
from krypsis.checker.views import check_views
from krypsis.data.hierarchies import resolve
from krypsis.data.schema import Role
from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.format.claims import Claims
from krypsis.format.files import DATA, read_tables
from krypsis.io.frames import frame_of
from krypsis.io.read import read_table
from krypsis.io.texts import distinct_texts
from krypsis.models.base import Basis, PrivacyModel, Verdict

LINKED = "tables"
"""The kind of promises about several tables that are linked by the subject of their rows."""


class TableCheck(TableFiles):
    """Reads one table, or several that are linked by the subject of their rows."""

    name = "table"
    promise_kinds = ("table", LINKED)
    judged_fields = TableFiles.judged_fields | {"subject_column", "tables"}

    def with_further_tables(self, published: PublishedTables, folder: Path, claims: Claims) -> PublishedTables:
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

    def private_inputs(self, plan: Any, original: Any, population: Any) -> tuple[Any, Any, dict[str, Any]]:
        table = frame_of(
            plan.bind(plan.read_data()).dataset.collect() if original is None else original, "the original table"
        )
        named = population or (plan.folder / plan.population if plan.population else None)
        people = None if named is None else frame_of(named, "the population")
        specs = {name: column.hierarchy for name, column in plan.columns.items() if column.hierarchy is not None}
        hierarchies = {}
        for name, spec in specs.items():
            columns = [one.get_column(name) for one in (table, people) if one is not None and name in one.columns]
            values = dict.fromkeys(value for column in columns for value in distinct_texts(column))
            hierarchies[name] = resolve(spec, list(values), name, plan.folder)
        return table, people, hierarchies

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        if any(getattr(model, "kind", None) == LINKED for model in models):
            linked = _linked(published, given.key, given.tables or {}, given.quasi_identifiers or ())
            verdicts = check_views(linked, models)
            return based_on(basis_of_views(linked.pop(DATA), linked), verdicts)
        given.refuse(("key", "tables", "item"), "promises about several tables or sets of items; leave it out")
        given = read_evidence(given)
        return _check_table(_table_of(published, given), models, given)


def _table_of(published: Any, given: Given) -> pl.DataFrame:
    """Return a table of a frame or file."""
    if not isinstance(published, str | Path):
        given.refuse(("delimiter", "encoding"), "CSV files; leave it out")
        return frame_of(published)
    path = Path(published)
    if not path.exists():
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise DataError(f"no file or folder {path}.{did_you_mean(path.name, names)}")
    return read_table(path, **given.named("delimiter", "encoding"))


def _check_table(table: pl.DataFrame, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
    """Say for each promise whether a table keeps it, whichever tool has made it."""
    group, sensitive, known = given.group, given.sensitive or (), given.quasi_identifiers
    details = given.named("reference", "hierarchies", "missing", "original", "population", "private_columns", "literal")
    judge: Judge
    if group is None:
        if given.sensitive_table is not None:
            raise UsageError("a table of sensitive values needs the column that both tables share; name the group")
        known = _required(models, known)
        judge = partial(check_table, table, quasi_identifiers=known, sensitive=sensitive, **details)
    else:
        only_groups = bool(models) and all(model.needs_sensitive for model in models)
        known = _required(models, known or ([group] if only_groups else None))
        values_table = given.sensitive_table
        values = None if values_table is None else sensitive_table_of(frame_of(values_table), group, given.sensitive)
        judge = partial(
            check_published,
            PublishedTables(table, group, values),
            quasi_identifiers=known,
            sensitive=sensitive,
            **details,
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
) -> dict[str, SubjectTable]:
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
    return {name: SubjectTable(frame_of(frame), key, known[name]) for name, frame in frames.items()}


def basis_of_table(columns: Sequence[str], known: QuasiIdentifiers, sensitive: Sequence[str]) -> Basis:
    """Return what a table of any tool was judged on: whoever checks has named all of it."""
    sets = attribute_sets(known)
    judged = {*sensitive, *(name for names in sets for name in names)}
    rest = tuple(name for name in columns if name not in judged)
    return Basis(quasi_identifiers=sets, sensitive=tuple(sensitive), not_judged=rest)


def basis_of_views(first: SubjectTable, others: Mapping[str, SubjectTable]) -> Basis:
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


def _subjects(folder: Path, claims: Claims, table: pl.DataFrame) -> dict[str, SubjectTable]:
    """Return the tables of a release of several, the first under the name of its file."""
    column = claims.subject_column
    if column is None:
        return {}
    first = tuple(one.name for one in claims.columns if one.role is Role.QUASI_IDENTIFIER)
    further = read_tables(folder, claims)
    known = {name: SubjectTable(further[name], column, one.quasi_identifiers) for name, one in claims.tables.items()}
    return {DATA: SubjectTable(table, column, first), **known}
