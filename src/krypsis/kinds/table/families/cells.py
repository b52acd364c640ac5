"""Releases in which single cells are missing, so that what can be seen gives nothing away."""

import warnings
from collections.abc import Mapping

import polars as pl

from krypsis.algorithms.tables.ff_suppression import FFSuppression
from krypsis.arrays import BoolArray
from krypsis.data.columns import CategoryColumn
from krypsis.data.hierarchies import resolve
from krypsis.data.schema import Role
from krypsis.errors import PrivacyWarning, UsageError, column_not_found, did_you_mean
from krypsis.io.columns import category_column
from krypsis.io.frames import worked_on
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.kinds.table.task import TableTask, check_task
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task with blanked cells. Its promise has not been checked."""
    check_task(task)
    method, dataset = task.method_of(FFSuppression), task.dataset
    promise = _promise(task, method)
    roles = task.schema.roles
    published = [name for name in dataset.columns if roles.get(name, Role.IDENTIFIER) is not Role.IDENTIFIER]
    with run.phase("encode"):
        rows = dataset.collect(published)
        columns = {column.name: category_column(column) for column in rows}
        hierarchies = {
            name: resolve(spec, dataset.engine.distinct(name), name, task.folder)
            for name, spec in task.hierarchies.items()
        }
    with run.phase("search"):
        _warn_of_unknown_values(promise, columns)
        blank = method.suppress(columns, promise, hierarchies)
    with run.phase("recode"):
        table = pl.DataFrame([_blanked(column, blank.get(column.name)) for column in rows])
    cells = sum(int(found.sum()) for found in blank.values())
    levels = {entry.rpartition("@")[0] for entry in promise.observable if "@" in entry}
    known = {name: found for name, found in hierarchies.items() if name in levels}
    made_by = MadeBy(
        promises=(promise.spec,),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=f"{cells} cells that could be seen are published as missing, so that no few of them give away a "
        "sensitive value with more certainty than promised. Records that look alike may be few.",
        rows_before=table.height,
    )
    return run.release(
        GeneralizedTable(table, task.schema, sensitive_hierarchies=known),
        made_by,
        Before(rows, matches_rows=True),
        blanked_cells={name: int(found.sum()) for name, found in blank.items()},
        suppressed_rows=[],
    )


def _promise(task: TableTask, method: FFSuppression) -> FFAnonymity:
    if len(task.models) != 1 or not isinstance(task.models[0], FFAnonymity):
        raise UsageError(
            f"{method.name} keeps the promise 'ff-anonymity', alone; promised is "
            f"{', '.join(model.spec for model in task.models)}. Choose the algorithm 'optimal' for others"
        )
    if task.min_levels or task.suppression:
        raise UsageError(f"{method.name} blanks cells; leave out levels and suppression, which are about records")
    for entry in (*task.models[0].observable, *task.models[0].sensitive):
        if task.schema.roles.get(entry) is Role.IDENTIFIER:
            raise column_not_found(
                entry, [name for name, role in task.schema.roles.items() if role is not Role.IDENTIFIER]
            )
    return task.models[0]


def _warn_of_unknown_values(promise: FFAnonymity, columns: Mapping[str, CategoryColumn]) -> None:
    """Warn of a value that no record has: it is kept by anything, and often misspelt."""
    for entry in (*promise.observable, *promise.sensitive):
        name, mark, value = entry.partition("=")
        if entry not in columns and mark and name in columns and value not in columns[name].labels:
            known = [label for label in columns[name].labels if label is not None]
            warnings.warn(
                f"{promise.spec} names the value {value!r}, which no record has as {name}.{did_you_mean(value, known)}",
                PrivacyWarning,
                stacklevel=5,
            )


def _blanked(column: pl.Series, cells: BoolArray | None) -> pl.Series:
    if cells is None:
        return column
    return worked_on(column, lambda values: pl.select(pl.when(~pl.Series(cells)).then(values)).to_series())
