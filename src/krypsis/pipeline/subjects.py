"""Several tables as a search knows them: codes of all quasi-identifiers, and whose row each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.arrays import IntArray
from krypsis.datasets.dataset import Dataset, distinct, encode
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.hierarchies import HierarchySpec, describe, resolve
from krypsis.hierarchies.base import Hierarchy
from krypsis.pipeline.limits import suppression_limit
from krypsis.pipeline.related_table import RelatedTable
from krypsis.pipeline.task import Task
from krypsis.relations import Relations, SubjectRows
from krypsis.schema import Role, Schema

FIRST = ""
"""The name under which the first table goes; the attributes of the others have their table's name before their own."""


@dataclass(frozen=True, eq=False)
class Table:
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
        columns = self.dataset.frame.columns
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
        if missing := self.dataset.frame.get_column(self.key).null_count():
            raise DataError(f"column {self.key!r} of {self.title} is empty in {missing} row(s); whose rows are they?")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Several tables, ready for a search."""

    tables: tuple[Table, ...]
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


def prepare_tables(dataset: Dataset, task: Task, key: str) -> Prepared:
    """Return the tables of a task as a search knows them."""
    first = Table(FIRST, dataset, key, task.schema, task.hierarchies, task.min_levels, task.max_levels)
    tables = (first, *(_further(name, one, key, task.folder) for name, one in task.tables.items()))
    for table in tables:
        table.check()
    subjects, count = _numbered(tables)
    relations = _relations(tables, subjects, count, task.folder)
    if not relations.attributes:
        raise UsageError("no column of any table has the role 'quasi-identifier'; say what an attacker may know")
    return Prepared(tables, relations, tuple(subjects), _limits(tables, relations, task))


def _further(name: str, one: RelatedTable, key: str, folder: Path | None) -> Table:
    data = one.dataset(folder)
    return Table(name, data, one.key or key, one.schema, one.hierarchies, one.min_levels, one.max_levels)


def _numbered(tables: Sequence[Table]) -> tuple[list[IntArray], int]:
    """Return the subject of each row of each table as a number; the same key is the same subject."""
    keys = [table.dataset.texts(table.key) for table in tables]
    numbers = pl.concat(keys).rank("dense").cast(pl.Int64).to_numpy() - 1
    cuts = np.cumsum([len(one) for one in keys])[:-1]
    return np.split(numbers, cuts), int(numbers.max(initial=-1)) + 1


def _relations(tables: Sequence[Table], subjects: Sequence[IntArray], count: int, folder: Path | None) -> Relations:
    names: list[str] = []
    hierarchies: list[Hierarchy] = []
    rows: list[SubjectRows] = []
    for table, own in zip(tables, subjects, strict=True):
        known = [_hierarchy(table, name, folder) for name in table.quasi_identifiers]
        codes = [
            encode(table.dataset.texts(name), hierarchy, name)
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


def _hierarchy(table: Table, name: str, folder: Path | None) -> Hierarchy:
    return resolve(table.hierarchies.get(name), distinct(table.dataset.texts(name)), name, folder)


def _limits(tables: Sequence[Table], relations: Relations, task: Task) -> Limits:
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
