"""Releases of several tables that are linked by the subject of their rows."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from krypsis.algorithms.tables.multirelational import Multirelational, number_views
from krypsis.arrays import IntArray
from krypsis.datasets.dataset import Dataset
from krypsis.datasets.texts import PLAIN
from krypsis.errors import UsageError
from krypsis.format.files import DATA, SENSITIVE_TABLE
from krypsis.kinds.table.publication import LinkedTables
from krypsis.metrics.cells import CellMetric
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity
from krypsis.pipeline.bucketized import free_name
from krypsis.pipeline.clock import Clock
from krypsis.pipeline.public_labels import private_figures, public_hierarchy, public_level
from krypsis.pipeline.subjects import Prepared, Table, prepare_tables
from krypsis.pipeline.task import Task
from krypsis.progress import Progress
from krypsis.recoding import FullDomain
from krypsis.release.before import Before
from krypsis.release.made_by import MadeBy
from krypsis.release.publication import PublishedTable
from krypsis.release.release import Release
from krypsis.schema import Role, Schema

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""What a table may be called: it becomes the name of a file."""

MODEL = "multirelational-k-anonymity"


def related_release(dataset: Dataset, task: Task, progress: Progress) -> Release:
    """Return the release of a task of several tables. Its promises have not been checked."""
    method, metric, models, key = _fitting(task)
    clock, seed = Clock(), secrets.randbits(64)
    with clock.time("encode"):
        progress.phase("encode")
        prepared = prepare_tables(dataset, task, key)
    with clock.time("search"):
        progress.phase("search")
        recoding = method.search(prepared.relations, models, metric, prepared.limits, progress)
    with clock.time("recode"):
        progress.phase("recode")
        prepared, levels, heights = _relabeled(prepared, recoding)
        column = free_name("subject", [name for table in prepared.tables for name in table.dataset.frame.columns])
        published = _published(prepared, recoding, column, np.random.default_rng(seed))
    first = published.pop("")
    tables = LinkedTables(
        first.table,
        first.schema,
        subject_column=column,
        further=published,
        from_text=first.from_text,
        is_shuffled=True,
    )
    made_by = MadeBy(
        promises=tuple(model.spec for model in models),
        algorithm=method.spec,
        scheme=method.scheme,
        metric=metric.spec,
        hierarchies=prepared.hierarchy_names,
        levels=levels,
        heights=heights,
        score=method.score(prepared.relations, recoding, metric),
        lower_bound=recoding.lower_bound,
        suppressed=dataset.frame.height - first.table.height,
        rows_before=dataset.frame.height,
        rounded=_rounded(metric, prepared, suppressed=bool(recoding.suppressed.any())),
        hides_figures=bool(recoding.suppressed.any()),  # subjects without a row in the first table, too
    )
    return Release(
        tables,
        made_by,
        before=_before(prepared, recoding),
        private={"seed": seed, "seconds": clock.seconds, "suppressed_subjects": int(recoding.suppressed.sum())},
    )


def _relabeled(prepared: Prepared, recoding: FullDomain) -> tuple[Prepared, dict[str, int], dict[str, int]]:
    """Return the hierarchies with labels that depend on the values of published subjects only, with their levels."""
    relations = prepared.relations
    hierarchies = list(relations.hierarchies)
    levels = dict(zip(relations.attributes, recoding.levels, strict=True))
    heights = dict(zip(relations.attributes, relations.heights, strict=True))
    for table, rows in zip(prepared.tables, relations.tables, strict=True):
        kept = ~recoding.suppressed[rows.subjects]
        for column, place in enumerate(rows.attributes):
            name, before = relations.attributes[place], hierarchies[place]
            shown = np.zeros(len(before.values), dtype=np.bool_)
            shown[rows.codes[kept, column]] = True
            hierarchies[place] = public_hierarchy(table.hierarchies.get(table.quasi_identifiers[column]), before, shown)
            if hierarchies[place] is not before:
                levels[name], heights[name] = public_level(hierarchies[place], levels[name], shown)
    return replace(prepared, relations=replace(relations, hierarchies=tuple(hierarchies))), levels, heights


def _rounded(metric: CellMetric, prepared: Prepared, *, suppressed: bool) -> frozenset[str]:
    specs = [table.hierarchies.get(name) for table in prepared.tables for name in table.quasi_identifiers]
    private = private_figures(specs) if suppressed else frozenset[str]()
    return frozenset({metric.name}) if metric.needs_original or metric.name in private else frozenset()


