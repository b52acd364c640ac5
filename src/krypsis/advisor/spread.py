"""How the values of a sensitive attribute are spread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

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


def middle_range(texts: pl.Series, share: float) -> float:
    """Return how far a share of the numbers in a column reach, those in the middle.

    Examples
    --------
    >>> middle_range(pl.Series([str(number) for number in range(101)]), 0.5)
    50.0
    """
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
    low, high = (numbers.quantile(part, "nearest") for part in ((1 - share) / 2, (1 + share) / 2))
    reach = (high or 0.0) - (low or 0.0)
    return reach if math.isfinite(reach) else 0.0


def round_number(size: float) -> str:
    """Return a positive number with one digit that counts, as people write it.

    Examples
    --------
    >>> round_number(1234.5), round_number(0.0367)
    ('1000', '0.04')
    """
    rounded = Decimal(f"{size:.0e}")
    return f"{rounded:f}"
