"""Parts of the records with a cut of their own each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.km.optimal_cut import FoundCut
from krypsis.algorithms.sets.km.published_sets import ToldSets
from krypsis.arrays import IntArray

Finder = Callable[[ToldSets, int], FoundCut]
"""Finds a cut of some records without sets that are rare for a ``k``."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some records, and a cut without sets that are rare among them."""

    records: IntArray
    cut: FoundCut


def divide(told: ToldSets, find: Finder, k: int, m: int) -> list[Part]:
    """Return parts of the records whose cuts together lose less than one cut for all.

    Notes
    -----
    A cut for a smaller ``k`` loses less and leaves some sets rare. The records that tell one are taken out, until none
    is left, and the two parts get cuts of their own. If they lose less together than before, each is divided further.

    Whoever knows up to ``m`` items finds, if any, a record of some part that may hold them. The items are at most ``m``
    nodes of the cut of this part, so at least ``k`` of its records tell the same nodes and may hold them, too.
    """
    parts, waiting = list[Part](), [Part(np.arange(len(told)), find(told, k))]
    while waiting:
        whole = waiting.pop()
        if halves := _best_halves(told, whole, find, k, m):
            waiting += halves
        else:
            parts.append(whole)
    return parts


def _best_halves(told: ToldSets, whole: Part, find: Finder, k: int, m: int) -> list[Part]:
    """Return the two parts that lose least together, none unless they lose less than the whole."""
    best, lowest = list[Part](), whole.cut.cost
    for halves in _halves(told, whole.records, find, k, m):
        parts = [Part(records, find(told.taken(records), k)) for records in halves]
        if (loss := sum(part.cut.cost for part in parts)) < lowest:
            best, lowest = parts, loss
    return best


def _halves(told: ToldSets, records: IntArray, find: Finder, k: int, m: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield ways to divide records into those that keep a cut for a smaller ``k``, and the others."""
    for weaker in weaker_promises(k):
        closed = find(told.taken(records), weaker).closed
        kept = records
        while (rare := told.taken(kept).tells_rare_at(closed, k, m)).any():
            kept = kept[~rare]
        others = np.setdiff1d(records, kept, assume_unique=True)
        if all(_tells_something(told, half) >= k for half in (kept, others)):
            yield kept, others


def weaker_promises(k: int) -> list[int]:
    """Return the smaller ``k`` that are tried: 1, a quarter, a half, three quarters of it, and one less.

    Examples
    --------
    >>> weaker_promises(5), weaker_promises(20), weaker_promises(2)
    ([1, 2, 3, 4], [1, 5, 10, 15, 19], [1])
    """
    return sorted({number for number in (1, -(-k // 4), -(-k // 2), -(-3 * k // 4), k - 1) if 0 < number < k})


def _tells_something(told: ToldSets, records: IntArray) -> int:
    return int(np.count_nonzero(np.diff(told.starts)[records]))
