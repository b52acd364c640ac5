"""Frequent itemsets: the sets of items that many records hold together."""

from dataclasses import dataclass
from heapq import heappop, heappush, heappushpop, nsmallest
from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import HierarchyError, UsageError, shorten
from krypsis.kernels._jit import compiled


@compiled
def frequent_sets(
    starts: IntArray, ranks: CodeArray, items: int, least: int, most: int
) -> tuple[list[int], list[int], list[int]]:
    """Return the sizes, the items one set after the other, and the supports of sets of up to ``most`` items.

    Every set is grown by items of lower rank only, so it is met once; its records are looked at once for all of them.
    """
    sizes, found, supports = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    counts = np.zeros(items, dtype=np.int64)
    filled = np.zeros(items, dtype=np.int64)
    prefix = np.zeros(items + 1, dtype=np.int64)
    waiting = [(np.arange(len(starts) - 1), items, 0)]
    # Depth first, each set with the list of its records (as in Eclat): a frequent set has only frequent subsets.
    while waiting:
        records, last, size = waiting.pop()
        if size:
            prefix[size - 1] = last
            sizes.append(size)
            supports.append(len(records))
            found.extend(prefix[:size])
        if size == most:
            continue
        frequent = _count_companions(starts, ranks, records, last, least, counts)
        holders, first = _holders(starts, ranks, records, last, frequent, counts, filled)
        for number in range(len(frequent)):
            waiting.append((holders[first[number] : first[number + 1]].copy(), frequent[number], size + 1))
            counts[frequent[number]] = 0
    return sizes, found, supports


@compiled
def _count_companions(
    starts: IntArray, ranks: CodeArray, records: IntArray, last: int, least: int, counts: IntArray
) -> IntArray:
    """Count the items below a rank in some records; return those that are frequent, and forget the others."""
    touched = np.empty(min(len(counts), last), dtype=np.int64)
    used = 0
    for record in records:
        for place in range(starts[record], starts[record + 1]):
            item = ranks[place]
            if item >= last:
                break
            if counts[item] == 0:
                touched[used] = item
                used += 1
            counts[item] += 1
    kept = 0
    for number in range(used):
        item = touched[number]
        if counts[item] >= least:
            touched[kept] = item
            kept += 1
        else:
            counts[item] = 0
    return touched[:kept]


