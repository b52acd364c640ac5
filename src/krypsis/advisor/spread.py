"""How the values of a sensitive attribute are spread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Spread:
    """The frequencies of the values in four figures; a missing value is a value of its own."""

    name: str
    distinct: int
    largest_share: float
    """The share of the records that have the most frequent value."""
    ratio: float
    """How many times as frequent the most frequent value is as the rarest."""
    effective: float
    """How many equally frequent values would be as uncertain: the exponential of the entropy."""

    @classmethod
    def of(cls, name: str, texts: pl.Series) -> Spread:
        """Count the values of a column.

        Examples
        --------
        >>> Spread.of("disease", pl.Series(["flu", "flu", "flu", "cold"]))
        Spread(name='disease', distinct=2, largest_share=0.75, ratio=3.0, effective=1.754...)
        """
        counts = texts.rename("text").value_counts(name="count")["count"].cast(pl.Int64)
        largest, smallest = int(counts.max() or 0), int(counts.min() or 0)  # type: ignore[arg-type]
        return cls(
            name=name,
            distinct=len(counts),
            largest_share=largest / len(texts),
            ratio=largest / smallest,
            effective=math.exp(counts.entropy(normalize=True) or 0.0),
        )


def typical_range(texts: pl.Series) -> float:
    """Return how far the middle 98 % of the numbers in a column reach.

    Examples
    --------
    >>> typical_range(pl.Series([str(number) for number in range(101)]))
    98.0
    """
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
    low, high = (numbers.quantile(share, "nearest") for share in (0.01, 0.99))
    reach = (high or 0.0) - (low or 0.0)
    return reach if math.isfinite(reach) else 0.0
