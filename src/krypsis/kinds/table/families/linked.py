"""Releases of several tables that are linked by the subject of their rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.multirelational import Multirelational, number_views
from krypsis.arrays import IntArray
from krypsis.data.hierarchies import HierarchySpec, describe, resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FullDomain
from krypsis.data.relations import Relations, SubjectRows
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.format.files import DATA, SENSITIVE_TABLE
from krypsis.io.dataset import Dataset
from krypsis.io.texts import PLAIN, encode
from krypsis.kinds.table.families.bucketing import free_name
from krypsis.kinds.table.public_labels import private_figures, public_hierarchy, public_level
from krypsis.kinds.table.publication import LinkedTables
from krypsis.kinds.table.task import RelatedTable, TableTask, suppression_limit
from krypsis.metrics.cells import CellMetric
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import PublishedTable
from krypsis.release.release import Release
from krypsis.release.run import Run

FIRST = ""
"""The name under which the first table goes; the attributes of the others have their table's name before their own."""


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """One of the tables: what it holds and what is wanted of it."""

    name: str
    dataset: Dataset
    key: str
    schema: Schema
    hierarchies: Mapping[str, HierarchySpec]
    min_levels: Mapping[str, int]
    max_levels: Mapping[str, int]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The attributes an attacker may know."""
        return self.schema.quasi_identifiers

    @property
    def title(self) -> str:
        """The table as messages name it."""
        return f"table {self.name!r}" if self.name else "the first table"

    def full_name(self, attribute: str) -> str:
        """Return an attribute as it is named among those of all tables."""
        return f"{self.name}.{attribute}" if self.name else attribute

    def check(self) -> None:
        """Raise unless the table fits what is wanted of it."""
        columns = self.dataset.columns
        for name in (self.key, *self.schema.roles):
            if name not in columns:
                raise column_not_found(name, columns)
        if self.schema.roles.get(self.key, Role.IDENTIFIER) is not Role.IDENTIFIER:
            raise UsageError(
                f"column {self.key!r} of {self.title} says whose row it is, so its role is 'identifier', not "
                f"{self.schema.roles[self.key].value!r}; it is replaced by random numbers"
            )
        for name in (*self.min_levels, *self.max_levels):
            self.schema.require(name, Role.QUASI_IDENTIFIER)
        for name in self.hierarchies:
            self.schema.require(name, Role.QUASI_IDENTIFIER)
        if missing := self.dataset.collect_column(self.key).null_count():
            raise DataError(f"column {self.key!r} of {self.title} is empty in {missing} row(s); whose rows are they?")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Several tables, ready for a search."""

    tables: tuple[LinkedTable, ...]
    relations: Relations
    subjects: tuple[IntArray, ...]
    """Per table, the subject of each row."""
    limits: Limits

    @property
    def hierarchy_names(self) -> dict[str, str]:
        """Attribute → the name of its hierarchy."""
        return {
            table.full_name(name): describe(table.hierarchies.get(name))
            for table in self.tables
            for name in table.quasi_identifiers
        }


def prepare_tables(task: TableTask, key: str) -> Prepared:
    """Return the tables of a task as a search knows them."""
    first = LinkedTable(FIRST, task.dataset, key, task.schema, task.hierarchies, task.min_levels, task.max_levels)
    tables = (first, *(_further(name, one, key, task.folder) for name, one in task.tables.items()))
    for table in tables:
        table.check()
    subjects, count = _numbered(tables)
    relations = _relations(tables, subjects, count, task.folder)
    if not relations.attributes:
        raise UsageError("no column of any table has the role 'quasi-identifier'; say what an attacker may know")
    return Prepared(tables, relations, tuple(subjects), _limits(tables, relations, task))


def _further(name: str, one: RelatedTable, key: str, folder: Path | None) -> LinkedTable:
    data = one.dataset(folder)
    return LinkedTable(name, data, one.key or key, one.schema, one.hierarchies, one.min_levels, one.max_levels)


def _numbered(tables: Sequence[LinkedTable]) -> tuple[list[IntArray], int]:
    """Return the subject of each row of each table as a number; the same key is the same subject."""
    keys = [table.dataset.collect_texts(table.key) for table in tables]
    numbers = pl.concat(keys).rank("dense").cast(pl.Int64).to_numpy() - 1
    cuts = np.cumsum([len(one) for one in keys])[:-1]
    return np.split(numbers, cuts), int(numbers.max(initial=-1)) + 1


def _relations(
    tables: Sequence[LinkedTable], subjects: Sequence[IntArray], count: int, folder: Path | None
) -> Relations:
    names: list[str] = []
    hierarchies: list[Hierarchy] = []
    rows: list[SubjectRows] = []
    for table, own in zip(tables, subjects, strict=True):
        known = [_hierarchy(table, name, folder) for name in table.quasi_identifiers]
        codes = [
            encode(table.dataset.collect_texts(name), hierarchy, name)
            for name, hierarchy in zip(table.quasi_identifiers, known, strict=True)
        ]
        places = tuple(range(len(names), len(names) + len(known)))
        columns = np.stack(codes, axis=1) if codes else np.zeros((len(own), 0), dtype=np.int32)
        rows.append(SubjectRows(own, places, columns))
        names += [table.full_name(name) for name in table.quasi_identifiers]
        hierarchies += known
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two attributes would be called {twice[0]!r}; rename a table or a column")
    weights = tuple(table.schema.weight(name) for table in tables for name in table.quasi_identifiers)
    return Relations(tuple(names), tuple(hierarchies), tuple(rows), count, weights)


