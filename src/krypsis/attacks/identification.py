"""Who can be found by the quasi-identifiers alone, in one release of a table that changes and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.histories import people_alike
from krypsis.checker.invariance import Invariance
from krypsis.datasets.history import Version

MOST_PAIRS = 20_000_000
"""How many pairs of a person and a signature are compared at the most."""

WITHOUT_K = (
    "m-invariance protects whose sensitive value it is, not who is in the table: promise k-anonymity as well, such as "
    "k-anonymity:k=5, and publish=generalization keeps both"
)


@dataclass(frozen=True)
class Identification:
    """How well people hide among others with the same published quasi-identifiers; counterfeits are nobody."""

    people: int
    smallest: int
    """The fewest people who look alike in one release."""
    alone: int
    """How many people, at the most, look like nobody else in some release."""
    across: int | None = None
    """The fewest records that are left of somebody's look after comparing all releases; ``None`` if not compared."""

    @property
    def chance(self) -> float:
        """The highest chance to find somebody's record in one release."""
        return 1 / max(self.smallest, 1)

    @classmethod
    def of(cls, versions: Sequence[Version]) -> Identification | None:
        """Return what the quasi-identifiers of the releases tell; ``None`` where these are not at hand.

        Examples
        --------
        >>> looks = pl.DataFrame({"group": ["1", "1"], "look": [0, 1]})
        >>> records = pl.DataFrame({"group": ["1", "1"], "value": ["a", "b"]})
        >>> print(Identification.of([Version(records, looks=looks)]).sentence())
        identification, 100 %: up to 2 of 2 people have published quasi-identifiers that nobody else has
        """
        if not versions or any(version.looks is None for version in versions):
            return None
        alike = [people_alike(version) for version in versions]
        alone = [int((one <= 1).sum()) for one in alike]
        people = [_people(version) for version in versions]
        worst = int(np.argmax(alone))
        smallest = min(max(int(one.min()), 1) if len(one) else 1 for one in alike)
        return cls(people[worst], smallest, min(alone[worst], people[worst]), _across(versions))

    def sentence(self) -> str:
        """Return the risk in plain words."""
        if self.smallest <= 1:
            found = f"up to {self.alone} of {self.people} people have published quasi-identifiers that nobody else has"
        else:
            found = f"in each release everybody looks like at least {self.smallest - 1} other people"
        return f"identification, {percent(self.chance)}: {found}{self._compared()}"

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {"people": self.people, "smallest": self.smallest, "alone": self.alone, "across_releases": self.across}

    def _compared(self) -> str:
        if self.across is None or self.across >= self.smallest:
            return ""
        return (
            f"; whoever compares all releases can exclude records of other signatures, and {self.across} record(s) are "
            "left of the person who is found most easily"
        )


def percent(chance: float) -> str:
    """Return a chance in percent.

    Examples
    --------
    >>> percent(1.0), percent(1 / 3), percent(0.2)
    ('100 %', '33.3 %', '20 %')
    """
    return f"{float(f'{chance * 100:.1f}'):g} %"


def _people(version: Version) -> int:
    """Return how many published records belong to somebody."""
    return len(version.records) - sum((version.counterfeits or {}).values())


def _across(versions: Sequence[Version]) -> int | None:
    """Return the fewest people of a look whose signature fits in all releases that somebody is in."""
    if len(versions) < 2 or any(version.members is None for version in versions):
        return None
    groups = Invariance.of(versions).groups
    seen = [_candidates(version, own.signature) for version, own in zip(versions, groups, strict=True)]
    found = [one for one in seen if one is not None]
    if len(found) < len(seen):
        return None
    pairs = pl.concat([one.select("person", "signature") for one in found]).group_by("person", "signature").len("fits")
    lives = pl.concat([one.select("person").unique() for one in found]).group_by("person").len("lives")
    fitting = pairs.join(lives, on="person").filter(pl.col("fits") == pl.col("lives"))
    left = pl.concat(
        [one.join(fitting, on=["person", "signature"]).group_by("person").agg(pl.col("people").sum()) for one in found]
    )
    return max(int(left.get_column("people").min()), 1) if left.height else None  # type: ignore[arg-type]


def _candidates(version: Version, signature: IntArray) -> pl.DataFrame | None:
    """Return for each person the signatures that stand under the same look, and how many people have each of them.

    ``None`` where the records of a group look different, so that nobody but the publisher knows who has which look; and
    where there are too many.
    """
    if version.looks is None or version.members is None:
        return None
    looks = version.looks.unique()
    if looks.get_column("group").is_duplicated().any():
        return None
    groups = version.records.select("group").with_columns(signature=signature[version.numbers.records]).unique()
    members = version.members.with_columns(pl.col("person").cast(pl.String)).join(looks, on="group")
    people = members.join(groups, on="group").group_by("look", "signature").len("people")
    per_look = people.group_by("look").len("signatures").join(members.group_by("look").len("members"), on="look")
    if int((per_look.get_column("signatures").cast(pl.Int64) * per_look.get_column("members")).sum()) > MOST_PAIRS:
        return None
    return members.select("person", "look").join(people, on="look")
