"""The groups of several releases and the people in them, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.datasets.history import Version
from krypsis.datasets.texts import numbered
from krypsis.errors import UsageError


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
    def of(cls, versions: Sequence[Version]) -> Trails:
        """Return the trails of the people of all versions.

        Raises
        ------
        UsageError
            if a version does not tell who is in which group, or there is none.
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

    def restricted_to(self, members: BoolArray) -> Trails:
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
    """Return who is in which group, or raise if a version does not tell."""
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