@compiled
def _holders(
    starts: IntArray,
    ranks: CodeArray,
    records: IntArray,
    last: int,
    frequent: IntArray,
    counts: IntArray,
    filled: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the records of each frequent item, one list after the other."""
    first = np.zeros(len(frequent) + 1, dtype=np.int64)
    for number in range(len(frequent)):
        filled[frequent[number]] = first[number]
        first[number + 1] = first[number] + counts[frequent[number]]
    holders = np.empty(first[-1], dtype=np.int64)
    for record in records:
        for place in range(starts[record], starts[record + 1]):
            item = ranks[place]
            if item >= last:
                break
            if counts[item]:
                holders[filled[item]] = record
                filled[item] += 1
    return holders, first


@compiled
def frequent_companions(
    starts: IntArray, ranks: CodeArray, holders: IntArray, items: IntArray, least: int, counts: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the items below all of some others that enough records hold with them, and how many do.

    ``items`` are ascending; ``holders`` are records that hold the last of them. ``counts`` is empty room.
    """
    records = _holding(starts, ranks, holders, items)
    found = _count_companions(starts, ranks, records, items[0], least, counts)
    supports = counts[found]
    counts[found] = 0
    return found, supports


@compiled
def _holding(starts: IntArray, ranks: CodeArray, records: IntArray, items: IntArray) -> IntArray:
    """Return those of the records that hold all items."""
    kept = np.empty(len(records), dtype=np.int64)
    used = 0
    for record in records:
        matched = 0
        for place in range(starts[record], starts[record + 1]):
            if matched == len(items) or ranks[place] > items[matched]:
                break
            if ranks[place] == items[matched]:
                matched += 1
        if matched == len(items):
            kept[used] = record
            used += 1
    return kept[:used]


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


def top_itemsets(transactions: Transactions, count: int, hierarchy: Hierarchy | None = None) -> Itemsets:
    """Return the ``count`` sets of items that most records hold, fewer if fewer occur.

    With a hierarchy, records hold everything above their items as well, but for what stands for all of them; no set has
    both an item and something above it.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"]])
    >>> [sorted(one) for one in top_itemsets(baskets, 2).sets.sets()]
    [['bread'], ['milk']]
    """
    if count < 1:
        raise UsageError(f"count must be at least 1 set, got {count}")
    if hierarchy is None:
        return _Best(transactions, count, []).found()
    above = paths_of(hierarchy)
    extended = _extended(transactions, above)
    code_of = {item: code for code, item in enumerate(extended.items)}
    return _Best(extended, count, [{code_of[label] for label in above[item]} for item in extended.items]).found()


class _Best:
    """Takes the best set of those that wait, and lets all wait that have one item more, until there are enough.

    A set is grown from one that comes before it: no fewer records hold that, and it is smaller. So sets are taken in
    their order, and those that wait behind as many as are wanted will never be taken.
    """

    def __init__(self, transactions: Transactions, count: int, above: list[set[int]]) -> None:
        self._ranked, self._item_at = _by_frequency(transactions, 1)
        self._items, self._above, self._count = transactions.items, above, count
        self._holders = self._ranked.records[np.argsort(self._ranked.codes, kind="stable")]
        self._ends = np.concatenate([[0], np.cumsum(self._ranked.supports)])
        self._room = np.zeros(len(self._item_at), dtype=np.int64)
        self._waiting: list[_Waiting] = []
        self._seen: list[tuple[int, int]] = []
        """Support and size (negative) of the best sets met so far, as many as are wanted."""

    def found(self) -> Itemsets:
        for rank, support in enumerate(self._ranked.supports.tolist()):
            self._let_wait(support, (rank,))
        taken: list[_Waiting] = []
        while self._waiting and len(taken) < self._count:
            taken.append(heappop(self._waiting))
            self._grow(taken[-1].ranks)
            if len(self._waiting) > 8 * self._count:
                self._waiting = nsmallest(self._count, self._waiting)  # an ordered list is a heap
        return self._as_itemsets(taken)

    def _grow(self, ranks: tuple[int, ...]) -> None:
        """Let the sets wait that have one more item, of a lower rank than all."""
        holders = self._holders[self._ends[ranks[-1]] : self._ends[ranks[-1] + 1]]
        least = self._seen[0][0] if len(self._seen) == self._count else 1
        found = frequent_companions(
            self._ranked.starts, self._ranked.codes, holders, np.array(ranks), least, self._room
        )
        for rank, support in zip(*(one.tolist() for one in found), strict=True):
            if not self._above or self._are_unrelated(rank, ranks):
                self._let_wait(support, (rank, *ranks))

    def _are_unrelated(self, rank: int, ranks: tuple[int, ...]) -> bool:
        code, *others = self._item_at[[rank, *ranks]].tolist()
        return not any(other in self._above[code] or code in self._above[other] for other in others)

    def _let_wait(self, support: int, ranks: tuple[int, ...]) -> None:
        """Let a set wait, unless enough are known that come before it."""
        place = (support, -len(ranks))
        if len(self._seen) < self._count:
            heappush(self._seen, place)
        elif place < self._seen[0]:
            return
        else:
            heappushpop(self._seen, place)
        codes = tuple(sorted(self._item_at[list(ranks)].tolist()))
        heappush(self._waiting, _Waiting(-support, len(ranks), codes, ranks))

    def _as_itemsets(self, taken: "list[_Waiting]") -> Itemsets:
        sizes = np.array([one.size for one in taken], dtype=np.int64)
        codes = np.array([code for one in taken for code in one.codes], dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        supports = np.array([-one.missing for one in taken], dtype=np.int64)
        return Itemsets(Transactions(self._items, codes, starts), supports)


class _Waiting(NamedTuple):
    """A set that waits; those that come first are smaller."""

    missing: int
    """Its support, negative."""
    size: int
    codes: tuple[int, ...]
    """Its items, ascending."""
    ranks: tuple[int, ...]
    """Its items, the most frequent first."""


def paths_of(hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    """Return for every label itself and what is above it, without what stands for all values.

    Raises
    ------
    HierarchyError
        if a label stands for different values on different levels.

    Examples
    --------
    >>> paths_of(Hierarchy.from_rows([["a", "X", "*"], ["b", "X", "*"], ["c", "c", "*"]]))
    {'a': ('a', 'X'), 'X': ('X',), 'b': ('b', 'X'), 'c': ('c',), '*': ()}
    """
    above: dict[str, tuple[str, ...]] = {}
    for row in hierarchy.rows():
        path = tuple(dict.fromkeys(str(label) for label in row[:-1]))
        for place, label in enumerate(path):
            if above.setdefault(label, path[place:]) != path[place:]:
                raise HierarchyError(
                    f"{label!r} stands for different items on different levels of the hierarchy; give each its own name"
                )
    return above | {str(hierarchy.labels[-1][0]): ()}


def _extended(transactions: Transactions, above: dict[str, tuple[str, ...]]) -> Transactions:
    """Return the records with everything that is above their items."""
    if strangers := [item for item in transactions.items if item not in above]:
        raise HierarchyError(f"the hierarchy of the items lacks {shorten(map(repr, strangers), 5)}; add them to it")
    items = tuple(sorted({label for item in transactions.items for label in above[item]}))
    code_of = {item: code for code, item in enumerate(items)}
    paths = [[code_of[label] for label in above[item]] for item in transactions.items]
    lengths = np.array([len(path) for path in paths], dtype=np.int64)
    flat = np.array([code for path in paths for code in path], dtype=np.int64)
    room = lengths[transactions.codes]
    begins = (np.cumsum(lengths) - lengths)[transactions.codes]
    places = np.arange(room.sum()) - np.repeat(np.cumsum(room) - room, room) + np.repeat(begins, room)
    return Transactions.of_pairs(np.repeat(transactions.records, room), flat[places], items, len(transactions))


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
