"""What an attack on one table finds: how many records are exposed, and how sure the attacker is on average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import UsageError

ROUNDING = 1e-9
"""Chances that come from groups are sums of fractions; one that misses the limit by less than this reaches it."""

SHOWN = 20
"""How many exposed rows a result names unless asked for more."""


@dataclass(frozen=True)
class Exposure:
    """The result of an attack on one table by somebody who knows some columns of a person.

    Examples
    --------
    >>> found = Exposure("linkage", ("age",), "", 4, 1, (2,), 0.75, 1.0, 0.25)
    >>> found.share, found.expected
    (0.25, 3.0)
    """

    attack: str
    known: tuple[str, ...]
    """The columns that the attacker knows of a person."""
    sensitive: str
    """The column that the attacker wants to learn; empty where it is the record itself."""
    records: float
    """Of how many records the attack was tried."""
    exposed: float
    """How many records the attacker is sure enough of; an expected number where a release publishes groups."""
    sample: tuple[int, ...]
    """The first rows of the table that are exposed, counted from 0 in the order of the table."""
    average_chance: float
    """How likely the attacker is right, on average over the records."""
    highest_chance: float
    baseline: float
    """How likely the attacker would be right without knowing any column."""
    certainty: float = 1.0
    """The chance from which on a record counts as exposed."""
    note: str = ""
    """What to keep in mind when reading the result."""

    @property
    def share(self) -> float:
        """The share of exposed records."""
        return self.exposed / self.records if self.records else 0.0

    @property
    def expected(self) -> float:
        """Of how many records the attacker is right, to be expected."""
        return self.average_chance * self.records

    def as_dict(self) -> dict[str, Any]:
        """Return the result by name, ready for JSON."""
        found = asdict(self)
        return {**found, "known": list(self.known), "sample": list(self.sample), "share": self.share}


def check_limits(certainty: float, sample: int) -> None:
    """Raise if the limits of an attack are none.

    Raises
    ------
    UsageError
        if the certainty is no chance above 0, or the number of rows to name is negative.
    """
    if isinstance(certainty, bool) or not isinstance(certainty, int | float) or not 0 < certainty <= 1:
        raise UsageError(f"certainty must be a chance above 0 and up to 1, got {certainty!r}; 1 means beyond doubt")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        raise UsageError(f"sample must be how many exposed rows to name, 0 or more, got {sample!r}")


def measure(
    chances: FloatArray, weights: FloatArray | IntArray, certainty: float
) -> tuple[float, float, float, BoolArray]:
    """Return how much weight is exposed, the average and the highest chance, and which entries are exposed."""
    sure: BoolArray = chances >= certainty - ROUNDING
    total = float(weights.sum())
    average = float(chances @ weights) / total if total else 0.0
    return _whole(float(weights[sure].sum())), min(average, 1.0), float(chances.max(initial=0.0)), sure


def _whole(number: float) -> float:
    """Return a number without what rounding has left behind the point."""
    return float(round(number)) if abs(number - round(number)) < ROUNDING * max(number, 1.0) else number


def first_rows(rows: BoolArray, most: int) -> tuple[int, ...]:
    """Return the numbers of the first chosen rows."""
    found: Sequence[int] = np.flatnonzero(rows)[:most].tolist()
    return tuple(found)
