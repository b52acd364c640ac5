"""The groups of several releases and the people in them, as numbers; and who can have which value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.ordering import distinct, order_of
from krypsis.errors import DataError, UsageError, shorten
from krypsis.io.history import Version
from krypsis.io.texts import numbered

PEOPLE_AT_ONCE = 20_000
"""So few that what is known about them stays near at hand: the time per person does not grow with their number."""


@dataclass(frozen=True, eq=False)
class Trails:
    """Everybody's groups over all releases. Groups of all releases are numbered one after the other.

    ``slot`` is a value of a group: ``slot_group``, ``slot_value``, ``slot_count`` in the order of groups; those of a
    group are at ``starts[group]`` up to ``starts[group + 1]``. A member is a person in a group of a release.
    """

    people: pl.Series
    values: pl.Series
    member_person: IntArray
    member_group: IntArray
    member_release: IntArray
    starts: IntArray
    slot_value: IntArray
    slot_count: IntArray
    group_release: IntArray

    @classmethod
    def of(cls, versions: Sequence[Version]) -> "Trails":
        """Return the trails of the people of all versions.

        Raises
        ------
        UsageError
            if a version does not reveal who is in which group, or there is none.
        """
        if not versions:
            raise UsageError("no release is given; give the releases of the table, the oldest first")
        lives = [members_of(version) for version in versions]
        people, persons = _named([one.get_column("person") for one in lives])
        values, codes = _named([version.records.get_column("value") for version in versions])
        base = np.cumsum([0, *(version.numbers.limit for version in versions)])
        groups = [start + version.numbers.people for start, version in zip(base, versions, strict=False)]
        records = [start + version.numbers.records for start, version in zip(base, versions, strict=False)]
        keys, counts = np.unique(np.concatenate(records) * max(len(values), 1) + codes, return_counts=True)
        owner = keys // max(len(values), 1)
        return cls(
            people,
            values,
            persons,
            np.concatenate(groups),
            np.repeat(np.arange(len(versions)), [len(one) for one in groups]),
            np.searchsorted(owner, np.arange(int(base[-1]) + 1)),
            keys % max(len(values), 1),
            counts.astype(np.int64),
            np.repeat(np.arange(len(versions)), np.diff(base)),
        )

    def restricted_to(self, members: BoolArray) -> "Trails":
        """Return the trails with some members only; what the others are in is not known then."""
        return replace(
            self,
            member_person=self.member_person[members],
            member_group=self.member_group[members],
            member_release=self.member_release[members],
        )

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    @cached_property
    def slot_group(self) -> IntArray:
        """The group of each slot."""
        return np.repeat(np.arange(self.groups), np.diff(self.starts))

    @cached_property
    def slot_release(self) -> IntArray:
        """The release of each slot."""
        return self.group_release[self.slot_group]

    @cached_property
    def records(self) -> IntArray:
        """The number of records of each group."""
        return np.bincount(self.slot_group, weights=self.slot_count, minlength=self.groups).astype(np.int64)

    @cached_property
    def members(self) -> IntArray:
        """The number of people of each group."""
        return np.bincount(self.member_group, minlength=self.groups)

    @cached_property
    def lives(self) -> IntArray:
        """The number of releases that each person is in."""
        return np.bincount(self.member_person, minlength=len(self.people))

    def links(self, members: IntArray) -> tuple[IntArray, IntArray]:
        """Return some members with each slot of their groups, as two arrays: person and slot."""
        groups = self.member_group[members]
        sizes = self.starts[groups + 1] - self.starts[groups]
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.repeat(self.member_person[members], sizes), np.repeat(self.starts[groups], sizes) + within


def members_of(version: Version) -> pl.DataFrame:
    """Return who is in which group, or raise if a version does not say."""
    if version.members is None:
        raise UsageError(
            "who is in which group is not known, and an attacker is taken to know it; give 'person' or 'people' with "
            "every version"
        )
    return version.members


def _named(columns: Sequence[pl.Series]) -> tuple[pl.Series, IntArray]:
    """Return the different texts of all columns, and for each row the number of its own, column after column."""
    texts = pl.concat([column.cast(pl.String).rename("text") for column in columns])
    numbers, limit = numbered([texts]) if len(texts) else ([np.zeros(0, dtype=np.int64)], 0)
    place = np.full(limit, -1)
    place[numbers[0][::-1]] = np.arange(len(texts))[::-1]
    used = np.flatnonzero(place >= 0)
    dense = np.zeros(limit, dtype=np.int64)
    dense[used] = np.arange(len(used))
    return texts.gather(place[used]), dense[numbers[0]]


@dataclass(eq=False)
class Cascade:
    """Pairs of a person and a value that are still possible, and the records of each slot that are still free.

    A link is a pair in one release: the value is a slot of the person's group there.
    """

    trails: Trails
    pair_person: IntArray
    pair_value: IntArray
    link_pair: IntArray
    link_slot: IntArray
    alive: BoolArray
    """For each pair, whether it is possible."""
    known: BoolArray
    """For each person, whether the value is known; the record is taken from the slots then."""
    free: IntArray
    """For each slot, the records that nobody is known to have."""
    kind: IntArray
    """For each person, a number that is the same for those who are excluded from the same values beforehand."""

    @classmethod
    def of(cls, trails: Trails, kind: IntArray | None = None, allowed: BoolArray | None = None) -> "Cascade":
        """Return what the intersection of the groups of everybody leaves.

        ``allowed[kind, value]`` says which values people of a kind can have by what is known besides.
        """
        radix = max(len(trails.values), 1)
        pairs, link_pair, link_slot = _intersection(trails, radix)
        kinds = np.zeros(len(trails.people), dtype=np.int64) if kind is None else kind
        alive = (
            np.ones(len(pairs), dtype=np.bool_) if allowed is None else allowed[kinds[pairs // radix], pairs % radix]
        )
        return cls(
            trails,
            pairs // radix,
            pairs % radix,
            link_pair,
            link_slot,
            alive,
            np.zeros(len(trails.people), dtype=np.bool_),
            trails.slot_count.copy(),
            kinds,
        )

    def run(self) -> "Cascade":
        """Draw conclusions until there are no more: each round takes what is known out of the groups.

        Raises
        ------
        DataError
            if nothing is possible for somebody.
        """
        while True:
            self._check()
            # Cascade: repeat until nothing changes. One copy of a
            # known value is used up in each of the person's groups, …
            found = self._take_known()
            # … values without a free copy are excluded for the others, …
            found |= self._exclude_taken()
            # … and, beyond the source, values that only as many people can have as there are copies are theirs.
            found |= self._settle_needed()
            if not found:
                return self

    def _check(self) -> None:
        nothing = np.flatnonzero((self.choices() == 0) & (self.trails.lives > 0))
        if len(nothing) or (self.free < 0).any():
            names = self.trails.people.gather(nothing[:5]).to_list()
            about = f" about {shorten(map(repr, names), 5)}" if names else ""
            raise DataError(
                f"the releases contradict each other{about}: no value fits all groups. Everybody must have the same "
                "value in all releases; a person whose value has changed needs another name from then on"
            )

    def choices(self) -> IntArray:
        """Return for each person how many values are possible."""
        return np.bincount(self.pair_person[self.alive], minlength=len(self.trails.people))

    def _take_known(self) -> bool:
        """Take the records of those who can have one value only out of their groups."""
        new = (self.choices() == 1) & ~self.known
        if not new.any():
            return False
        taken = self.alive[self.link_pair] & new[self.pair_person[self.link_pair]]
        np.subtract.at(self.free, self.link_slot[taken], 1)
        self.known |= new
        return True

    def _exclude_taken(self) -> bool:
        """Exclude a value for everybody else of a group when all of its records are taken."""
        open_links = self._open_links()
        lost = self.link_pair[open_links & (self.free[self.link_slot] <= 0)]
        self.alive[lost] = False
        return bool(len(lost))

    def _settle_needed(self) -> bool:
        """Where a group has no counterfeits and as many records of a value as people who can have it, they have it."""
        links = np.flatnonzero(self._open_links())
        wanted = np.bincount(self.link_slot[links], minlength=len(self.free))
        full = (self.trails.records == self.trails.members)[self.trails.slot_group]
        if ((wanted < self.free) & full).any():
            raise DataError("the releases contradict each other: a group has records that none of its people can have")
        sure = self.link_pair[links[((wanted == self.free) & full)[self.link_slot[links]]]]
        settled = np.zeros(len(self.alive), dtype=np.bool_)
        settled[sure] = True
        is_settled = np.zeros(len(self.known), dtype=np.bool_)
        is_settled[self.pair_person[sure]] = True
        lost = self.alive & ~settled & is_settled[self.pair_person]
        self.alive[lost] = False
        return bool(lost.any())

    def _open_links(self) -> BoolArray:
        return self.alive[self.link_pair] & ~self.known[self.pair_person[self.link_pair]]


def _intersection(trails: Trails, radix: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs of a person and a value that all groups of the person hold, and their links: pair and slot.

    A pair is ``person * radix + value``; pairs are in ascending order.
    """
    members, ends = order_of(trails.member_person), np.cumsum(trails.lives)
    found: list[tuple[IntArray, IntArray, IntArray]] = []
    known = begin = 0
    for last in range(PEOPLE_AT_ONCE, len(ends) + PEOPLE_AT_ONCE, PEOPLE_AT_ONCE):
        end = int(ends[min(last, len(ends)) - 1])
        person, slot = trails.links(members[begin:end])
        keys, place, counts = distinct(person * radix + trails.slot_value[slot])
        # Intersection: the values that stand in the person's group of every release in which the person is alive.
        stays = counts == trails.lives[keys // radix]
        kept = stays[place]
        number = known + np.cumsum(stays) - 1
        found.append((keys[stays], number[place[kept]], slot[kept]))
        known, begin = known + int(stays.sum()), end
    nothing = np.zeros(0, dtype=np.int64)
    pairs, links, slots = zip(*found, strict=True) if found else ((nothing,), (nothing,), (nothing,))
    return np.concatenate(pairs), np.concatenate(links), np.concatenate(slots)