def _fitting(task: Task) -> tuple[Multirelational, CellMetric, list[MultirelationalKAnonymity], str]:
    """Return what makes the release, or say why that does not fit several tables."""
    models = [model for model in task.models if isinstance(model, MultirelationalKAnonymity)]
    if not models or len(models) < len(task.models):
        other = next((model.spec for model in task.models if model not in models), "nothing")
        raise UsageError(
            f"several tables are released under a promise that looks at all of them, such as {MODEL}:k=5; {other} is "
            "about one table: leave it out, or leave out the other tables"
        )
    if task.key is None:
        raise UsageError(
            f"{models[0].spec} counts subjects, not rows; name the column that says whose row it is: key: patient_id "
            "in the plan, key=… in Python"
        )
    method = Multirelational() if task.method is None else task.method
    if not isinstance(method, Multirelational):
        raise UsageError(f"{method.name} works on one table; for several, choose the algorithm 'multirelational'")
    if not isinstance(task.metric, CellMetric):
        raise UsageError(f"{task.metric.name} is measured on one table; for several, choose one such as 'loss'")
    if task.suppressed == "keep" or task.schema.quasi_identifier_sets:
        raise UsageError(
            "several tables have one set of quasi-identifiers, and suppressed subjects are removed; leave out "
            "quasi_identifier_sets and suppressed: keep"
        )
    for name in task.tables:
        if not NAME.fullmatch(name) or name.lower() in (DATA, SENSITIVE_TABLE, "manifest"):
            raise UsageError(
                f"a table cannot be called {name!r}: the name becomes that of a file beside data.csv; use letters, "
                "digits, '-' and '_'"
            )
    return method, task.metric, models, task.key


def _published(
    prepared: Prepared, recoding: FullDomain, column: str, rng: np.random.Generator
) -> dict[str, PublishedTable]:
    """Return every table recoded, without the rows of suppressed subjects, with fresh numbers for the others.

    The rows are in random order: as they were, they would tell which subjects come from which part of the input.
    """
    numbers: IntArray = rng.permutation(prepared.relations.subjects) + 1
    numbers[recoding.suppressed] = 0
    # Without gaps: how many subjects were suppressed is told anyway, which numbers they had is not.
    numbers = np.unique(np.append(numbers, 0), return_inverse=True)[1][:-1]
    levels = dict(zip(prepared.relations.attributes, recoding.levels, strict=True))
    return {
        table.name: _recoded(table, prepared, levels, numbers[prepared.subjects[place]], column, rng)
        for place, table in enumerate(prepared.tables)
    }


def _before(prepared: Prepared, recoding: FullDomain) -> Before:
    """Return the tables as they were, and how many subjects look alike before and after."""
    relations = prepared.relations
    own = {table.name: _columns_before(table, prepared) for table in prepared.tables}
    first = own.pop("")
    views = number_views(relations, (0,) * len(relations.attributes))
    published = number_views(relations, recoding.levels)[~recoding.suppressed]
    sizes = tuple(np.unique(numbers, return_counts=True)[1].astype(np.int64) for numbers in (views, published))
    return replace(first, tables=own, subjects=(sizes[0], sizes[1]))


def _columns_before(table: Table, prepared: Prepared) -> Before:
    roles = table.schema.roles
    names = [name for name in table.dataset.frame.columns if roles.get(name, Role.IDENTIFIER) is not Role.IDENTIFIER]
    relations = prepared.relations
    known = dict(zip(relations.attributes, relations.hierarchies, strict=True))
    return Before(
        table.dataset.columns(names), {name: known[table.full_name(name)] for name in table.quasi_identifiers}
    )


def _recoded(
    table: Table,
    prepared: Prepared,
    levels: Mapping[str, int],
    numbers: IntArray,
    column: str,
    rng: np.random.Generator,
) -> PublishedTable:
    kept = np.flatnonzero(numbers)
    kept = kept[rng.permutation(len(kept))]
    rows = prepared.relations.tables[prepared.tables.index(table)]
    columns = [pl.Series(column, numbers[kept])]
    for name in table.dataset.frame.columns:
        role = table.schema.roles.get(name, Role.IDENTIFIER)
        if role is Role.QUASI_IDENTIFIER:
            place = table.quasi_identifiers.index(name)
            hierarchy = prepared.relations.hierarchies[rows.attributes[place]]
            level = levels[table.full_name(name)]
            labels = pl.Series("labels", hierarchy.labels[level], dtype=pl.String)
            columns.append(labels.gather(hierarchy.table[level][rows.codes[kept, place]]).rename(name))
        elif role is not Role.IDENTIFIER:
            columns.append(table.dataset.frame.get_column(name).rename(PLAIN).gather(kept).rename(name))
    general = {name for name in table.quasi_identifiers if levels[table.full_name(name)]}
    untouched = frozenset(table.dataset.frame.columns) - general if table.dataset.is_text else frozenset[str]()
    return PublishedTable(pl.DataFrame(columns), _with_subject(table.schema, column), untouched)


def _with_subject(schema: Schema, column: str) -> Schema:
    return schema.model_copy(update={"roles": {**schema.roles, column: Role.INSENSITIVE}})