def _hierarchy(table: LinkedTable, name: str, folder: Path | None) -> Hierarchy:
    return resolve(table.hierarchies.get(name), table.dataset.engine.distinct(name), name, folder)


def _limits(tables: Sequence[LinkedTable], relations: Relations, task: TableTask) -> Limits:
    known = [(table, name) for table in tables for name in table.quasi_identifiers]
    for (table, name), height in zip(known, relations.heights, strict=True):
        low, high = table.min_levels.get(name, 0), table.max_levels.get(name, height)
        if not 0 <= low <= high <= height:
            raise UsageError(
                f"levels of {table.full_name(name)!r} must lie between 0 and {height}, the height of its hierarchy, "
                f"with the lowest not above the highest; got {low} to {high}"
            )
    return Limits(
        suppressed=None if task.suppression is None else suppression_limit(task.suppression, relations.subjects),
        lowest=tuple(table.min_levels.get(name, 0) for table, name in known),
        highest=tuple(
            table.max_levels.get(name, height) for (table, name), height in zip(known, relations.heights, strict=True)
        ),
    )


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""What a table may be called: it becomes the name of a file."""

MODEL = "multirelational-k-anonymity"


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task of several tables. Its promises have not been checked."""
    method, metric, models, key = _fitting(task)
    with run.phase("encode"):
        prepared = prepare_tables(task, key)
    with run.phase("search"):
        recoding = method.search(prepared.relations, models, metric, prepared.limits, run.progress)
    with run.phase("recode"):
        prepared, levels, heights = _relabeled(prepared, recoding)
        column = free_name("subject", [name for table in prepared.tables for name in table.dataset.columns])
        published = _published(prepared, recoding, column, run.random(()))
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
        suppressed=task.dataset.rows - first.table.height,
        rows_before=task.dataset.rows,
        rounded=_rounded(metric, prepared, suppressed=bool(recoding.suppressed.any())),
        hides_figures=bool(recoding.suppressed.any()),  # subjects without a row in the first table, too
    )
    return run.release(tables, made_by, _before(prepared, recoding), suppressed_subjects=int(recoding.suppressed.sum()))


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


def _fitting(task: TableTask) -> tuple[Multirelational, CellMetric, list[MultirelationalKAnonymity], str]:
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
                f"a table cannot be called {name!r}: the name becomes that of a file next to data.csv; use letters, "
                "digits, '-' and '_'"
            )
    return method, task.metric, models, task.key


def _published(
    prepared: Prepared, recoding: FullDomain, column: str, rng: np.random.Generator
) -> dict[str, PublishedTable]:
    """Return every table recoded, without the rows of suppressed subjects, with fresh numbers for the others.

    The rows are in random order: as they were, they would reveal which subjects come from which part of the input.
    """
    numbers: IntArray = rng.permutation(prepared.relations.subjects) + 1
    numbers[recoding.suppressed] = 0
    # Without gaps: how many subjects were suppressed is published anyway, which numbers they had is not.
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


def _columns_before(table: LinkedTable, prepared: Prepared) -> Before:
    roles = table.schema.roles
    names = [name for name in table.dataset.columns if roles.get(name, Role.IDENTIFIER) is not Role.IDENTIFIER]
    relations = prepared.relations
    known = dict(zip(relations.attributes, relations.hierarchies, strict=True))
    return Before(
        table.dataset.collect(names), {name: known[table.full_name(name)] for name in table.quasi_identifiers}
    )


def _recoded(
    table: LinkedTable,
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
    for name in table.dataset.columns:
        role = table.schema.roles.get(name, Role.IDENTIFIER)
        if role is Role.QUASI_IDENTIFIER:
            place = table.quasi_identifiers.index(name)
            hierarchy = prepared.relations.hierarchies[rows.attributes[place]]
            level = levels[table.full_name(name)]
            labels = pl.Series("labels", hierarchy.labels[level], dtype=pl.String)
            columns.append(labels.gather(hierarchy.table[level][rows.codes[kept, place]]).rename(name))
        elif role is not Role.IDENTIFIER:
            columns.append(table.dataset.collect_column(name).rename(PLAIN).gather(kept).rename(name))
    general = {name for name in table.quasi_identifiers if levels[table.full_name(name)]}
    untouched = frozenset(table.dataset.columns) - general if table.dataset.is_text else frozenset[str]()
    return PublishedTable(pl.DataFrame(columns), _with_subject(table.schema, column), untouched)


def _with_subject(schema: Schema, column: str) -> Schema:
    return schema.model_copy(update={"roles": {**schema.roles, column: Role.INSENSITIVE}})
