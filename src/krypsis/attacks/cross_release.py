"""What somebody learns who compares several releases of the same table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from krypsis.datasets.history import Version
from krypsis.hierarchies.base import Label

Candidates = dict[str, frozenset[Label]]


def intersection_attack(versions: Sequence[Version], *, cascade: bool = False) -> Candidates:
    """Return for each person the sensitive values that no release excludes.

    The attacker knows who is in the table when, and finds everybody's group by the quasi-identifiers. In each release
    the value is one of the group's; over several it must be in all of them. What is left of fewer than ``m`` values
    breaks a promise of ``m``.

    Parameters
    ----------
    versions
        the releases, with who is in which group.
    cascade
        whether values that others must have are excluded as well: if Bob's value is known, nobody else in his group
        has that record. Every group must be explained by some assignment of its records to its people and counterfeits.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"group": [1, 1], "disease": ["flu", "cancer"], "name": ["Ann", "Bob"]})
    >>> first = Version.of(table, group="group", sensitive="disease", person="name")
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"]})
    >>> left = intersection_attack([first, second], cascade=True)
    >>> sorted(left["Ann"]), sorted(left["Bob"])
    (['flu'], ['cancer'])
    """
    left: Candidates = {}
    for version in versions:
        for person, values in version.signatures().items():
            left[person] = left.get(person, values) & values
    return _cascaded(left, versions) if cascade else left


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
    others = [one for one in people if one != person]
    possible = set[Label]()
    for place, value in enumerate(values):
        if value in left[person] and value not in possible:
            rest = [*values[:place], *values[place + 1 :]]
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
