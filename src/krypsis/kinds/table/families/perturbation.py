"""Releases of changed values: the records look as before, and some of their values are others."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from krypsis.algorithms.tables.base import Perturbation
from krypsis.data.columns import AnyColumn, NumericColumn
from krypsis.data.hierarchies import resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Role, Schema
from krypsis.errors import PrivacyWarning, UsageError, column_not_found, shorten
from krypsis.io.columns import category_column, read_again, read_column, write_column
from krypsis.io.dataset import Dataset
from krypsis.io.texts import distinct, text_of
from krypsis.kinds.table.publication import PerturbedTable
from krypsis.kinds.table.statistics import compare, unchanged_records
from krypsis.kinds.table.task import TableTask, check_task
from krypsis.models.base import PrivacyModel
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run, coded_bytes

MANY_UNCHANGED = 0.5
"""From this share of records on that a method leaves as they were, the publisher is warned."""


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task with changed values. Its promises, if it has any, have not been checked."""
    check_task(task)
    method, dataset = task.method_of(Perturbation), task.dataset
    _refuse_what_does_not_fit(task, method)
    published = _published(dataset, task.schema)
    changed = changed_columns(method, task.schema, published)
    with run.phase("encode"):
        rows = dataset.collect(published)
        before = {name: read_column(rows.get_column(name), method.form_of(name)) for name in changed}
        read = {name: category_column(rows.get_column(name)) for name in method.reads}
    with run.phase("search"):
        rng = run.random(_hidden(before.values()))
        after = method.perturb({**before, **read}, rng)
    with run.phase("recode"):
        table = _table(rows, after)
        found = {name: read_again(column, table.get_column(name)) for name, column in before.items()}
    matches = method.changes == "quasi-identifiers"  # records that are drawn anew are nobody's
    statistics, promises = compare(before, found), _promises(task, method, changed)
    if not promises and matches:
        _warn_of_unchanged(method, statistics, unchanged_records(before, found), table.height)
    made_by = MadeBy(
        promises=tuple(model.spec for model in promises),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=method.guarantee,
        rows_before=table.height,
    )
    return run.release(
        PerturbedTable(table, task.schema, sensitive_hierarchies=_sensitive_hierarchies(task, table)),
        made_by,
        Before(rows, matches_rows=matches),
        order_from=rng,
        statistics=statistics,
        **({"suppressed_rows": []} if matches else {}),
    )


def _hidden(columns: Iterable[AnyColumn]) -> Iterator[bytes]:
    """Yield the values of columns before they are changed."""
    for column in columns:
        if isinstance(column, NumericColumn):
            yield column.values.tobytes()
        else:
            yield from coded_bytes(column.labels, column.codes)


def changed_columns(method: Perturbation, schema: Schema, published: Sequence[str]) -> list[str]:
    """Return the columns that a method changes.

    Raises
    ------
    UsageError
        if a name is wrong, no column is left to change, or records would be drawn for a part of the columns only.
    """
    for name in (*method.columns, *method.reads):
        if name not in published:
            raise _not_published(name, schema, published)
    if both := [name for name in method.columns if name in method.reads]:
        raise UsageError(f"column {both[0]!r} cannot change and stay: it is among both 'columns' and 'within'")
    usual = schema.quasi_identifiers if method.changes == "quasi-identifiers" else published
    changed = [name for name in published if name in (method.columns or usual) and name not in method.reads]
    if not changed:
        raise UsageError(
            f"{method.name} has no column to change; give a column the role 'quasi-identifier', or name some: columns="
            + ",".join(published[:2])
        )
    if getattr(method, "size", None) is not None and len(changed) < len(published):
        rest = ", ".join(name for name in published if name not in changed)
        raise UsageError(f"size is for whole records, and these columns would not be drawn: {rest}; leave them out")
    return changed


def _not_published(name: str, schema: Schema, published: Sequence[str]) -> UsageError:
    if schema.roles.get(name) is Role.IDENTIFIER:
        return UsageError(
            f"column {name!r} is an identifier, which is removed anyway; published: {', '.join(published)}"
        )
    return column_not_found(name, published)


def _refuse_what_does_not_fit(task: TableTask, method: Perturbation) -> None:
    if task.needs_every_record:
        raise UsageError(
            f"{method.name} replaces values by others, so a promise about who could be who says nothing about its "
            "release; promise something about groups, or nothing, or choose the algorithm 'optimal'"
        )
    if task.min_levels:
        raise UsageError(
            f"{method.name} does not generalize, so no column can be taken to a level; leave out min_level, or choose "
            "the algorithm 'optimal'"
        )


def _warn_of_unchanged(method: Perturbation, statistics: Mapping[str, Any], unchanged: int, records: int) -> None:
    """Warn of columns and records that were to change and did not: little noise is rounded away, few find a partner.

    Raises
    ------
    UsageError
        if nothing changed at all.
    """
    advice = f"change more (krypsis explain {method.name} lists the parameters), or choose another algorithm"
    if records and all(found["changed"] == 0 for found in statistics["columns"].values()):
        raise UsageError(
            f"{method.spec} changed nothing: {shorten(statistics['columns'], 3)} of all {records:,} records would be "
            f"published exactly as they were, and nothing is promised about them; {advice}"
        )
    if same := [name for name, found in statistics["columns"].items() if found["changed"] == 0]:
        warnings.warn(
            f"{method.name} changed no value of {shorten(same, 3)}, which is published exactly as it was; {advice}",
            PrivacyWarning,
            stacklevel=5,
        )
    if records and unchanged >= MANY_UNCHANGED * records:
        warnings.warn(
            f"{method.name} left {unchanged:,} of {records:,} records exactly as they were in "
            f"{shorten(statistics['columns'], 3)}, and nothing is promised about them; {advice}",
            PrivacyWarning,
            stacklevel=5,
        )


def _published(dataset: Dataset, schema: Schema) -> list[str]:
    return [name for name in dataset.columns if schema.roles.get(name, Role.IDENTIFIER) is not Role.IDENTIFIER]


def _table(rows: pl.DataFrame, after: Mapping[str, AnyColumn]) -> pl.DataFrame:
    return pl.DataFrame(
        [write_column(after[column.name], column) if column.name in after else column for column in rows]
    )


def _promises(task: TableTask, method: Perturbation, changed: Sequence[str]) -> list[PrivacyModel]:
    """Return what was asked for and what the method promises by itself, where nothing asked for says as much."""
    own = method.promises(task.schema.quasi_identifiers, changed)
    return [*task.models, *(model for model in own if all(model.name != asked.name for asked in task.models))]


def _sensitive_hierarchies(task: TableTask, table: pl.DataFrame) -> dict[str, Hierarchy]:
    """Return the hierarchies that the promises measure distances in."""
    if not any(model.compares_with_whole for model in task.group_models):
        return {}
    return {
        name: resolve(task.hierarchies[name], distinct(text_of(table.get_column(name))), name, task.folder)
        for name in task.schema.sensitive
        if name in task.hierarchies
    }
