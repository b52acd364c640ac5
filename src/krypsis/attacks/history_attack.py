"""Attacks across the releases of a table that changes: what they see, and what they learn about whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import polars as pl
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.attacks.taxonomy import coarsened
from krypsis.attacks.trails import Trails, members_of
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError
from krypsis.io.history import Version

EXACT_PEOPLE = 20_000
"""How many people of irregular clusters are counted exactly, those of small clusters first."""

FINEST = 2**31
"""The largest denominator; a chance that needs a larger one is given by a lower and an upper bound."""

COLUMNS = {
    "person": pl.String,
    "value": pl.String,
    "low": pl.Int64,
    "low_of": pl.Int64,
    "high": pl.Int64,
    "high_of": pl.Int64,
}


@dataclass(frozen=True)
class LearnedValue:
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
    ``high / high_of``; it is exact where both are the same. About people without a row the attack learns nothing.

    Examples
    --------
    >>> found = Learned.of("guess", [LearnedValue("Ann", "flu", Fraction(2, 3), Fraction(2, 3))])
    >>> found.worst, [finding.sentence() for finding in found.breaches(Fraction(1, 2))]
    (Fraction(2, 3), ["Ann has 'flu' with a chance of 2/3"])
    """

    attack: str
    chances: pl.DataFrame = field(repr=False)

    @classmethod
    def of(cls, attack: str, findings: Sequence[LearnedValue]) -> "Learned":
        """Return the findings as columns."""
        rows = [(found.person, found.value, *bounds_of(found.low, found.high)) for found in findings]
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

    def breaches(self, limit: Fraction, most: int | None = None) -> list[LearnedValue]:
        """Return the values that are more likely than the limit, the surest first, at most so many."""
        rows = self._beyond(limit, "low").with_columns(chance=pl.col("low") / pl.col("low_of"))
        rows = rows.sort("chance", "person", "value", descending=[True, False, False]).drop("chance")
        shown = rows if most is None else rows.head(most)
        return [
            LearnedValue(person, value, Fraction(low, low_of), Fraction(high, high_of))
            for person, value, low, low_of, high, high_of in shown.iter_rows()
        ]

    def _beyond(self, limit: Fraction, bound: str) -> pl.DataFrame:
        return self.chances.filter(pl.col(bound) * limit.denominator > pl.col(f"{bound}_of") * limit.numerator)


@dataclass(frozen=True, eq=False)
class ReleaseSequence:
    """The releases of a table that changes, the oldest first, and what is known of its sensitive attribute.

    It says who is in which group, so it must not be published.

    Examples
    --------
    >>> releases = ReleaseSequence([Version.of_signatures({"Ann": ["flu", "gout"], "Bob": ["flu", "gout"]})])
    >>> releases.people, releases.most_frequent
    (2, 0.5)
    """

    versions: Sequence[Version] = field(repr=False)
    """The releases, with who is in which group."""
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    """Of the sensitive attribute; without it, values that are similar or generalized reveal nothing more."""
    limits: tuple[Fraction, Fraction] | None = field(default=None, repr=False)
    """The lowest and the highest number that the sensitive attribute can have, if it is one."""
    values: pl.DataFrame | None = field(default=None, repr=False)
    """``person`` and ``value``: the last known values, if they are known."""

    @cached_property
    def comparable(self) -> Sequence[Version]:
        """The releases with values that are generalized in some of them and not in others as their most general one."""
        return self.versions if self.hierarchy is None else coarsened(self.versions, self.hierarchy)

    @cached_property
    def trails(self) -> Trails:
        """Everybody's groups, with comparable values."""
        is_same = all(old is new for old, new in zip(self.versions, self.comparable, strict=True))
        return self.published_trails if is_same else Trails.of(self.comparable)

    @cached_property
    def published_trails(self) -> Trails:
        """Everybody's groups, with values as they are published."""
        return Trails.of(self.versions)

    @cached_property
    def people(self) -> int:
        """How many different people are in the releases."""
        names = [members_of(version).get_column("person").cast(pl.String) for version in self.versions]
        return pl.concat(names).n_unique() if names else 0

    def needed_hierarchy(self) -> Hierarchy:
        """Return the hierarchy, for an attack that is nothing without it.

        Raises
        ------
        UsageError
            if there is none.
        """
        if self.hierarchy is None:
            raise UsageError("how values are related is not known; give the 'hierarchy' of the sensitive attribute")
        return self.hierarchy

    def needed_limits(self) -> tuple[Fraction, Fraction]:
        """Return the limits, for an attack that is nothing without them.

        Raises
        ------
        UsageError
            if there are none.
        """
        if self.limits is None:
            raise UsageError("which numbers there can be is not known; give the 'limits' of the sensitive attribute")
        return self.limits

    @property
    def has_looks(self) -> bool:
        """Whether the published quasi-identifiers of all releases are at hand."""
        return bool(self.versions) and all(version.looks is not None for version in self.versions)

    @cached_property
    def most_frequent(self) -> float:
        """The share of the most frequent sensitive value among the records of all releases."""
        counts = np.bincount(self.trails.slot_value, weights=self.trails.slot_count)
        return float(counts.max() / counts.sum()) if counts.sum() else 0.0


class HistoryAttack(Attack):
    """An attack by somebody who compares releases and knows who is in which, and in which group."""

    kind: ClassVar[str] = "history"
    needs: ClassVar[str] = ""
    """What a :class:`ReleaseSequence` must have besides the releases: ``hierarchy``, ``limits`` or nothing."""

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for a sequence of releases that has what it needs."""
        can_be = isinstance(target, ReleaseSequence) and (not self.needs or getattr(target, self.needs) is not None)
        return (self,) if can_be else ()

    def sequence(self, target: ReleaseSequence | Sequence[Version]) -> ReleaseSequence:
        """Return a sequence of releases, also of a list of versions."""
        return target if isinstance(target, ReleaseSequence) else ReleaseSequence(target)


class ValueInferenceAttack(HistoryAttack):
    """An attack across releases that learns how likely the sensitive values of people are."""

    baseline: ClassVar[str] = "the most frequent value of all published records is that of the person"

    def evaluate(self, found: Learned, target: ReleaseSequence | Sequence[Version]) -> AttackSuccess:
        """Return the chance of the best guess, on average over the people about whom something is learned."""
        releases = self.sequence(target)
        best = found.chances.group_by("person").agg(
            low=(pl.col("low") / pl.col("low_of")).max(),
            high=(pl.col("high") / pl.col("high_of")).max(),
            certain=(pl.col("low") == pl.col("low_of")).any(),
        )
        low, high = best.get_column("low").to_numpy(), best.get_column("high").to_numpy()
        others, bounded = releases.people - len(low), int((low < high).sum())
        return AttackSuccess.of(
            self.name,
            targets=len(low),
            rate=float(high.mean()) if len(high) else 0.0,
            at_least=float(low.mean()) if len(low) else None,
            baseline=releases.most_frequent,
            certain=float(best.get_column("certain").sum()),
            cannot_say=[
                f"Nothing is learned about {others:,} other people." if others else "",
                f"For {bounded:,} people there are too many cases to count; they are taken at the upper bound."
                if bounded
                else "",
            ],
        )


class CountingAttack(ValueInferenceAttack):
    """An attack that counts the cases of groups that share people, where these are few enough."""

    exact_people: int = Field(
        default=EXACT_PEOPLE,
        ge=0,
        description="how many people are counted exactly where groups are irregular and share people; for the others "
        "there are bounds that hold for certain",
    )


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
