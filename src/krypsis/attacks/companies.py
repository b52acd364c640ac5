"""People who go through the releases together, and small clusters of them as puzzles to be counted."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.attacks.cascade import Cascade
from krypsis.attacks.matching import Suspect
from krypsis.ordering import distinct

Puzzle = tuple[list[Suspect], list[dict[int, int]], list[dict[int, int]]]
"""People, the records of their groups, and for each person value → pair."""


def sizes_of_companies(cascade: Cascade) -> IntArray:
    """Return for each person how many of those whose value is not known are in the same groups in all releases.

    Only people who are excluded from the same values beforehand count as together.
    """
    trails = cascade.trails
    company = cascade.kind
    for release in np.unique(trails.member_release).tolist():
        members = np.flatnonzero(trails.member_release == release)
        group = np.zeros(len(company), dtype=np.int64)
        group[trails.member_person[members]] = trails.member_group[members] + 1
        _, company, _ = distinct(company * (trails.groups + 1) + group)
    counted = np.bincount(company[~cascade.known], minlength=int(company.max(initial=0)) + 1)
    return np.asarray(np.where(cascade.known, 1, counted[company]))


class Paths:
    """Everybody's groups and pairs, sorted by person."""

    def __init__(self, cascade: Cascade) -> None:
        trails = cascade.trails
        self.cascade = cascade
        order = np.argsort(trails.member_person, kind="stable")
        self.groups = trails.member_group[order]
        self.group_starts = np.append(0, np.cumsum(trails.lives))
        self.pairs = np.searchsorted(cascade.pair_person, np.arange(len(trails.people) + 1))

    def puzzle(self, people: IntArray) -> Puzzle:
        """Return the people of a cluster with what is possible for them and the free records of their groups."""
        numbers: dict[int, int] = {}
        suspects, pairs = [], []
        for person in people.tolist():
            own = self._groups_of(person)
            possible = self._values_of(person)
            suspects.append(Suspect(tuple(numbers.setdefault(g, len(numbers)) for g in own), frozenset(possible)))
            pairs.append(possible)
        return suspects, [self._records_of(group) for group in numbers], pairs

    def _groups_of(self, person: int) -> list[int]:
        found: list[int] = self.groups[self.group_starts[person] : self.group_starts[person + 1]].tolist()
        return found

    def _values_of(self, person: int) -> dict[int, int]:
        pairs = range(int(self.pairs[person]), int(self.pairs[person + 1]))
        return {int(self.cascade.pair_value[pair]): pair for pair in pairs if self.cascade.alive[pair]}

    def _records_of(self, group: int) -> dict[int, int]:
        trails = self.cascade.trails
        slots = range(int(trails.starts[group]), int(trails.starts[group + 1]))
        return {int(trails.slot_value[s]): int(self.cascade.free[s]) for s in slots if self.cascade.free[s] > 0}
