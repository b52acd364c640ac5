"""What somebody learns who finds the same people in several releases, or misses a value in one of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.chances import chances_of, chances_with_exclusions
from krypsis.attacks.history_attack import CountingAttack, HistoryAttack, Learned, ReleaseSequence
from krypsis.attacks.trails import Cascade, Trails
from krypsis.data.hierarchies.base import Label
from krypsis.data.ordering import distinct
from krypsis.io.history import Version

Candidates = dict[str, frozenset[Label]]


class IntersectionAttack(CountingAttack):
    """Compares the groups of the same people in all releases to learn how likely each value of each person is.

    Whatever one person cannot have says something about the others of the group, in all releases: every assignment of
    values to people that explains all releases counts the same.

    Notes
    -----
    First the values are excluded that no release allows, and those that others must have, for all people at once.
    People who are linked by common groups then form a cluster. A cluster of one group, or one where all groups hold
    the same values equally often, is solved by symmetry, however large it is: in an m-invariant sequence every cluster
    is such. Of the others the small ones are solved by counting worlds
    (:func:`krypsis.attacks.matching.count_worlds`); for the rest, people who are always together share the records of a
    value equally, which bounds the chance of each.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import polars as pl
    >>> table = pl.DataFrame({"group": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="group", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> [finding.sentence() for finding in IntersectionAttack().find([first, second]).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly", "Bob has 'cancer' certainly"]
    """

    name: ClassVar[str] = "intersection"
    title: ClassVar[str] = "intersection"
    knowledge: ClassVar[str] = (
        "the quasi-identifiers of everybody, so the group of everybody in each release, who is in the table when, and "
        "how many counterfeits a group has"
    )
    success: ClassVar[str] = "the value that all releases together leave most likely is that of the person"
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Learned:
        """Return how likely each sensitive value of each person is."""
        return chances_of(Cascade.of(self.sequence(target).trails).run(), self.title, self.exact_people)


class AbsenceAttack(CountingAttack):
    """Uses values that a whole release does not hold: whoever is in it does not have them.

    The attacker finds the victim's group in one release only, and knows of all other releases who is in the table,
    without finding anybody's group there. Who stayed cannot have a value that went; so it belongs to those who left.
    About people in whose group nobody is excluded from anything, nothing is learned. For others it is the release with
    the surest value that counts.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 2.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import polars as pl
    >>> table = pl.DataFrame({"g": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="g", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> [finding.sentence() for finding in AbsenceAttack().find([first, second]).breaches(Fraction(1, 2))]
    ["Ann has 'flu' certainly", "Bob has 'cancer' certainly"]
    """

    name: ClassVar[str] = "critical-absence"
    title: ClassVar[str] = "critical absence"
    knowledge: ClassVar[str] = "the group of everybody in one release, and who is in the table in all others"
    success: ClassVar[str] = "the value that is most likely in the release that says most is that of the person"
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007, section 2"
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Learned:
        """Return how likely the sensitive values of people are in whose groups somebody is excluded from a value."""
        releases = self.sequence(target)
        trails = releases.trails
        # Critical absence: a value that a whole release lacks cannot belong to anybody who is in that release.
        kind, presence = _presence(trails, len(releases.versions))
        return chances_with_exclusions(trails, kind, _occurring(trails, presence), self.title, self.exact_people)


def _presence(trails: Trails, releases: int) -> tuple[IntArray, BoolArray]:
    """Return for each person a number, and for each number the releases that such people are in."""
    kind = np.zeros(len(trails.people), dtype=np.int64)
    for release in range(releases):
        is_in = np.zeros(len(kind), dtype=np.int64)
        is_in[trails.member_person[trails.member_release == release]] = 1
        _, kind, _ = distinct(kind * 2 + is_in)
    presence = np.zeros((int(kind.max(initial=-1)) + 1, releases), dtype=np.bool_)
    presence[kind[trails.member_person], trails.member_release] = True
    return kind, presence


def _occurring(trails: Trails, presence: BoolArray) -> BoolArray:
    """Say which values occur in every release of a kind of people."""
    occurs = np.zeros((presence.shape[1], len(trails.values)), dtype=np.bool_)
    occurs[trails.slot_release, trails.slot_value] = True
    return np.stack([occurs[own].all(axis=0) for own in presence]) if len(presence) else occurs


class CandidateAttack(HistoryAttack):
    """Intersects the groups of each person to learn which sensitive values no release excludes.

    In each release the value is one of the group's; over several it must be in all of them. What is left of fewer than
    ``m`` values breaks a promise of ``m``. :class:`IntersectionAttack` says how likely each of them is; this one is
    plain enough to be followed by hand.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"group": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="group", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> left = CandidateAttack(cascade=True).find([first, second])
    >>> sorted(left["Ann"]), sorted(left["Bob"])
    (['flu'], ['cancer'])
    """

    name: ClassVar[str] = "candidate-values"
    title: ClassVar[str] = "candidate values"
    knowledge: ClassVar[str] = "the group of everybody in each release, and who is in the table when"
    success: ClassVar[str] = "a value picked among those that no release excludes is that of the person"
    baseline: ClassVar[str] = "a value picked among all published values is that of the person"
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )

    cascade: bool = Field(
        default=False,
        description="whether values that others must have are excluded as well: if Bob's value is known, nobody else "
        "in his group has that record",
    )

    def find(self, target: ReleaseSequence | Sequence[Version]) -> Candidates:
        """Return for each person the sensitive values that no release excludes.

        With a cascade, every group must be explained by some assignment of its records to its people and counterfeits.
        """
        versions, left = self.sequence(target).comparable, Candidates()
        for version in versions:
            for person, values in version.signatures().items():
                # Intersect the signatures of the person's groups over all releases.
                left[person] = left.get(person, values) & values
        return _cascaded(left, versions) if self.cascade else left

    def evaluate(self, found: Candidates, target: ReleaseSequence | Sequence[Version]) -> AttackSuccess:
        """Return one over the number of values that are left, on average over all people."""
        numbers = [len(values) for values in found.values()]
        return AttackSuccess.of(
            self.name,
            targets=len(numbers),
            rate=sum(1 / number for number in numbers if number) / len(numbers) if numbers else 0.0,
            baseline=1 / max(len(self.sequence(target).trails.values), 1) if numbers else 0.0,
            certain=float(numbers.count(1)),
            cannot_say=["Values that are left count the same, however often they occur."],
        )


def vanished_values(before: Iterable[Label], after: Iterable[Label]) -> Counter[Label]:
    """Return what a group no longer holds after somebody left it: the value is among these.

    The attacker knows that the victim was in the group before and is not in the table any more, and takes the others to
    be in the group that covers them afterwards.

    Examples
    --------
    >>> vanished_values(["flu", "short breath", "flu", "aids"], ["flu", "aids", "flu", "gastritis"])
    Counter({'short breath': 1})
    """
    return Counter(before) - Counter(after)


def _cascaded(left: Candidates, versions: Sequence[Version]) -> Candidates:
    """Exclude what no assignment of a group allows, until nothing changes."""
    groups = [group for version in versions for group in _groups(version)]
    while True:
        before = dict(left)
        for people, values in groups:
            left |= {person: _possible(person, people, values, left) for person in people}
        if left == before:
            return left


def _groups(version: Version) -> list[tuple[list[str], list[Label]]]:
    values = {name: rows["value"].to_list() for (name,), rows in version.records.group_by("group", maintain_order=True)}
    if version.members is None:
        return []
    return [
        (rows["person"].to_list(), values[name])
        for (name,), rows in version.members.group_by("group", maintain_order=True)
    ]


def _possible(person: str, people: Sequence[str], values: Sequence[Label], left: Candidates) -> frozenset[Label]:
    """Return the values that a person may have so that a record of the group is left for everybody else."""
    others = [other for other in people if other != person]
    possible = set[Label]()
    for place, value in enumerate(values):
        if value in left[person] and value not in possible:
            rest = [*values[:place], *values[place + 1 :]]
            # Exact propagation: (q, s) stays if a perfect matching of the group's people and records contains it.
            if _everybody_fits(others, rest, left):
                possible.add(value)
    return frozenset(possible)


def _everybody_fits(people: Sequence[str], values: Sequence[Label], left: Candidates) -> bool:
    """Say whether each person can be given a record of its own, by augmenting paths."""
    owner: dict[int, str] = {}

    def place_for(person: str, tried: set[int]) -> bool:
        for place, value in enumerate(values):
            if place in tried or value not in left[person]:
                continue
            tried.add(place)
            if place not in owner or place_for(owner[place], tried):
                owner[place] = person
                return True
        return False

    return all(place_for(person, set()) for person in people)
