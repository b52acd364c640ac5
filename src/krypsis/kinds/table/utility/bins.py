"""Values in few bins, so that distributions of columns with many values can be compared."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Label

MOST_BINS = 30
"""Columns with more different values than this are put into bins."""

RANGES = 20
"""Into how many ranges the values of a long ordered column go, each with about as many records."""


def bins_of(values: Sequence[Label], counts: IntArray) -> IntArray:
    """Return the bin of each value: its own, or a range of about as many records, or one for all that are rare.

    Numbers and dates are put into ranges; of other texts the most frequent keep bins of their own. A missing value
    always has its own.

    Examples
    --------
    >>> bins_of(["a", "b", None], np.array([2, 1, 1])).tolist()
    [0, 1, 2]
    >>> ages = [str(age) for age in range(100)]
    >>> bins_of(ages, np.ones(100, dtype=np.int64))[[0, 4, 5, 99]].tolist()
    [0, 0, 1, 19]
    """
    if len(values) <= MOST_BINS:
        return np.arange(len(values), dtype=np.int64)
    texts = pl.Series(values, dtype=pl.String)
    missing = texts.is_null().to_numpy()
    keys = _keys(texts)
    bins = _frequent(counts, missing) if keys is None else _ranges(keys, counts, missing)
    bins[missing] = bins[~missing].max(initial=-1) + 1
    return bins


def ranks_of(values: Sequence[Label]) -> IntArray | None:
    """Return the place of each value in the order of numbers or dates, missing last; nothing if they have none.

    Examples
    --------
    >>> ranks_of(["10", None, "9"]).tolist(), ranks_of(["a", "b"])
    ([1, 2, 0], None)
    """
    keys = _keys(pl.Series(values, dtype=pl.String))
    if keys is None:
        return None
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks


def _keys(texts: pl.Series) -> FloatArray | None:
    """Return what values are sorted by, as numbers or as dates; nothing if they have no order."""
    present = texts.drop_nulls()
    if np.isfinite(present.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()).all():
        return texts.cast(pl.Float64, strict=False).to_numpy()
    days = texts.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    if days.null_count() == texts.null_count():
        return days.to_physical().cast(pl.Float64).to_numpy()
    return None


def _ranges(keys: FloatArray, counts: IntArray, missing: np.typing.NDArray[np.bool_]) -> IntArray:
    bins = np.zeros(len(keys), dtype=np.int64)
    order = np.flatnonzero(~missing)[np.argsort(keys[~missing], kind="stable")]
    middle = np.cumsum(counts[order]) - counts[order] / 2
    bins[order] = np.minimum(middle * RANGES / max(int(counts[order].sum()), 1), RANGES - 1).astype(np.int64)
    return bins


def _frequent(counts: IntArray, missing: np.typing.NDArray[np.bool_]) -> IntArray:
    bins = np.full(len(counts), MOST_BINS - 1, dtype=np.int64)
    order = np.flatnonzero(~missing)
    order = order[np.argsort(-counts[order], kind="stable")]
    bins[order[: MOST_BINS - 1]] = np.arange(min(MOST_BINS - 1, len(order)))
    return bins
