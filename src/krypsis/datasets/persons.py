"""Whom records belong to."""

from __future__ import annotations

import polars as pl

from krypsis.arrays import IntArray
from krypsis.datasets.dataset import Dataset
from krypsis.errors import DataError


def persons_in(dataset: Dataset, column: str) -> IntArray:
    """Return whom each record belongs to, by number.

    Raises
    ------
    DataError
        if the column does not say it of every record.

    Examples
    --------
    >>> persons_in(Dataset.of(pl.DataFrame({"who": ["b", "a", "b"]})), "who")
    array([2, 1, 2])
    """
    texts = dataset.texts(column)
    if missing := texts.null_count():
        raise DataError(
            f"column {column!r} does not say of {missing} record(s) whom they belong to; leave these records out, or "
            "complete the column"
        )
    return texts.rank("dense").cast(pl.Int64).to_numpy()
