"""Utility constraints: sets of items that an analysis needs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels.horizontal import Together
from krypsis.transactions import Transactions


def wanted_together(transactions: Transactions, constraints: Sequence[Iterable[str]]) -> Together:
    """Return sets of items as numbers; items that do not occur are left out.

    Of several sets that an item is in, it belongs to the one that most records hold as a whole; of equally frequent
    ones to the first.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["a", "b", "c"], ["b", "c"]])
    >>> wanted_together(baskets, [["a", "b"], ["b", "c", "z"]]).home.tolist()
    [0, 1, 1]
    """
    code_of = {item: code for code, item in enumerate(transactions.items)}
    sets = [sorted({code_of[item] for item in one if item in code_of}) for one in constraints]
    sets = [one for one in sets if one]
    starts = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    members = np.array([code for one in sets for code in one], dtype=np.int32)
    number = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(starts))
    order = np.argsort(members, kind="stable")
    first = np.searchsorted(members[order], np.arange(len(transactions.items) + 1)).astype(np.int64)
    home = _homes(len(transactions.items), first, number[order], _supports(transactions, starts, number[order], first))
    return Together(starts, members, home, first, number[order])


def _supports(transactions: Transactions, starts: IntArray, sets: CodeArray, first: IntArray) -> IntArray:
    """Return how many records hold each set as a whole, from the sets that each occurrence belongs to."""
    room = np.diff(first)[transactions.codes]
    places = np.repeat(first[transactions.codes] - np.cumsum(room) + room, room) + np.arange(room.sum())
    pairs = np.repeat(transactions.records, room) * np.int64(max(len(starts) - 1, 1)) + sets[places]
    keys, held = np.unique(pairs, return_counts=True)
    number = keys % max(len(starts) - 1, 1)
    whole = held == np.diff(starts)[number] if len(keys) else np.zeros(0, dtype=np.bool_)
    return np.bincount(number[whole], minlength=len(starts) - 1).astype(np.int64)


def _homes(items: int, first: IntArray, sets: CodeArray, supports: IntArray) -> CodeArray:
    home = np.full(items, -1, dtype=np.int32)
    owner = np.repeat(np.arange(items), np.diff(first))
    best_last = np.lexsort((-sets, supports[sets], owner))  # the best set of each item comes last and is written last
    home[owner[best_last]] = sets[best_last]
    return home
