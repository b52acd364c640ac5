"""Cells: all combinations of declared values, numbered, and the records in them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from krypsis.algorithms.tables.mechanisms.base import MOST_CELLS, MechanismInput
from krypsis.algorithms.tables.mechanisms.source import RandomSource
from krypsis.arrays import IntArray
from krypsis.data.columns import CategoryColumn
from krypsis.errors import UsageError


def cell_count(columns: Mapping[str, CategoryColumn]) -> int:
    """Return how many combinations of values there could be.

    Raises
    ------
    UsageError
        if a column has no values, or there are too many combinations to go through.
    """
    for name, column in columns.items():
        if not column.labels:
            raise UsageError(f"no value is declared for {name!r}, so nothing could be published; declare its values")
    cells = prod(len(column.labels) for column in columns.values())
    if cells > MOST_CELLS:
        sizes = " × ".join(f"{len(column.labels)} of {name}" for name, column in columns.items())
        raise UsageError(
            f"{cells} combinations of values could occur ({sizes}), more than the {MOST_CELLS} that can be gone "
            'through; publish fewer columns, or choose higher levels: levels="age=2,zip=3"'
        )
    return cells


def cells_of(columns: Mapping[str, CategoryColumn]) -> IntArray:
    """Return the cell of each record.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 1, 1], dtype=np.int32), ("f", "m"))
    >>> ill = CategoryColumn("ill", np.array([2, 0, 2], dtype=np.int32), ("flu", "no", None))
    >>> cells_of({"sex": sex, "ill": ill}).tolist()
    [2, 3, 5]
    """
    radices = [len(column.labels) for column in columns.values()]
    return np.asarray(np.ravel_multi_index([column.codes for column in columns.values()], radices), dtype=np.int64)


def columns_of(cells: IntArray, columns: Mapping[str, CategoryColumn]) -> dict[str, CategoryColumn]:
    """Return the values of cells, as columns."""
    codes = np.unravel_index(cells, [len(column.labels) for column in columns.values()])
    return {
        name: CategoryColumn(name, found.astype(np.int32), column.labels)
        for (name, column), found in zip(columns.items(), codes, strict=True)
    }


def bounded(records: MechanismInput, most: int, source: RandomSource) -> IntArray:
    """Return which records count: of everybody at most ``most``, drawn by chance, and all if nobody is told apart.

    Whoever has fewer records keeps all of them, and what is drawn for one person does not depend on the others.
    """
    count = len(next(iter(records.columns.values())).codes) if records.columns else 0  # type: ignore[union-attr]
    if records.persons is None:
        return np.arange(count)
    order = np.argsort(records.persons, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(records.persons[order]) != 0]) if count else np.zeros(0, dtype=np.int64)
    kept = [_drawn(own, most, source) for own in np.split(order, starts[1:])]
    return np.sort(np.concatenate(kept)) if kept else order


def _drawn(own: IntArray, most: int, source: RandomSource) -> IntArray:
    """Return ``most`` of the records, every choice of them equally likely."""
    if len(own) <= most:
        return own
    left = own.tolist()
    for place in range(most):  # the first steps of a shuffle
        other = place + source.below(len(left) - place)
        left[place], left[other] = left[other], left[place]
    return np.array(left[:most], dtype=np.int64)
