"""Releases of records in groups: exact quasi-identifiers, without the link to the sensitive values of the group."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from krypsis.algorithms.tables.base import Bucketing
from krypsis.arrays import IntArray
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Role, Schema
from krypsis.errors import UsageError
from krypsis.format.claims import publishable
from krypsis.io.engines.base import in_memory
from krypsis.kinds.table.families.recoding import hierarchies_of, published_hierarchies
from krypsis.kinds.table.publication import BucketedTables
from krypsis.kinds.table.task import TableTask, check_task
from krypsis.models.base import GroupModel
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run, coded_bytes

PRESENCE = (
    "The attributes an attacker may know are published as they are, so the release reveals who is in the table. "
    "It hides which of the sensitive values of a group belongs to whom"
)
GUARANTEES = {
    "two tables": f"{PRESENCE}: these values are in a table of their own, counted by group.",
    "permuted values": f"{PRESENCE}: inside each group these values were shuffled among the records.",
}
"""What a release in groups guarantees in addition to its promises, by what it publishes."""


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task in groups. Its promises have not been checked."""
    check_task(task)
    method, dataset = task.method_of(Bucketing), task.dataset
    _refuse_what_does_not_fit(task, method)
    with run.phase("encode"):
        counted = in_memory(dataset.engine.count_tuples(task.schema, hierarchies_of(task), method.grain))
        frequency = counted.frequency
    with run.phase("search"):
        rng = run.random(_hidden(frequency))
        groups = method.group(frequency, task.group_models, rng, run.progress)
    with run.phase("recode"):
        column = free_name("group", dataset.columns)
        permuted = method.publishes == "permuted values"
        table = counted.with_groups(_renumbered(groups, rng), column, _givers(groups, rng) if permuted else None)
        (hidden,) = task.schema.sensitive
        sensitive_table = None if permuted else counted_by_group(table, hidden, column)
    published = BucketedTables(
        table if permuted else pl.DataFrame([shown for shown in table if shown.name != hidden]),
        _with_group(task.schema, column),
        group_column=column,
        sensitive_table=sensitive_table,
        sensitive_hierarchies=published_hierarchies(task, frequency),
    )
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=GUARANTEES[method.publishes] + _unprotected(task.schema),
        rows_before=frequency.rows,
    )
    before = Before(dataset.collect(shown.name for shown in table if shown.name != column))
    return run.release(published, made_by, before, order_from=rng)


def _hidden(frequency: FrequencySet) -> Iterator[bytes]:
    """Yield whose sensitive value is which, in whatever order the records were."""
    for histogram in frequency.sensitive.values():
        by_record = np.argsort(histogram.group, kind="stable")
        yield from coded_bytes(histogram.domain.values, histogram.value[by_record])


def _unprotected(schema: Schema) -> str:
    """Name the columns that are published with every record, and that no promise is about."""
    names = schema.with_role(Role.INSENSITIVE)
    if not names:
        return ""
    return (
        f" Warning: {', '.join(names)} is not protected: it is published as it is, next to the exact quasi-identifiers "
        "of each record, so whoever finds a person learns it."
    )


def free_name(wanted: str, taken: list[str]) -> str:
    """Return the name, with a number where a column has it already.

    Examples
    --------
    >>> free_name("group", ["age"]), free_name("group", ["group", "group 2"])
    ('group', 'group 3')
    """
    names = (wanted, *(f"{wanted} {number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _refuse_what_does_not_fit(task: TableTask, method: Bucketing) -> None:
    for model in task.models:
        if not model.needs_sensitive:
            raise UsageError(
                f"{method.name} publishes the quasi-identifiers as they are, so it cannot promise {model.spec}; "
                "promise something about the sensitive values, such as 'frequency-l-diversity:l=3', or choose the "
                "algorithm 'optimal'"
            )
        if isinstance(model, GroupModel) and model.sets_of(task.schema.quasi_identifiers) is not None:
            raise UsageError(
                f"{model.spec} is about records that share some attributes, and {method.name} publishes groups that "
                "share none; promise 'frequency-l-diversity:l=3' instead, or choose the algorithm 'optimal'"
            )
    if task.combinations:
        raise UsageError(
            f"{method.name} does not count combinations of {', '.join(task.combinations[0])}, as a promise wants it; "
            "choose the algorithm 'optimal'"
        )
    if len(task.schema.sensitive) != 1:
        raise UsageError(
            f"{method.name} works with one sensitive attribute, got {len(task.schema.sensitive)}: "
            f"{', '.join(task.schema.sensitive)}; leave the others out, or choose the algorithm 'optimal'"
        )
    if raised := [name for name, level in task.min_levels.items() if level > 0]:
        raise UsageError(
            f"{method.name} does not generalize, and {', '.join(raised)} must be generalized as min_levels says; "
            "leave min_levels out, or choose the algorithm 'optimal'"
        )


def _renumbered(groups: IntArray, rng: np.random.Generator) -> IntArray:
    """Give the groups new numbers from 1 on in random order: the order in which they were made may reveal something."""
    numbers: IntArray = rng.permutation(int(groups.max(initial=-1)) + 1) + 1
    return numbers[groups]


def _givers(groups: IntArray, rng: np.random.Generator) -> IntArray:
    """Return for each record a record of its group, every one once and all orders equally likely."""
    givers = np.empty(len(groups), dtype=np.int64)
    givers[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(len(groups)), groups))
    return givers


def counted_by_group(table: pl.DataFrame, hidden: str, column: str) -> pl.DataFrame:
    """Return how often each sensitive value occurs in each group, in an order that depends on nothing else."""
    count = free_name("count", [hidden, column])
    pairs = publishable(pl.DataFrame([table.get_column(column).alias("g"), table.get_column(hidden).alias("s")]))
    counted = pairs.group_by("g", "s").len("n").sort("g", "s", nulls_last=True)
    group, value, number = counted.get_columns()
    return pl.DataFrame([group.rename(column), value.rename(hidden), number.cast(pl.Int64).rename(count)])


def _with_group(schema: Schema, column: str) -> Schema:
    return schema.model_copy(update={"roles": {**schema.roles, column: Role.INSENSITIVE}})
