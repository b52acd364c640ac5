"""What people are among, release by release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.invariance import number_sets
from krypsis.datasets.numbering import numbered
from krypsis.hierarchies.base import Label

Signature = frozenset[Label]


@dataclass(frozen=True, eq=False)
class Entry:
    """The people of one release: names, the group of each, the different sets of values, and that of each group."""

    names: pl.Series
    groups: IntArray
    sets: Sequence[Signature]
    set_of: IntArray


@dataclass(frozen=True, eq=False)
class Lives:
    """The signatures of all people, by number.

    Examples
    --------
    >>> both = [frozenset({"flu", "ulcer"}), frozenset({"flu", "cough"})]
    >>> first = Entry(pl.Series(["Ann", "Bob"]), np.array([0, 0]), both[:1], np.array([0]))
    >>> second = Entry(pl.Series(["Ann", "Cid", "Bob"]), np.array([0, 0, 1]), both, np.array([1, 0]))
    >>> lives = Lives.of([first, second])
    >>> [places.tolist() for _, places in lives.meetings(second, lives.people[1])]
    [[2], [0, 1]]
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
        numbers = [[number_of.setdefault(one, len(number_of)) for one in entry.sets] for entry in entries]
        held = [
            np.array(own, dtype=np.int64)[entry.set_of[entry.groups]]
            for own, entry in zip(numbers, entries, strict=True)
        ]
        every = np.concatenate(people)
        starts = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=limit))])
        return cls(people, list(number_of), starts, np.concatenate(held)[np.argsort(every, kind="stable")])

    def of_person(self, number: int) -> list[Signature]:
        """Return what somebody is among, release by release."""
        return [self.sets[one] for one in self.held[self.starts[number] : self.starts[number + 1]].tolist()]

    @cached_property
    def kinds(self) -> IntArray:
        """For each person a number, the same for those who are among the same values in the same order."""
        return number_sets(np.diff(self.starts), self.held, max(len(self.sets), 1))

    def meetings(self, entry: Entry, people: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the different combinations of lives that meet in groups of a release.

        Of each combination: somebody with each of the lives, and the places in the release of all people in such
        groups.
        """
        radix = int(self.kinds.max(initial=-1)) + 1
        _, somebody = np.unique(self.kinds, return_index=True)
        pairs = np.unique(entry.groups * radix + self.kinds[people])
        owner, kind = np.divmod(pairs, max(radix, 1))
        sizes = np.bincount(owner, minlength=len(entry.set_of))
        combination = number_sets(sizes, kind, max(radix, 1))
        order = np.argsort(combination[entry.groups], kind="stable")
        begins = np.flatnonzero(np.diff(combination[entry.groups][order], prepend=-1))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
            group = int(entry.groups[order[begin]])
            yield somebody[kind[starts[group] : starts[group + 1]]], order[begin:end]
