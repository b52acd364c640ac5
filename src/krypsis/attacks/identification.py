"""Who can be found by the quasi-identifiers alone, in one release of a table that changes and over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.attacks.base import AttackSuccess, percent
from krypsis.attacks.history_attack import HistoryAttack, ReleaseSequence
from krypsis.checker.histories import people_alike
from krypsis.checker.invariance import Invariance
from krypsis.errors import UsageError
from krypsis.io.history import Version

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
    def of(cls, versions: Sequence[Version]) -> "Identification | None":
        """Return what the quasi-identifiers of the releases reveal; ``None`` where these are not at hand.

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


class IdentificationAttack(HistoryAttack):
    """Looks for people whose published quasi-identifiers nobody else has, in each release and over all of them.

    Counterfeits are nobody. Of several releases the one that gives most people away counts.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> looks = pl.DataFrame({"group": ["1", "1", "1"], "look": [0, 1, 1]})
    >>> records = pl.DataFrame({"group": ["1", "1", "1"], "value": ["a", "b", "c"]})
    >>> found = IdentificationAttack().run([Version(records, looks=looks)])
    >>> found.certain, found.targets
    (1.0, 3)
    """

    name: ClassVar[str] = "identification"
    title: ClassVar[str] = "identification"
    knowledge: ClassVar[str] = "the quasi-identifiers of everybody, and who is in the table when"
    success: ClassVar[str] = "the record of a person is found, as at most one person looks like it"
    baseline: ClassVar[str] = "a record picked among all records of a release is that of the person"
    reference: ClassVar[str] = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for releases whose published quasi-identifiers are at hand."""
        return (self,) if isinstance(target, ReleaseSequence) and target.has_looks else ()

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Identification:
        """Return how well people hide among others.

        Raises
        ------
        UsageError
            if the published quasi-identifiers are not at hand.
        """
        found = Identification.of(self.sequence(target).comparable)
        if found is None:
            raise UsageError("the published quasi-identifiers are not known; give versions with 'looks'")
        return found

    def evaluate(self, found: Identification, target: ReleaseSequence | Sequence[Version]) -> AttackSuccess:
        """Return the share of the people of a release who look like nobody else."""
        versions = self.sequence(target).versions
        has_counterfeits = any(sum((version.counterfeits or {}).values()) for version in versions)
        across = f"Comparing all releases leaves {found.across} record(s) of the person who is found most easily."
        return AttackSuccess.of(
            self.name,
            targets=found.people,
            rate=found.alone / found.people if found.people else 0.0,
            baseline=1 / found.people if found.people else 0.0,
            certain=float(found.alone),
            cannot_say=[
                "Some of those found may be counterfeits, which look like people." if has_counterfeits else "",
                across if found.across is not None and found.across < found.smallest else "",
            ],
        )


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
    # A candidate stays if its signature stands under the person's look in every release the person is in.
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
