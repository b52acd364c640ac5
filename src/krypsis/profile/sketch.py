"""The sketch of a column: a few bars that show how its values are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from krypsis.profile.column import ColumnProfile, ValueType

BARS = 12


@dataclass(frozen=True)
class Sketch:
    """A few bars; it stays with the publisher, for it shows values of the data."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    rest: int = 0
    """How many records have other values than those shown, the missing one not counted."""


def sketch_column(texts: pl.Series, column: ColumnProfile) -> Sketch:
    """Return the bars of a column: ranges of the same width for numbers, else its most frequent values.

    Examples
    --------
    >>> from krypsis.profile.column import profile_column
    >>> texts = pl.Series([str(age) for age in (*range(20, 32), 80)])
    >>> drawn = sketch_column(texts, profile_column("age", texts))
    >>> drawn.labels[0], drawn.counts[0], drawn.counts[-1]
    ('20 – 25', 5, 1)
    """
    if column.kind in (ValueType.INTEGER, ValueType.DECIMAL) and column.distinct > BARS:
        numbers = texts.cast(pl.Float64, strict=False).drop_nulls()
        finite = numbers.filter(numbers.is_finite()).to_numpy()
        if len(finite) and np.isfinite(finite.max() - finite.min()):
            return _of_numbers(finite)
    found = texts.drop_nulls().value_counts(sort=True, name="_count").head(BARS)
    counts = tuple(found.get_column("_count").to_list())
    labels = tuple(found.get_column(texts.name).to_list())
    return Sketch(labels, counts, len(texts) - column.missing - sum(counts))


def _of_numbers(numbers: np.typing.NDArray[np.float64]) -> Sketch:
    counts, edges = np.histogram(numbers, bins=BARS)
    labels = (f"{low:.6g} – {high:.6g}" for low, high in pairwise(edges))
    return Sketch(tuple(labels), tuple(counts.tolist()))
