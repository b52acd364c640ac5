"""Cells: records that agree in some columns and lack the same values, among which a method works."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.kernels.rows import number_rows


def missing_in(column: AnyColumn) -> BoolArray:
    """Say of each record whether it lacks a value.

    Examples
    --------
    >>> missing_in(NumericColumn("age", np.array([31, np.nan])))
    array([False,  True])
    """
    if isinstance(column, NumericColumn):
        return np.isnan(column.values)
    if None not in column.labels:
        return np.zeros(len(column.codes), dtype=np.bool_)
    missing: BoolArray = column.codes == column.labels.index(None)
    return missing


def to_change(columns: Mapping[str, AnyColumn], reads: Sequence[str]) -> list[AnyColumn]:
    """Return the columns that are changed: all that are not only looked at."""
    return [column for name, column in columns.items() if name not in reads]


def numbers(columns: Mapping[str, AnyColumn], reads: Sequence[str] = ()) -> list[NumericColumn]:
    """Return the columns of numbers that are changed."""
    return [column for column in to_change(columns, reads) if isinstance(column, NumericColumn)]


def categories(columns: Mapping[str, AnyColumn], reads: Sequence[str] = ()) -> list[CategoryColumn]:
    """Return the columns of categories that are changed."""
    return [column for column in to_change(columns, reads) if isinstance(column, CategoryColumn)]


def cells_of(within: Iterable[CategoryColumn], changed: Sequence[AnyColumn], records: int) -> IntArray:
    """Return the cell of each record, numbered from 0 on: same values within, and the same values missing.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 1, 0], dtype=np.int32), ("f", "m"))
    >>> cells_of([sex], [NumericColumn("age", np.array([31, 40, np.nan]))], 3).tolist()
    [0, 2, 1]
    """
    fixed = list(within)
    codes = [column.codes for column in fixed] + [missing_in(column).astype(np.int32) for column in changed]
    radices = [len(column.labels) for column in fixed] + [2] * len(changed)
    return number_rows(codes, radices, records)[0].astype(np.int64)


def records_of_cells(cells: IntArray | CodeArray) -> list[IntArray]:
    """Return the records of each cell.

    Examples
    --------
    >>> [records.tolist() for records in records_of_cells(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    order = np.argsort(cells, kind="stable")
    return np.split(order, np.cumsum(np.bincount(cells))[:-1])
