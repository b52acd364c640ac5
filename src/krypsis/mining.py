"""Frequent itemsets: the sets of items that many records hold together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.errors import UsageError
from krypsis.groups import IntArray
from krypsis.kernels.eclat import frequent_sets
from krypsis.transactions import Transactions


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Sets of items with the number of records that hold each, the most frequent first.

    Of equally frequent sets the smaller comes first, then the one whose items come first.
    """

    sets: Transactions
    supports: IntArray

    def __len__(self) -> int:
        return len(self.supports)


def frequent_itemsets(transactions: Transactions, min_support: int, max_size: int | None = None) -> Itemsets:
    """Return all sets of up to ``max_size`` items that at least ``min_support`` records hold.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"]])
    >>> found = frequent_itemsets(baskets, min_support=2)
    >>> [(sorted(one), int(support)) for one, support in zip(found.sets.sets(), found.supports)]
    [(['bread'], 3), (['milk'], 2), (['bread', 'milk'], 2)]
    """
    if min_support < 1:
        raise UsageError(f"min_support must be at least 1 record, got {min_support}")
    if max_size is not None and max_size < 1:
        raise UsageError(f"max_size must be at least 1 item, got {max_size}")
    ranked, item_at = _by_frequency(transactions, min_support)
    most = len(transactions.items) if max_size is None else min(max_size, len(transactions.items))
    sizes, found, supports = frequent_sets(ranked.starts, ranked.codes, len(item_at), min_support, most)
    return _in_order(transactions.items, item_at, np.array(sizes), np.array(found), np.array(supports))


def _by_frequency(transactions: Transactions, min_support: int) -> tuple[Transactions, IntArray]:
    """Return the sets with frequent items only, numbered from the most frequent on, and the code of each number.

    Sets grow towards more frequent items: rare items come first and have few records to look at.
    """
    order = np.argsort(-transactions.supports, kind="stable")
    item_at = order[transactions.supports[order] >= min_support]
    rank = np.full(len(transactions.items), -1, dtype=np.int64)
    rank[item_at] = np.arange(len(item_at))
    kept = rank[transactions.codes] >= 0
    names = tuple(transactions.items[code] for code in item_at.tolist())
    records = transactions.records[kept]
    return Transactions.of_pairs(records, rank[transactions.codes[kept]], names, len(transactions)), item_at


def _in_order(
    items: tuple[str, ...], item_at: IntArray, sizes: IntArray, found: IntArray, supports: IntArray
) -> Itemsets:
    if not len(sizes):
        return Itemsets(
            Transactions(items, np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64)), np.zeros(0, dtype=np.int64)
        )
    number = np.repeat(np.arange(len(sizes)), sizes)
    sets = Transactions.of_pairs(number, item_at[found], items, len(sizes))
    place = np.arange(len(sets.codes)) - np.repeat(sets.starts[:-1], sets.sizes)
    table = np.full((len(sizes), int(sizes.max())), -1, dtype=np.int32)
    table[sets.records, place] = sets.codes
    order = np.lexsort((*table.T[::-1], sizes, -supports))
    return Itemsets(sets.taken(order), supports[order].astype(np.int64))
