"""The tuples of a table and of the population that its records come from, numbered together."""

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.errors import DataError


def check_contained(counts: IntArray, people: IntArray) -> None:
    """Raise unless the population has everybody whom the table has, tuple by tuple.

    Examples
    --------
    >>> check_contained(np.array([2, 0]), np.array([2, 5]))
    """
    if outside := int(np.maximum(counts - people, 0).sum()):
        raise DataError(
            f"{outside} of {counts.sum()} records are not in the population: nobody there, or too few, has their "
            "values in the quasi-identifiers; the population must hold everybody in the data, written the same way"
        )


def table_first(numbers: CodeArray, first: IntArray, rows: int) -> tuple[CodeArray, IntArray]:
    """Give the lower numbers to the tuples that one of the first ``rows`` rows has; else in the order as it is.

    Examples
    --------
    >>> numbers, first = table_first(np.array([1, 0], dtype=np.int32), np.array([1, 0]), 1)
    >>> numbers.tolist(), first.tolist()
    ([0, 1], [0, 1])
    """
    own = np.bincount(numbers[:rows], minlength=len(first)) > 0
    order = np.argsort(~own, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[numbers], first[order]
