"""Releases that are made by chance: a table of its own, none of whose rows is a record."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.algorithms.tables.mechanisms.base import DomainMechanism, Mechanism, MechanismInput, MechanismResult
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.arrays import IntArray
from krypsis.checker.evidence import Original
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.data.hierarchies import describe, resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.domains import declared_domain
from krypsis.data.schema import Role, Schema
from krypsis.errors import UsageError, column_not_found
from krypsis.io.columns import are_dates, numeric_column, written_as
from krypsis.io.dataset import Dataset, persons_in
from krypsis.io.texts import PLAIN, encode
from krypsis.kinds.table.families.bucketing import free_name
from krypsis.kinds.table.publication import MechanismOutput
from krypsis.kinds.table.task import TableTask, check_task
from krypsis.models.base import PrivacyModel
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run

UNPREDICTABLE = RandomSource()


def release(task: TableTask, run: Run, source: RandomSource = UNPREDICTABLE) -> Release:
    """Return the release of a task that is made by chance. Its promise has not been checked.

    Nothing that is published, nor what the manifest will state, depends on the data but through the mechanism: not even
    the number of records does.
    """
    check_task(task)
    method, dataset = task.method_of(Mechanism), task.dataset
    promise = _promise(task, method)
    names = _columns(task.schema, method)
    with run.phase("encode"):
        levels = _levels(task, method, names)
        records = _records(dataset, task, method, levels)
    with run.phase("search"):
        made = method.make(records, promise, source)
    with run.phase("recode"):
        count = None if made.counts is None else free_name("count", names)
        table = _table(dataset, made, count)
    record = made.mechanism_record
    published = MechanismOutput(
        table,
        _published_schema(task.schema, names, count),
        mechanism_record=None if record is None else record.model_copy(update={"count_column": count}),
    )
    made_by = MadeBy(
        promises=(promise.spec,),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=method.guarantee,
        hierarchies={name: describe(task.hierarchies.get(name)) for name in levels},
        levels=levels,
        rows_before=table.height,
    )
    before = Before(
        dataset.collect(names),
        {name: _hierarchy(dataset, task, name) for name in levels},
        compared=Original(dataset.collect(names)) if promise.needs_original else None,
    )
    return run.release(published, made_by, before, **made.private)


def _promise(task: TableTask, method: Mechanism) -> PrivacyModel:
    if len(task.models) == 1 and isinstance(task.models[0], method.keeps):
        return task.models[0]
    given = ", ".join(model.spec for model in task.models) or "nothing"
    raise UsageError(
        f"{method.name} keeps the promise {method.keeps.name!r}, alone and with its parameters; promised is {given}. "
        f"'krypsis explain {method.keeps.name}' says how it is written"
    )


def _columns(schema: Schema, method: Mechanism) -> list[str]:
    """Return the columns to publish: those that are named, or all that the method is for."""
    known = (*schema.quasi_identifiers, *(schema.sensitive if isinstance(method, DomainMechanism) else ()))
    for name in method.columns:
        if name not in known:
            raise column_not_found(name, known)
    if not (chosen := [name for name in schema.roles if name in (method.columns or known)]):
        raise UsageError(
            f"{method.name} has no column to publish; give columns the role 'quasi-identifier' or 'sensitive'"
        )
    return chosen


def _levels(task: TableTask, method: Mechanism, names: Sequence[str]) -> dict[str, int]:
    """Return the level that each column of declared values is published at."""
    for given in (task.min_levels, task.max_levels):
        if given:
            raise UsageError(
                f"{method.name} publishes each column at one level; leave out min_level and max_level, and name the "
                'levels as parameter: levels="age=1"'
            )
    if not isinstance(method, DomainMechanism):
        return {}
    lowest = {name: declared_domain(task.hierarchies.get(name), name, task.folder).lowest for name in names}
    chosen = {name: method.level_of(name, names) for name in names}
    return {name: lowest[name] if (level := chosen[name]) is None else level for name in names}


def _records(dataset: Dataset, task: TableTask, method: Mechanism, levels: dict[str, int]) -> MechanismInput:
    person = method.person_column
    persons = None if person is None else persons_in(dataset, person)
    if not isinstance(method, DomainMechanism):
        names = _columns(task.schema, method)
        return MechanismInput({name: _number_column(dataset, name, method) for name in names}, persons)
    columns = {name: _declared_column(dataset, task, name, level) for name, level in levels.items()}
    return _complete(columns, persons) if method.missing == "leave out" else MechanismInput(columns, persons)


def _number_column(dataset: Dataset, name: str, method: Mechanism) -> NumericColumn:
    series = dataset.collect_column(name)
    if are_dates(series):
        raise UsageError(
            f"{method.name} makes boxes of numbers, and column {name!r} holds dates, which would be published as days "
            "since 1970; turn them into numbers such as years, or leave the column out"
        )
    return numeric_column(series)


def _declared_column(dataset: Dataset, task: TableTask, name: str, level: int) -> CategoryColumn:
    """Return a column as codes of all labels that were declared, whether they occur or not."""
    labels = declared_domain(task.hierarchies.get(name), name, task.folder).labels(level, name)
    hierarchy = _hierarchy(dataset, task, name)
    place = {label: code for code, label in enumerate(labels)}
    codes = np.array([place[label] for label in hierarchy.column(level)], dtype=np.int32)
    return CategoryColumn(name, codes[encode(dataset.collect_texts(name), hierarchy, name)], labels)


def _hierarchy(dataset: Dataset, task: TableTask, name: str) -> Hierarchy:
    # The missing value is always among the values, so that this and the declared hierarchy have the same height.
    values = dict.fromkeys([*dataset.engine.distinct(name), None])
    return resolve(task.hierarchies.get(name), list(values), name, task.folder)


def _complete(columns: dict[str, CategoryColumn], persons: IntArray | None) -> MechanismInput:
    """Return the records that lack nothing, over the labels that are not missing."""
    lacking = [column.codes == column.labels.index(None) for column in columns.values() if None in column.labels]
    kept = ~np.logical_or.reduce(lacking) if lacking else slice(None)
    without: dict[str, AnyColumn] = {}
    for name, column in columns.items():
        labels = tuple(label for label in column.labels if label is not None)
        moved = np.cumsum([label is not None for label in column.labels]) - 1
        without[name] = CategoryColumn(name, moved[column.codes[kept]].astype(np.int32), labels)
    return MechanismInput(without, None if persons is None else persons[kept])


def _table(dataset: Dataset, made: MechanismResult, count: str | None) -> pl.DataFrame:
    columns = [_series(dataset, column) for column in made.columns.values()]
    return pl.DataFrame(columns if count is None else [*columns, pl.Series(count, made.counts, dtype=pl.Int64)])


def _series(dataset: Dataset, column: AnyColumn) -> pl.Series:
    if isinstance(column, CategoryColumn):
        return pl.Series(PLAIN, column.labels, dtype=pl.String).gather(column.codes).rename(column.name)
    return written_as(column, dataset.collect_column(column.name))


def _published_schema(schema: Schema, names: Sequence[str], count: str | None) -> Schema:
    roles = {name: schema.roles[name] for name in names}
    return Schema(roles=roles if count is None else {**roles, count: Role.INSENSITIVE})
