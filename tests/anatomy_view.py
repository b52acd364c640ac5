"""From a generalized table to two tables: the same groups, with exact quasi-identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from krypsis.data.random_order import random_order
from krypsis.errors import UsageError, column_not_found
from krypsis.io.dataset import Dataset
from krypsis.io.frames import frame_of, picked, replaced
from krypsis.kinds.table.families.bucketing import counted_by_group, free_name
from krypsis.release.order import new_seed


def anatomy_of(
    generalized: Any, original: Any, *, quasi_identifiers: list[str], sensitive: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the groups of a generalized table as two tables: exact records by group, and sensitive values by group.

    Whoever knows that a person is in the table learns the same of the sensitive value from both forms, and analysts
    learn more from exact values than from ranges. Only the publisher can do this: row by row, the original must be what
    the generalized table was made of.

    Parameters
    ----------
    generalized
        a table in which the records of a group have the same quasi-identifiers.
    original
        the table that it was made of, row by row.
    quasi_identifiers, sensitive
        columns of both.

    Notes
    -----
    Groups are numbered from 1 on by chance, and the records are in random order: neither says who comes from which part
    of the original table.

    References
    ----------
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> view = pl.DataFrame({"age": ["[20-30)", "[20-30)", "*"], "disease": ["flu", "gout", "flu"]})
    >>> table = pl.DataFrame({"age": [21, 29, 70], "disease": ["flu", "gout", "flu"]})
    >>> records, values = anatomy_of(view, table, quasi_identifiers=["age"], sensitive="disease")
    >>> met = records.join(values, on="group").drop("group", "count")
    >>> sorted(met.rows())
    [(21, 'flu'), (21, 'gout'), (29, 'flu'), (29, 'gout'), (70, 'flu')]
    """
    view, table = Dataset.of(generalized), frame_of(original)
    for name in (*quasi_identifiers, sensitive):
        for columns in (view.columns, table.columns):
            if name not in columns:
                raise column_not_found(name, columns)
    if view.rows != table.height or not view.collect_texts(sensitive).equals(
        Dataset.of(original).collect_texts(sensitive)
    ):
        raise UsageError(
            f"both tables must have the same records in the same order, and {sensitive!r} differs between them; give "
            "the table that was generalized, row by row"
        )
    group = free_name("group", table.columns)
    together = pl.DataFrame([view.collect_texts(name).alias(name) for name in quasi_identifiers])
    ranks = together.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    numbers = random_order(new_seed(), int(ranks.max(initial=-1)) + 1) + 1
    records = replaced(table, [pl.Series(group, numbers[ranks])])[random_order(new_seed(), table.height)]
    shown = picked(records, (name for name in records.columns if name != sensitive))
    return shown, counted_by_group(records, sensitive, group)
