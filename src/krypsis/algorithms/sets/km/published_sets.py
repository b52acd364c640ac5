"""Records as nodes of an item tree, and which sets of nodes too few of them show."""

from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np

from krypsis.algorithms.sets.km import item_tree
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.transactions import Transactions
from krypsis.data.transactions.sets import taken_lists
from krypsis.errors import UsageError
from krypsis.kernels._jit import compiled


@compiled
def find_rare_sets(
    codes: IntArray, starts: IntArray, width: int, k: int, m: int, heads: int, most: int, holders: BoolArray,
    steps: IntArray,
) -> IntArray:  # fmt: skip
    """Return sets of up to ``m`` codes that fewer than ``k`` records hold, one per row, filled up with -1.

    The codes of a record are ascending and below ``width``. Sets are walked depth first in ascending order: where a
    set is rare, none that begins with it is returned. Only sets whose first code is below ``heads`` are returned, and
    no more than ``most``. The records that hold one of them are marked.

    ``steps[0]`` is what is left to spend, about one for each occurrence that is looked at. The walk ends where it falls
    below 0: what was found until then is not all.
    """
    record_of, ends = _records_and_ends(starts, len(codes))
    rare, found = np.empty((0, m), dtype=np.int64), 0
    counts, touched = np.zeros(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    prefix = np.full(m, -1, dtype=np.int64)
    # The occurrences of the codes that may come next, for every depth one stretch, sorted by code.
    stack = np.argsort(codes, kind="mergesort").astype(np.int64)
    begin, top = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    top[0] = np.searchsorted(codes[stack], heads)
    depth = 0 if k > 1 else -1
    # Each iteration takes the next run of one code at this depth: its length is the support of prefix + code.
    while depth >= 0 and found < most and steps[0] >= 0:
        start = begin[depth]
        if start == top[depth]:
            depth -= 1
            continue
        end = _end_of_run(codes, stack, start, top[depth])
        begin[depth] = end
        steps[0] -= end - start
        prefix[depth], prefix[depth + 1 :] = codes[stack[start]], -1
        # Rare: every superset is rare as well (a-priori principle), so this prefix is not extended.
        if end - start < k:
            rare, found = _kept_set(rare, found, prefix)
            holders[record_of[stack[start:end]]] = True
        # Last level: counting the codes that follow is enough, no occurrences need to be stored.
        elif depth + 2 == m:
            for occurrence in stack[start:end]:
                steps[0] -= ends[occurrence] - occurrence
            rare, found = _rare_next(
                codes, ends, record_of, stack[start:end], k, most, prefix, rare, found, counts, touched, holders
            )
        # Frequent: go one level down with the occurrences that follow in the same records.
        elif depth + 2 < m:
            free = len(codes) if depth == 0 else top[depth]
            stack, size = _push_following(codes, ends, stack, start, end, free, counts, touched)
            depth += 1
            steps[0] -= size
            begin[depth], top[depth] = free, free + size
    return rare[:found].copy()


@compiled
def _records_and_ends(starts: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return for each place its record, and where that ends."""
    record_of, ends = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for record in range(len(starts) - 1):
        record_of[starts[record] : starts[record + 1]] = record
        ends[starts[record] : starts[record + 1]] = starts[record + 1]
    return record_of, ends


@compiled
def _end_of_run(codes: IntArray, stack: IntArray, start: int, top: int) -> int:
    end = start
    while end < top and codes[stack[end]] == codes[stack[start]]:
        end += 1
    return end


@compiled
def _count_following(
    codes: IntArray, ends: IntArray, occurrences: IntArray, counts: IntArray, touched: IntArray
) -> int:
    """Count what follows some occurrences in their records; write the codes in ascending order, return how many."""
    kinds = 0
    for occurrence in occurrences:
        for other in range(occurrence + 1, ends[occurrence]):
            if counts[codes[other]] == 0:
                touched[kinds] = codes[other]
                kinds += 1
            counts[codes[other]] += 1
    touched[:kinds].sort()
    return kinds


@compiled
def _rare_next(
    codes: IntArray, ends: IntArray, record_of: IntArray, occurrences: IntArray, k: int, most: int, prefix: IntArray,
    rare: IntArray, found: int, counts: IntArray, touched: IntArray, holders: BoolArray,
) -> tuple[IntArray, int]:  # fmt: skip
    """Return the rare sets with those that are one code longer than what some occurrences end; mark who holds them."""
    kinds = _count_following(codes, ends, occurrences, counts, touched)
    before = found
    for code in touched[:kinds]:
        if counts[code] < k and found < most:
            prefix[-1] = code
            rare, found = _kept_set(rare, found, prefix)
    if found > before:
        for occurrence in occurrences:
            for other in range(occurrence + 1, ends[occurrence]):
                if counts[codes[other]] < k:
                    holders[record_of[occurrence]] = True
    counts[touched[:kinds]] = 0
    return rare, found


@compiled
def _push_following(
    codes: IntArray, ends: IntArray, stack: IntArray, start: int, end: int, free: int, counts: IntArray,
    touched: IntArray,
) -> tuple[IntArray, int]:  # fmt: skip
    """Write what follows some occurrences to the stack from ``free`` on, sorted by code; return how much it is."""
    kinds = _count_following(codes, ends, stack[start:end], counts, touched)
    size = 0
    for code in touched[:kinds]:
        size, counts[code] = size + counts[code], size
    if free + size > len(stack):
        wider = np.empty(2 * (free + size), dtype=np.int64)
        wider[:free] = stack[:free]
        stack = wider
    for place in range(start, end):
        for other in range(stack[place] + 1, ends[stack[place]]):
            stack[free + counts[codes[other]]] = other
            counts[codes[other]] += 1
    counts[touched[:kinds]] = 0
    return stack, size


@compiled
def _kept_set(rare: IntArray, found: int, one: IntArray) -> tuple[IntArray, int]:
    """Return the sets with one more, in a larger array if there is no room."""
    if found == len(rare):
        wider = np.empty((max(2 * found, 1024), rare.shape[1]), dtype=np.int64)
        wider[:found] = rare
        rare = wider
    rare[found] = one
    return rare, found + 1


MOST_STEPS = 10_000_000_000
"""How many occurrences of items are looked at in all, which takes a minute or two."""


def new_steps() -> IntArray:
    """Return what a search may spend: one number, which is counted down in place."""
    return np.array([MOST_STEPS], dtype=np.int64)


def refuse_if_spent(steps: IntArray, k: int, m: int) -> None:
    """Raise if a search had to end before it had looked at all sets.

    Examples
    --------
    >>> refuse_if_spent(np.array([-1]), k=5, m=30)
    Traceback (most recent call last):
      ...
    krypsis.errors.UsageError: the records have too many combinations of up to 30 items that 5 or more of them hold...
    """
    if steps[0] < 0:
        raise UsageError(
            f"the records have too many combinations of up to {m} items that {k} or more of them hold to look at them "
            f"all: the search ended after {MOST_STEPS:.0e} steps without a result. Promise a smaller m: an attacker "
            "who knows 3 or 4 items of a person is a strong one. Or choose the algorithm 'disassociation'"
        )


MOST = 1_000_000
"""How many rare sets are looked at in one go; what is left over is found when the next cut is looked at."""


@dataclass(frozen=True, eq=False)
class LeafSets:
    """The leaves of each record, in ascending order, one record after the other."""

    tree: item_tree.ItemTree
    leaves: IntArray
    starts: IntArray
    steps: IntArray = field(default_factory=new_steps)
    """What the search for rare sets may still spend; parts of the records share it."""

    @classmethod
    def of(cls, transactions: Transactions, tree: item_tree.ItemTree) -> "LeafSets":
        """Return the records as leaves of a tree that has all their items."""
        place = {label: node for node, label in enumerate(tree.labels)}
        leaves = np.array([place[item] for item in transactions.items], dtype=np.int64)[transactions.codes]
        order = np.lexsort((leaves, transactions.records))
        return cls(tree, leaves[order], transactions.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def taken(self, records: IntArray) -> "LeafSets":
        """Return some of the records."""
        starts, places = taken_lists(self.starts, records)
        return LeafSets(self.tree, self.leaves[places], starts, self.steps)

    @cached_property
    def nodes(self) -> tuple[IntArray, IntArray]:
        """What each record shows, its leaves and everything above them, in ascending order; and where it begins."""
        sizes = np.zeros(len(self), dtype=np.int64)
        item_tree.count_with_ancestors(self.leaves, self.starts, self.tree.parent, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        nodes = np.empty(starts[-1], dtype=np.int64)
        item_tree.write_with_ancestors(self.leaves, self.starts, self.tree.parent, nodes, starts)
        return nodes, starts

    @cached_property
    def records(self) -> tuple[IntArray, IntArray]:
        """The records that show each node, or something below it; and where the list of each node begins."""
        nodes, starts = self.nodes
        record_starts = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=len(self.tree)))])
        records = np.empty(len(nodes), dtype=np.int64)
        item_tree.list_records(nodes, starts, record_starts[:-1].copy(), records)
        return records, record_starts

    @cached_property
    def closing_costs(self) -> IntArray:
        """What closing a node adds to the loss once all below it is closed; the certainty penalty times all leaves."""
        tree = self.tree
        before = np.concatenate([[0], np.cumsum(np.bincount(self.leaves, minlength=len(tree)))])
        paid = (before[tree.last + 1] - before[:-1]) * np.where(tree.inner, tree.leaves, 0)
        costs = paid.copy()
        # Closing a node replaces what its children cost, so only the difference is charged.
        np.subtract.at(costs, tree.parent[1:], paid[1:])
        return np.where(tree.inner, costs, 0)

    def cost(self, closed: BoolArray) -> int:
        """Return the loss of a cut."""
        return int(self.closing_costs[closed].sum())

    def at(self, closed: BoolArray) -> tuple[IntArray, IntArray]:
        """Return the nodes that each record shows at a cut, in ascending order; and where it begins."""
        nodes = self.tree.published_as(closed)[self.leaves]
        record = np.repeat(np.arange(len(self)), np.diff(self.starts))
        first = np.append(True, (np.diff(nodes) != 0) | (np.diff(record) != 0))[: len(nodes)]
        sizes = np.bincount(record[first], minlength=len(self))
        return nodes[first], np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def rare_at(self, closed: BoolArray, k: int, m: int, *, most: int, frequent_first: bool = False) -> IntArray:
        """Return at most so many sets of up to ``m`` nodes of a cut that some record shows and fewer than ``k`` do.

        One per row, filled up with -1; of sets that begin alike, those that are rare by their beginning stand once.
        """
        nodes, starts = self.at(closed)
        support = np.bincount(nodes, minlength=len(self.tree))
        order = np.argsort(-support if frequent_first else support, kind="stable")
        return self._rare(nodes, starts, order, len(order), k, m, most)[0]

    def holds_rare_set(self, closed: BoolArray, k: int, m: int) -> BoolArray:
        """Mark records that show a rare set of nodes of a cut; at least one if there is any."""
        nodes, starts = self.at(closed)
        order = np.argsort(np.bincount(nodes, minlength=len(self.tree)), kind="stable")
        return self._rare(nodes, starts, order, len(order), k, m, MOST)[1]

    def can_open(self, closed: BoolArray, node: int, k: int, m: int) -> bool:
        """Say whether a node may be opened in a cut without rare sets, and there still are none."""
        opened = closed.copy()
        opened[node] = False
        # What is new lies below the node, so records that do not show it need not be looked at.
        records, starts = self.records
        nodes, begins = self.taken(records[starts[node] : starts[node + 1]]).at(opened)
        below = self.tree.parent == node
        order = np.argsort(~below, kind="stable")
        return not len(self._rare(nodes, begins, order, int(below.sum()), k, m, 1)[0])

    def is_rare(self, nodes: tuple[int, ...], k: int) -> bool:
        """Say whether fewer than ``k`` records show all of some nodes."""
        return bool(item_tree.is_rare(np.array(nodes), *self.nodes, *self.records, k))

    def support(self, nodes: tuple[int, ...]) -> int:
        """Return how many records show all of some nodes."""
        records, starts = self.records
        lists = [records[starts[node] : starts[node + 1]] for node in nodes]
        return len(reduce(np.intersect1d, lists))

    def settled_pairs(self, k: int) -> IntArray:
        """Return pairs of nodes of which one has to be closed, so that no node and no pair of nodes is rare."""
        tree = self.tree
        return item_tree.highest_rare_pairs(*self.nodes, *self.records, tree.parent, tree.last, tree.depth, k)

    def lifted(self, rare: IntArray, k: int) -> IntArray:
        """Return rare sets with their nodes replaced by the highest ones with which they are rare."""
        sets = rare.copy()
        item_tree.lift_rare_sets(sets, *self.nodes, *self.records, self.tree.parent, self.tree.last, k)
        return sets

    def _rare(
        self, nodes: IntArray, starts: IntArray, order: IntArray, heads: int, k: int, m: int, most: int
    ) -> tuple[IntArray, BoolArray]:
        """Return rare sets, in an order of nodes, that begin with one of the first ``heads``; and who shows them."""
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        codes = rank[nodes]
        codes = codes[np.lexsort((codes, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))]
        holders = np.zeros(len(starts) - 1, dtype=np.bool_)
        found = find_rare_sets(codes, starts, len(order), k, m, heads, most, holders, self.steps)
        refuse_if_spent(self.steps, k, m)
        return np.where(found >= 0, order[found], -1), holders
