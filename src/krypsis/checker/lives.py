"""What people are among, release by release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.datasets.numbering import numbered
from krypsis.groups import IntArray
from krypsis.hierarchies.base import Label

Signature = frozenset[Label]


@dataclass(frozen=True, eq=False)
class Entry:
    """The people of one release: their names, the group of each, and the values of each group."""

    names: pl.Series
    groups: IntArray
    values: Sequence[Signature]


@dataclass(frozen=True, eq=False)
class Lives:
    """The signatures of all people, by number.

    Examples
    --------
    >>> both = [frozenset({"flu", "ulcer"}), frozenset({"flu", "cough"})]
    >>> first = Entry(pl.Series(["Ann", "Bob"]), np.array([0, 0]), both[:1])
    >>> second = Entry(pl.Series(["Ann", "Cid", "Bob"]), np.array([0, 0, 1]), [both[1], both[0]])
    >>> lives = Lives.of([first, second])
    >>> [members.tolist() for members in lives.mixed_groups(second, lives.people[1])]
    [[0, 1]]
    """

    people: list[IntArray]
    """The number of each person of each entry."""
    sets: list[Signature]
    starts: IntArray
    held: IntArray
    """The numbers of the signatures of person ``i``, in the order of the entries, from ``starts[i]`` on."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Lives:
        """Return the lives that releases tell, of which there is at least one."""
        people, limit = numbered([entry.names for entry in entries])
        number_of: dict[Signature, int] = {}
        numbers = [[number_of.setdefault(one, len(number_of)) for one in entry.values] for entry in entries]
        held = [np.array(own, dtype=np.int64)[entry.groups] for own, entry in zip(numbers, entries, strict=True)]
        every = np.concatenate(people)
        starts = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=limit))])
        return cls(people, list(number_of), starts, np.concatenate(held)[np.argsort(every, kind="stable")])

    def of_person(self, number: int) -> list[Signature]:
        """Return what somebody is among, release by release."""
        return [self.sets[one] for one in self.held[self.starts[number] : self.starts[number + 1]].tolist()]

    def mixed_groups(self, entry: Entry, people: IntArray) -> Iterator[IntArray]:
        """Yield the groups of a release, as places in it, whose members are not all in one signature for ever."""
        order = np.argsort(entry.groups, kind="stable")
        begins = np.flatnonzero(np.diff(entry.groups[order], prepend=-1))
        if not len(begins):
            return
        low, high = self._ends()
        lowest = np.minimum.reduceat(low[people[order]], begins)
        highest = np.maximum.reduceat(high[people[order]], begins)
        ends = np.append(begins[1:], len(order))
        for group in np.flatnonzero(lowest < highest).tolist():
            yield order[begins[group] : ends[group]]

    def _ends(self) -> tuple[IntArray, IntArray]:
        """Return the lowest and the highest number of the signatures of each person."""
        owner = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        low, high = np.full(len(self.starts) - 1, len(self.sets)), np.full(len(self.starts) - 1, -1)
        np.minimum.at(low, owner, self.held)
        np.maximum.at(high, owner, self.held)
        return low, high
