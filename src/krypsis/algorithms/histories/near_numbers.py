"""Sensitive values that are numbers: those that lie close together must not meet in a group."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from krypsis.algorithms.histories.balance import Balance, Division, limited
from krypsis.algorithms.histories.base import WHERE_TO_SET, Ineligible, Snapshot
from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import Label
from krypsis.errors import Infeasible
from krypsis.kernels._jit import compiled
from krypsis.models.number_line import NumberLine


@compiled
def thin_out(counts: IntArray, spare: IntArray, first: IntArray, limit: int, removed: IntArray) -> int:
    """Remove as few as possible so that every stretch holds at most ``limit``; return how many, -1 if it cannot be.

    Places are numbered along the line: ``counts[place]`` lie there, of which ``spare[place]`` may be removed. The
    stretch that ends at a place begins at ``first[place]``, never earlier for a later one. Writes into ``removed``.

    Going along the line, what is too much is taken away as far ahead as it can be: it then leaves the most of the later
    stretches, too.
    """
    held, total, begin, top = 0, 0, 0, 0
    removable = np.empty(len(counts), dtype=np.int64)  # the places behind that still have something to spare
    # One stretch per iteration: those that end before it hold at most the limit already.
    for end in range(len(counts)):
        removed[end] = 0
        held += counts[end]
        while begin < first[end]:
            held -= counts[begin] - removed[begin]
            begin += 1
        removable[top] = end
        top += 1
        while held > limit and top > 0 and removable[top - 1] >= begin:
            # The place farthest ahead with something to spare: it lies in the most of the stretches still to come.
            place = removable[top - 1]
            taken = min(held - limit, spare[place] - removed[place])
            removed[place] += taken
            held -= taken
            total += taken
            if removed[place] == spare[place]:
                top -= 1
        if held > limit:
            return -1
    return total


@dataclass(frozen=True, eq=False)
class Spaced:
    """New records by rank, and how many of them could fill holes of earlier signatures."""

    counts: IntArray
    fillable: IntArray
    first: IntArray
    """``first[rank]``: where the stretch that ends at a rank begins."""

    @property
    def total(self) -> int:
        """All new records."""
        return int(self.counts.sum())


def fullest(counts: IntArray, first: IntArray) -> int:
    """Return how many records the fullest stretch holds.

    Examples
    --------
    >>> fullest(np.array([2, 1, 4]), np.array([0, 0, 2]))
    4
    """
    sums = np.concatenate([[0], np.cumsum(counts)])
    return int((sums[1:] - sums[first]).max(initial=0))


def removed(counts: IntArray, spare: IntArray, first: IntArray, limit: int) -> IntArray | None:
    """Return the fewest records to be removed so that no stretch holds more than a limit; ``None`` if it cannot be."""
    found = np.zeros_like(counts)
    return found if thin_out(counts, spare, first, limit, found) >= 0 else None


def least_rest(spaced: Spaced, m: int) -> tuple[int, IntArray] | None:
    """Return the fewest new records that can be left to form groups, and how many of each rank must fill holes then.

    Notes
    -----
    For a largest stretch of ``q`` records in the rest, the fewest that must leave it, ``L(q)``, are found by going
    along the line once. The rest can be ``q·m`` records or a few more if ``q·m + L(q)`` is at most the number of all.
    ``L`` is the optimum of a linear program as a function of its right side, so the sum is convex, and the least ``q``
    is found by bisection.

    Examples
    --------
    >>> ranks = np.arange(2)
    >>> least_rest(Spaced(np.array([1, 1]), np.array([1, 0]), ranks), 2), least_rest(Spaced(ranks, 0 * ranks, ranks), 2)
    ((2, array([0, 0])), None)
    """
    everything = spaced.total - int(spaced.fillable.sum())
    if fullest(spaced.counts - spaced.fillable, spaced.first) * m <= everything:
        return everything, spaced.fillable
    low, high = fullest(spaced.counts - spaced.fillable, spaced.first), spaced.total // m

    def excess(limit: int) -> int:
        leaving = removed(spaced.counts, spaced.fillable, spaced.first, limit)
        return limit * m + (spaced.total if leaving is None else int(leaving.sum())) - spaced.total

    if low > high:
        return None
    bottom = first_true(low, high, lambda limit: limit == high or excess(limit + 1) >= excess(limit))
    if excess(bottom) > 0:
        return None
    limit = first_true(low, bottom, lambda limit: excess(limit) <= 0)
    leaving = removed(spaced.counts, spaced.fillable, spaced.first, limit)
    return None if leaving is None else (limit * m, leaving)


def first_true(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number from low to high for which something holds; it holds for all later ones, and for high.

    Examples
    --------
    >>> first_true(0, 100, lambda number: number * number >= 50)
    8
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def waiting(spaced: Spaced, m: int) -> IntArray:
    """Return how many new records of each rank wait for a later version, so that the others can be published.

    Of the largest groups that can be formed, all records are kept; those that are in the way fill holes if they can,
    and wait otherwise. Fewer might wait if others were in the way.
    """
    counts, first = spaced.counts, spaced.first

    def too_large(limit: int) -> bool:
        gone = removed(counts, counts, first, limit)
        return gone is None or spaced.total - int(gone.sum()) < limit * m

    limit = first_true(1, spaced.total // m + 1, too_large) - 1
    gone = removed(counts, counts, first, limit)
    return counts if gone is None else np.maximum(gone - spaced.fillable, 0)


def company(spaced: Spaced, m: int) -> IntArray | None:
    """Return how many counterfeits of each rank make groups of what is left after filling holes; ``None`` if none do.

    Notes
    -----
    With at most ``q`` records in a stretch, there is room for as many counterfeits as :func:`room` says, and the rest
    needs ``q·m`` records with them. What is missing then is convex in ``q``: from the first ``q`` on where nothing is,
    up to the next one tried, nothing is.
    """
    rest, most = spaced.counts - spaced.fillable, len(chain(spaced.first))
    low = high = fullest(rest, spaced.first)

    def suffices(limit: int) -> bool:
        return int(room(rest, spaced.first, limit).sum()) >= limit * m - int(rest.sum())

    while not suffices(high):
        high *= 2
        if most < m or high > (most + 1) * (int(rest.sum()) + 1):
            return None
    limit = first_true(low, high, suffices)
    return limited(room(rest, spaced.first, limit), np.zeros_like(rest), np.array([limit * m - int(rest.sum())]))


def room(counts: IntArray, first: IntArray, limit: int) -> IntArray:
    """Return how many more records each rank can take, as many in all as possible, with a limit for every stretch.

    As many as can be are put on the lowest ranks, which are in the way of later ones for the shortest time.

    Examples
    --------
    >>> room(np.array([0, 2, 0, 1]), np.array([0, 0, 1, 3]), 2).tolist()
    [0, 0, 0, 1]
    """
    sums = np.concatenate([[0], np.cumsum(counts)])
    held, begins = (sums[1:] - sums[first]).tolist(), first.tolist()
    last = (np.searchsorted(first, np.arange(len(counts)), side="right") - 1).tolist()
    before = [0]  # how many were put on the ranks before each
    ahead: deque[tuple[int, int]] = deque()  # stretches over this rank: where they end, and when they are full
    end = -1
    for rank in range(len(counts)):
        while end < last[rank]:
            end += 1
            full = limit - held[end] + before[begins[end]]
            while ahead and ahead[-1][1] >= full:
                ahead.pop()
            ahead.append((end, full))
        while ahead[0][0] < rank:
            ahead.popleft()
        before.append(max(before[rank], ahead[0][1]))
    return np.diff(before)


def chain(first: IntArray) -> IntArray:
    """Return ranks of which any two may meet, as many as possible: the lowest, the next that may meet it, and so on.

    Examples
    --------
    >>> chain(np.array([0, 0, 1, 2])).tolist()
    [0, 2]
    """
    links: list[int] = []
    for rank, begin in enumerate(first.tolist()):
        if not links or begin > links[-1]:
            links.append(rank)
    return np.array(links, dtype=np.int64)


def strides(ranks: IntArray, m: int, rng: np.random.Generator) -> IntArray:
    """Return the group of each record, given the rank of its number: dealt out in ascending order.

    With ``G = ⌊n/m⌋`` groups, members of a group lie ``G`` records apart, and no stretch holds so many; each group gets
    ``m`` records or more. Records with the same number are dealt out by chance.

    Examples
    --------
    >>> strides(np.array([0, 3, 1, 2, 4]), 2, np.random.default_rng(1)).tolist()
    [0, 1, 1, 0, 0]
    """
    order = np.lexsort((rng.permutation(len(ranks)), ranks))
    group = np.empty(len(ranks), dtype=np.int64)
    # Members of a group are G = ⌊n/m⌋ places apart; a stretch of close numbers holds at most G records.
    group[order] = np.arange(len(ranks)) % max(len(ranks) // m, 1)
    return group


@dataclass(frozen=True, eq=False)
class NumberKinship:
    """The numbers that a sensitive attribute has, and which of them may meet."""

    line: NumberLine
    first: IntArray
    """``first[rank]``: the lowest rank that must not meet with it."""
    rank: IntArray
    """``rank[value]``, for the codes of values."""

    @classmethod
    def of(cls, values: tuple[Label, ...], e: Fraction, limits: tuple[Fraction, Fraction]) -> "NumberKinship":
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
        helps = on_ineligible != "counterfeits"
        advice = (
            "let some of them wait for a later version with on_ineligible=defer, add counterfeits with "
            "on_ineligible=counterfeits, or start"
            if helps
            else "no counterfeits help, as no number known so far lies far enough from these and from each other. Start"
        )
        return Infeasible(
            f"{count} of {spaced.total} new records have {named} as {snapshot.sensitive}, too many for groups of {m} "
            f"numbers that lie far apart; {advice} a history with a smaller m or a larger e"
            + f". {WHERE_TO_SET}"
            * helps,
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
