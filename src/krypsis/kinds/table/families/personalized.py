"""Releases in which single sensitive values are generalized, too, as far as people guard them."""

from dataclasses import replace

import numpy as np
import polars as pl

from krypsis.algorithms.tables.sa_generalization import SAGeneralization, ladder_of
from krypsis.arrays import IntArray
from krypsis.data.groups import Domain
from krypsis.data.hierarchies.resolve import follows_from_data
from krypsis.errors import UsageError
from krypsis.io.columns import category_column
from krypsis.io.frames import replaced
from krypsis.io.texts import text_of
from krypsis.kernels.rows import number_rows
from krypsis.kinds.table.families import recoding
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.kinds.table.task import TableTask, check_task
from krypsis.metrics.classification import Classification
from krypsis.models.base import GroupModel
from krypsis.models.personalized_privacy import PersonalizedPrivacy
from krypsis.release.release import Release
from krypsis.release.run import Run


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task with generalized sensitive values. Its promises have not been checked."""
    check_task(task)
    method = task.method_of(SAGeneralization)
    promise, others = _promises(task, method)
    ((attribute, guarding),) = promise.combinations(task.schema.sensitive)
    _refuse_tree_of_data(task, method, attribute)
    models = [*others, *method.models_of_groups(promise, task.dataset.rows)]
    grouped = recoding.release(replace(task, models=models, algorithm=method.grouping), run)
    before = text_of(grouped.table.get_column(attribute))
    after = before if grouped.table.is_empty() else _generalized(grouped, method, promise, attribute, guarding)
    changed = before.ne_missing(after).sum()
    made_by = replace(
        grouped.made_by,
        promises=tuple(model.spec for model in task.models),
        algorithm=method.spec,
        scheme=method.scheme,
        guarantee=f"{changed} of {len(after)} values of {attribute} are published more generally, so that what people "
        "guard stays private; all others are as they were.",
        # How well classes are predicted is measured with the exact values, which the release hides.
        rounded=grouped.made_by.rounded | {Classification.name},
        hides_figures=True,
    )
    published = GeneralizedTable(
        replaced(grouped.table, [after.rename(attribute)]),
        grouped.schema,
        sensitive_hierarchies=grouped.publication.sensitive_hierarchies,
    )
    return replace(
        grouped,
        publication=published,
        made_by=made_by,
        # New rows would need groups of their own to be generalized in.
        private={name: found for name, found in grouped.private.items() if name != "recipe"},
    )


def _generalized(
    grouped: Release, method: SAGeneralization, promise: PersonalizedPrivacy, attribute: str, guarding: str
) -> pl.Series:
    """Return the sensitive values as they are published."""
    values, nodes = category_column(grouped.table.get_column(attribute)), category_column(_column(grouped, guarding))
    hierarchy = grouped.publication.sensitive_hierarchies[attribute]
    ladder = ladder_of(promise, Domain(values.labels, hierarchy, attribute), Domain(nodes.labels, None, guarding))
    node = np.array([-1 if label is None else code for code, label in enumerate(nodes.labels)], dtype=np.int64)
    value = values.codes.astype(np.int64)
    levels = method.levels(_groups(grouped), value, node[nodes.codes], ladder, promise.p)
    texts = pl.Series([label for row in ladder.labels for label in row], dtype=pl.String)
    return texts.gather(value * ladder.costs.shape[1] + levels)


def _promises(task: TableTask, method: SAGeneralization) -> tuple[PersonalizedPrivacy, list[GroupModel]]:
    own = [model for model in task.models if isinstance(model, PersonalizedPrivacy)]
    if len(own) != 1:
        raise UsageError(
            f"{method.name} keeps the promise 'personalized-privacy', once; promised is "
            f"{', '.join(model.spec for model in task.models)}. Choose the algorithm 'optimal' for others"
        )
    others = []
    for model in task.models:
        if isinstance(model, PersonalizedPrivacy):
            continue
        if model.needs_sensitive or not isinstance(model, GroupModel) or model.combinations(task.schema.sensitive):
            raise UsageError(
                f"{method.name} publishes some sensitive values more generally, so it cannot promise {model.spec} "
                "next to; promise something about groups of records, such as 'k-anonymity:k=5', or choose the "
                "algorithm 'mondrian', which leaves sensitive values as they are"
            )
        others.append(model)
    if len(task.schema.sets) > 1:
        raise UsageError(
            f"{method.name} knows one set of quasi-identifiers, got {len(task.schema.sets)}; choose the algorithm "
            "'optimal', which keeps the promises on several"
        )
    return own[0], others


def _refuse_tree_of_data(task: TableTask, method: SAGeneralization, attribute: str) -> None:
    """Raise if the values below a node are those of the data: the release, which states them, would give them away."""
    if not follows_from_data(task.hierarchies.get(attribute), attribute):
        return
    raise UsageError(
        f"{method.name} states which values may lie below a published node of {attribute!r}, so these must be known "
        f"without the data; give {attribute!r} a hierarchy as a file or as a taxonomy"
    )


def _column(release: Release, name: str) -> pl.Series:
    private = None if release.before is None else release.before.private_columns
    table = private if private is not None and name in private.columns else release.table
    return table.get_column(name)


def _groups(release: Release) -> IntArray:
    """Return the number of the group of each record."""
    columns = [category_column(release.table.get_column(name)) for name in release.schema.quasi_identifiers]
    sizes = [len(column.labels) for column in columns]
    numbers, _ = number_rows([column.codes for column in columns], sizes, release.table.height)
    return numbers.astype(np.int64)
