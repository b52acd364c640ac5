"""The views of subjects at a node: who looks the same in all tables together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels.rows import number, number_rows
from krypsis.relations import Relations, SubjectRows


def number_views(relations: Relations, levels: Sequence[int]) -> CodeArray:
    """Return a number for each subject: the same where the quasi-identifiers of their rows are, in every table.

    Exact: per table, the rows of a subject are sorted and read one after the other; subjects with as many rows that
    agreed so far stay together while their next rows agree.
    """
    columns: list[CodeArray] = []
    for table in relations.tables:
        sizes = np.bincount(table.subjects, minlength=relations.subjects).astype(np.int32)
        columns += [sizes, _contents(table, sizes, _classes(table, relations, levels))]
    radices = [int(column.max(initial=0)) + 1 for column in columns]
    return number_rows(columns, radices, relations.subjects)[0]


def _classes(table: SubjectRows, relations: Relations, levels: Sequence[int]) -> CodeArray:
    """Return a number for each row of a table, the same for rows that look alike."""
    columns, radices = [], []
    for place, attribute in enumerate(table.attributes):
        hierarchy, level = relations.hierarchies[attribute], levels[attribute]
        columns.append(hierarchy.table[level][table.codes[:, place]])
        radices.append(len(hierarchy.labels[level]))
    return number_rows(columns, radices, len(table.subjects))[0]


def _contents(table: SubjectRows, sizes: CodeArray, classes: CodeArray) -> CodeArray:
    """Return a number for the rows of each subject; it compares only subjects with as many rows."""
    width = int(classes.max(initial=0)) + 1
    ordered = np.sort(table.subjects * np.int64(width) + classes) % width
    starts = np.cumsum(sizes) - sizes
    found = np.zeros(len(sizes), dtype=np.int64)
    active = np.flatnonzero(sizes)
    for row in range(int(sizes.max(initial=0))):
        active = active[sizes[active] > row]
        found[active] = number(found[active] * width + ordered[starts[active] + row])[0]
    return found.astype(np.int32)


def one_per_view(relations: Relations, views: CodeArray) -> tuple[Relations, IntArray]:
    """Return the relations of one subject of each view, and how many subjects it stands for."""
    counts = np.bincount(views).astype(np.int64)
    chosen = np.zeros(relations.subjects, dtype=np.bool_)
    chosen[np.unique(views, return_index=True)[1]] = True
    tables = tuple(_only(table, chosen, views) for table in relations.tables)
    return replace(relations, tables=tables, subjects=len(counts)), counts


def _only(table: SubjectRows, chosen: BoolArray, views: CodeArray) -> SubjectRows:
    kept = chosen[table.subjects]
    return SubjectRows(views[table.subjects[kept]].astype(np.int64), table.attributes, table.codes[kept])
