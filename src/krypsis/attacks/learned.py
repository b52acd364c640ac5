"""What an attack has learned: about whom, which value, and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.hierarchies.base import Label

FINEST = 2**31
"""The largest denominator; a chance that needs a larger one is told by a lower and an upper bound."""

COLUMNS = {
    "person": pl.String,
    "value": pl.String,
    "low": pl.Int64,
    "low_of": pl.Int64,
    "high": pl.Int64,
    "high_of": pl.Int64,
}


@dataclass(frozen=True)
class Finding:
    """A person, a value, and the chance that it is the person's: between ``low`` and ``high``."""

    person: str
    value: Label
    low: Fraction
    high: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether the chance is known exactly."""
        return self.low == self.high

    def sentence(self) -> str:
        """Return the finding in plain words."""
        value = "a missing value" if self.value is None else repr(self.value)
        if self.is_exact:
            sure = "certainly" if self.low == 1 else f"with a chance of {self.low}"
        else:
            sure = f"with a chance between {self.low} and {self.high}"
        return f"{self.person} has {value} {sure}"

    def as_dict(self) -> dict[str, str | None]:
        """Return the finding by name, fractions as text."""
        return {"person": self.person, "value": self.value, "low": str(self.low), "high": str(self.high)}


@dataclass(frozen=True, eq=False)
class Learned:
    """What an attack has learned about people.

    ``chances`` has one row per person and value that is not excluded: the chance lies between ``low / low_of`` and
    ``high / high_of``; it is exact where both are the same. About people without a row the attack tells nothing.

    Examples
    --------
    >>> found = Learned.of("guess", [Finding("Ann", "flu", Fraction(2, 3), Fraction(2, 3))])
    >>> found.worst, [finding.sentence() for finding in found.breaches(Fraction(1, 2))]
    (Fraction(2, 3), ["Ann has 'flu' with a chance of 2/3"])
    """

    attack: str
    chances: pl.DataFrame

    @classmethod
    def of(cls, attack: str, findings: list[Finding]) -> Learned:
        """Return the findings as columns."""
        rows = [(one.person, one.value, *bounds_of(one.low, one.high)) for one in findings]
        return cls(attack, pl.DataFrame(rows, schema=COLUMNS, orient="row"))

    @cached_property
    def people(self) -> int:
        """The number of people about whom something is learned."""
        return self.chances.get_column("person").n_unique()

    @cached_property
    def worst(self) -> Fraction:
        """The largest chance that anybody's value is guessed with, by its upper bound; 0 if nothing is learned."""
        if not self.chances.height:
            return Fraction(0)
        place = int((self.chances["high"] / self.chances["high_of"]).arg_max() or 0)
        return Fraction(self.chances["high"][place], self.chances["high_of"][place])

    def about(self, person: str) -> dict[Label, tuple[Fraction, Fraction]]:
        """Return for each value of a person the bounds of its chance."""
        rows = self.chances.filter(pl.col("person") == person).drop("person")
        return {row[0]: (Fraction(row[1], row[2]), Fraction(row[3], row[4])) for row in rows.iter_rows()}

    def breached(self, limit: Fraction) -> int:
        """Return the number of people of whom some value is more likely than the limit, for certain."""
        return self._beyond(limit, "low").get_column("person").n_unique()

    def doubtful(self, limit: Fraction) -> int:
        """Return the number of people of whom some value may be more likely than the limit, by its upper bound."""
        return self._beyond(limit, "high").get_column("person").n_unique()

    def breaches(self, limit: Fraction, most: int | None = None) -> list[Finding]:
        """Return the values that are more likely than the limit, the surest first, at most so many."""
        rows = self._beyond(limit, "low").with_columns(chance=pl.col("low") / pl.col("low_of"))
        rows = rows.sort("chance", "person", "value", descending=[True, False, False]).drop("chance")
        shown = rows if most is None else rows.head(most)
        return [
            Finding(person, value, Fraction(low, low_of), Fraction(high, high_of))
            for person, value, low, low_of, high, high_of in shown.iter_rows()
        ]

    def _beyond(self, limit: Fraction, bound: str) -> pl.DataFrame:
        return self.chances.filter(pl.col(bound) * limit.denominator > pl.col(f"{bound}_of") * limit.numerator)


def reduced(numerator: IntArray, denominator: IntArray) -> tuple[IntArray, IntArray]:
    """Return fractions in lowest terms.

    Examples
    --------
    >>> [part.tolist() for part in reduced(np.array([2, 0]), np.array([4, 3]))]
    [[1, 0], [2, 1]]
    """
    low, high = numerator.copy(), np.where(numerator == 0, 1, denominator)
    many = np.flatnonzero(numerator > 1)
    common = np.gcd(low[many], high[many])
    low[many] //= common
    high[many] //= common
    return low, high


def bounds_of(low: Fraction, high: Fraction) -> tuple[int, int, int, int]:
    """Return the bounds with denominators that fit, rounded outward where they do not."""
    below = low if low.denominator <= FINEST else Fraction(low * FINEST // 1, FINEST)
    above = high if high.denominator <= FINEST else Fraction(-(-high * FINEST // 1), FINEST)
    return below.numerator, below.denominator, above.numerator, above.denominator
