"""The fewest pieces of a chunk in which up to m items stand together, counted over pieces and not over combinations.

Of the items of a piece nothing matters but which pieces hold them. An item whose pieces are among those of another is
never the worse choice for an attacker, so the other is left out; and whoever adds an item to those he knows rules out
no more pieces than that item alone does, which bounds what all combinations with some items can reach. The most
promising ones are looked at first. Where that takes too long, the bound itself is the answer: fewer there are not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate
from typing import NamedTuple

MOST_STEPS = 2_000_000
"""How many times pieces of items are compared in one chunk, before its bound is taken for the answer."""


@dataclass(frozen=True)
class Rarest:
    """The fewest pieces that hold the same items: exactly, or at least so many."""

    pieces: int
    exact: bool = True

    def or_fewer(self, other: "Rarest") -> "Rarest":
        """Return the smaller one, exact if nothing below it is possible."""
        low = min(self.pieces, other.pieces)
        return Rarest(low, exact=any(one.exact and one.pieces == low for one in (self, other)))


def rarest_of(chunks: Iterable[Sequence[Sequence[int]]], m: int, known: int, most_steps: int = MOST_STEPS) -> Rarest:
    """Return in how many pieces of their chunk the rarest up to ``m`` items stand that stand together in any.

    Chunks are given as lists of pieces, a piece as its items in ascending order. No count above ``known`` is returned.

    Examples
    --------
    >>> rarest_of([[[1, 2, 3], [1, 2], [1, 3], [2, 3]]], m=2, known=9)
    Rarest(pieces=2, exact=True)
    >>> rarest_of([[[1, 2, 3], [1, 2], [1, 3], [2, 3]]], m=3, known=9)
    Rarest(pieces=1, exact=True)
    """
    found = Rarest(known)
    for pieces in chunks:
        holders = _holders(pieces)
        search = _Search(min([found.pieces, *(mask.bit_count() for mask in holders.values())]), m, most_steps)
        for kind in dict.fromkeys(map(tuple, pieces)):
            found = found.or_fewer(search.inside([holders[item] for item in kind]))
    return found


def _holders(pieces: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return for each item the pieces that hold it, one bit for each."""
    found: dict[int, bytearray] = {}
    width = len(pieces) // 8 + 1
    for number, piece in enumerate(pieces):
        for item in piece:
            # A number is written anew for each bit that is set in it; bytes are changed in place.
            found.setdefault(item, bytearray(width))[number >> 3] |= 1 << (number & 7)
    return {item: int.from_bytes(bits, "little") for item, bits in found.items()}


class _Search:
    """Looks for the rarest items, one kind of piece after the other, and remembers the best of all."""

    def __init__(self, best: int, m: int, most_steps: int) -> None:
        self.best = best
        self._m, self._steps = m, most_steps

    def inside(self, masks: list[int]) -> Rarest:
        """Return how often the rarest items of one piece stand together, of which each is held by some pieces.

        All items together are held by the fewest pieces; where that is not below what is known, nothing is.
        """
        whole = masks[0]
        for mask in masks:
            whole &= mask
        # No subset of the items is held by fewer pieces than all of them.
        if whole.bit_count() >= self.best:
            return Rarest(self.best)
        masks = self._smallest(masks)
        everywhere = masks[0]
        for mask in masks:
            everywhere |= mask
        return self._searched(everywhere, masks, whole.bit_count())

    def _smallest(self, masks: list[int]) -> list[int]:
        """Return those that contain no other one."""
        kept: list[int] = []
        for mask in sorted(set(masks), key=int.bit_count):
            self._steps -= len(kept)
            if self._steps < 0 or not any(one & mask == one for one in kept):
                kept.append(mask)
        return kept

    def _searched(self, everywhere: int, masks: list[int], least: int) -> Rarest:
        """Narrow the pieces down item by item, always from where the bound is lowest."""
        heap = self._branches(self._m, everywhere, masks, least)
        while heap and heap[0].bound < self.best:
            self._steps -= len(heap[0].rest)
            if self._steps < 0:
                return Rarest(heap[0].bound, exact=False)
            branch = heappop(heap)
            for deeper in self._branches(branch.missing, branch.pieces, branch.rest, least):
                heappush(heap, deeper)
        return Rarest(self.best)

    def _branches(self, missing: int, pieces: int, rest: list[int], least: int) -> "list[_Branch]":
        """Return what may be found by one item more, ascending.

        An item comes before those that it is combined with, so no combination is looked at twice.
        """
        total = pieces.bit_count()
        narrowed = sorted({pieces & mask for mask in rest} - {pieces}, key=int.bit_count)
        self.best = min([self.best, *(one.bit_count() for one in narrowed[:1])])
        # Items that are left rule out at most as many pieces each as they would alone.
        ruled_out = [0, *accumulate(total - one.bit_count() for one in narrowed)]
        found = []
        for place, one in enumerate(narrowed if missing > 1 else []):
            last = min(place + missing, len(narrowed))
            bound = max(total - ruled_out[last] + ruled_out[place], least)
            if bound >= self.best:
                break
            found.append(_Branch(bound, one, missing - 1, narrowed[place + 1 :]))
        return found


class _Branch(NamedTuple):
    """Items that are chosen already, by the pieces that hold them all."""

    bound: int
    """No combination of them with the rest is in fewer pieces."""
    pieces: int
    missing: int
    """How many more may be chosen."""
    rest: list[int]
    """The items to choose from, each by the pieces that hold it."""
