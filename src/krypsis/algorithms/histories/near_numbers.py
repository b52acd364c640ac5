"""Sensitive values that are numbers: those that lie close together must not meet in a group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from krypsis.algorithms.histories.balancing import Balance, limited
from krypsis.algorithms.histories.base import Ineligible, Snapshot
from krypsis.algorithms.histories.division import Division
from krypsis.algorithms.histories.spacing import Spaced, chain, company, least_rest, strides, waiting
from krypsis.arrays import IntArray
from krypsis.errors import Infeasible
from krypsis.hierarchies.base import Label
from krypsis.models.number_line import NumberLine


@dataclass(frozen=True, eq=False)
class NumberKinship:
    """The numbers that a sensitive attribute has, and which of them may meet."""

    line: NumberLine
    first: IntArray
    """``first[rank]``: the lowest rank that must not meet with it."""
    rank: IntArray
    """``rank[value]``, for the codes of values."""

    @classmethod
    def of(cls, values: tuple[Label, ...], e: Fraction, limits: tuple[Fraction, Fraction]) -> NumberKinship:
        """Return the kinship of all values of an attribute."""
        line = NumberLine.of(values, limits)
        rank = np.array([line.rank_of[value] for value in values], dtype=np.int64)
        return cls(line, line.first_close(e), rank)

    def balanced(self, division: Division, m: int, on_ineligible: Ineligible) -> Balance:
        """Return the balance with the fewest counterfeits, given that no more records wait, or are added, than must."""
        granted = limited(division.holes, division.value_of, division.counts)
        spaced = Spaced(self._by_rank(division.counts), self._filling(division, granted), self.first)
        nobody = np.zeros_like(division.counts)
        found, deferred = least_rest(spaced, m), nobody
        if found is None and on_ineligible == "defer":
            deferred = waiting(spaced, m)[self.rank]
            spaced = Spaced(spaced.counts - self._by_rank(deferred), spaced.fillable, self.first)
            found = least_rest(spaced, m)
        if found is None and on_ineligible == "counterfeits":
            added = company(spaced, m)
            if added is not None:
                return Balance(granted, nobody, added[self.rank])
        if found is None:
            raise self._refused(spaced, m, division.snapshot, on_ineligible)
        return Balance(self._filled(division, granted, spaced.total - found[0], found[1]), deferred, nobody)

    def grouped(
        self, snapshot: Snapshot, records: IntArray, values: IntArray, m: int, rng: np.random.Generator
    ) -> IntArray:
        """Return groups of numbers far apart, dealt out in ascending order."""
        del snapshot, records  # where records lie plays no role before those with the same values are cut apart
        return strides(self.rank[values], m, rng)

    def _by_rank(self, numbers: IntArray) -> IntArray:
        found = np.empty_like(numbers)
        found[self.rank] = numbers
        return found

    def _filling(self, division: Division, granted: IntArray) -> IntArray:
        filling = np.bincount(division.value_of, granted, minlength=len(division.counts))
        return self._by_rank(filling.astype(np.int64))

    def _filled(self, division: Division, granted: IntArray, wanted: int, leaving: IntArray) -> IntArray:
        """Return how many records fill each slot: those that must leave the rest, and more until so many do."""
        filled = limited(granted, division.value_of, leaving[self.rank])
        more = wanted - int(filled.sum())
        return filled + limited(granted - filled, np.zeros_like(granted), np.array([more]))

    def _refused(self, spaced: Spaced, m: int, snapshot: Snapshot, on_ineligible: Ineligible) -> Infeasible:
        links = len(chain(self.first))
        if links < m:
            return Infeasible(
                f"groups of {m} numbers that lie far apart are wanted, and {snapshot.sensitive!r} has at most {links} "
                "such numbers so far; promise a smaller m or a larger e"
            )
        count, low, high = self._fullest(spaced)
        named = "a missing value" if high is None else f"a number from {low} to {high}"
        advice = (
            "no counterfeits help, as no number known so far lies far enough from these and from each other. Start"
            if on_ineligible == "counterfeits"
            else "let some of them wait for a later version with on_ineligible=defer, add counterfeits with "
            "on_ineligible=counterfeits, or start"
        )
        return Infeasible(
            f"{count} of {spaced.total} new records have {named} as {snapshot.sensitive}, too many for groups of {m} "
            f"numbers that lie far apart; {advice} a history with a smaller m or a larger e",
            {"count": count, "new": spaced.total, "m": m, "from": low, "to": high},
        )

    def _fullest(self, spaced: Spaced) -> tuple[int, Label, Label]:
        """Return how many records the fullest stretch has, and its lowest and highest number that somebody has."""
        sums = np.concatenate([[0], np.cumsum(spaced.counts)])
        end = int((sums[1:] - sums[self.first]).argmax())
        begin = int(self.first[end])
        ranks = begin + np.flatnonzero(spaced.counts[begin : end + 1])
        low, high = (self.line.labels[int(rank)] for rank in (ranks[0], ranks[-1]))
        return int(spaced.counts[ranks].sum()), low, high
