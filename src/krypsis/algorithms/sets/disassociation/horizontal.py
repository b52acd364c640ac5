"""HORPART: records that share frequent items come into one cluster."""

from dataclasses import dataclass, replace

import numpy as np

from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together, split_records
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.transactions import Transactions
from krypsis.kernels._jit import compiled


@compiled
def unite_small(starts: IntArray, codes: CodeArray, width: int, edges: IntArray, least: int, block: int) -> IntArray:
    """Return for each cluster the one that it becomes a part of, itself if it stays.

    While a cluster has fewer than ``least`` records, the smallest (of equally small ones the first) is united with the
    one of the highest Jaccard similarity of items; of equally similar ones with the smaller, then the first. Partners
    are looked for among up to ``block`` neighbors, so the cost grows with the number of clusters and not its square.
    """
    clusters = len(edges) - 1
    becomes = np.arange(clusters)
    mark = np.zeros(width, dtype=np.int64)
    blocks = max(1, -(-clusters // block))
    stamp = 0
    for number in range(blocks):
        begin, end = clusters * number // blocks, clusters * (number + 1) // blocks
        stamp = _unite_block(starts, codes, edges, begin, end, least, becomes, mark, stamp)
    return becomes


@compiled
def _unite_block(
    starts: IntArray,
    codes: CodeArray,
    edges: IntArray,
    begin: int,
    end: int,
    least: int,
    becomes: IntArray,
    mark: IntArray,
    stamp: int,
) -> int:
    sizes = edges[begin + 1 : end + 1] - edges[begin:end]
    items = [np.unique(codes[starts[edges[one]] : starts[edges[one + 1]]]) for one in range(begin, end)]
    left = end - begin
    while left > 1:
        # While some cluster is too small: take the smallest, of equals the one with the lowest index.
        smallest = _smallest(sizes)
        if sizes[smallest] >= least:
            break
        stamp += 1
        for item in items[smallest]:
            mark[item] = stamp
        # Merge it into the cluster with the highest Jaccard similarity of term sets.
        partner = _most_alike(smallest, sizes, items, mark, stamp)
        items[partner] = _united(items[partner], items[smallest], mark, stamp)
        sizes[partner] += sizes[smallest]
        sizes[smallest] = 0
        becomes[begin + smallest] = begin + partner
        left -= 1
    for one in range(begin, end):
        # A cluster may have been united with one that was united later.
        while becomes[becomes[one]] != becomes[one]:
            becomes[one] = becomes[becomes[one]]
    return stamp


@compiled
def _smallest(sizes: IntArray) -> int:
    found = -1
    for one in range(len(sizes)):
        if sizes[one] > 0 and (found < 0 or sizes[one] < sizes[found]):
            found = one
    return found


@compiled
def _most_alike(cluster: int, sizes: IntArray, items: list[CodeArray], mark: IntArray, stamp: int) -> int:
    """Return the cluster with the highest share of common items, compared as fractions so that ties are exact."""
    best, common, union = -1, 0, 1
    for other in range(len(sizes)):
        if sizes[other] == 0 or other == cluster:
            continue
        shared = 0
        for item in items[other]:
            if mark[item] == stamp:
                shared += 1
        whole = max(1, len(items[cluster]) + len(items[other]) - shared)
        ahead = shared * union - common * whole
        if best < 0 or ahead > 0 or (ahead == 0 and sizes[other] < sizes[best]):
            best, common, union = other, shared, whole
    return best


@compiled
def _united(items: CodeArray, others: CodeArray, mark: IntArray, stamp: int) -> CodeArray:
    shared = 0
    for item in items:
        if mark[item] == stamp:
            shared += 1
            mark[item] = 0
    union = np.empty(len(items) + len(others) - shared, dtype=np.int32)
    union[: len(items)] = items
    used = len(items)
    for item in others:
        if mark[item] == stamp:
            union[used] = item
            used += 1
    return union


NEIGHBORS = 256
"""Among how many neighbors a small cluster looks for a partner. Neighbors were split off by the same items, so more of
them find hardly better partners, and all of them would cost the square of the number of clusters."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Records in the order of their clusters; cluster ``c`` has the records ``edges[c] … edges[c + 1] - 1``."""

    transactions: Transactions
    edges: IntArray
    places: IntArray
    """Record in this order → its number in the original order."""
    splits: tuple[CodeArray, IntArray] | None = None
    """How they came about: the item of each split, and the split whose records with the item it divides, -1 for all."""

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def sizes(self) -> IntArray:
        """The number of records of each cluster."""
        return np.diff(self.edges)

    @property
    def of_record(self) -> IntArray:
        """Record → its cluster."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    @classmethod
    def of(cls, transactions: Transactions, clusters: IntArray) -> "Clusters":
        """Return records sorted by the numbers of their clusters, from which gaps are removed.

        Examples
        --------
        >>> Clusters.of(Transactions.of_sets([["a"], ["b"], ["c"]]), np.array([7, 2, 7])).edges.tolist()
        [0, 1, 3]
        """
        places = np.argsort(clusters, kind="stable")
        _, sizes = np.unique(clusters, return_counts=True)
        return cls(transactions.taken(places), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), places)


def form_clusters(
    transactions: Transactions,
    limit: int,
    least: int,
    *,
    hidden: BoolArray,
    together: Together,
    unite: bool,
) -> Clusters:
    """Return clusters of at most ``limit`` records; with ``unite`` none has fewer than ``least``.

    Parts with fewer than ``limit`` records are not split further. Uniting can make a cluster too large: it is cut into
    equal parts, each of which has enough records if ``limit`` is at least ``2 * least - 1``. Items that are ``hidden``
    have no say in who is alike.
    """
    starts, codes = _without(transactions, hidden)
    width = len(transactions.items)
    # HORPART, without the sensitive terms (l-diversity mode ignores them).
    order, begins, items, above = split_records(starts, codes, width, limit, least, together)
    edges = np.append(begins, len(transactions)).astype(np.int64)
    cluster = np.empty(len(transactions), dtype=np.int64)
    becomes = np.arange(len(begins))
    if unite:
        seen = Transactions(transactions.items, codes, starts).taken(order)
        # Every block has at least half as many clusters as this, so as many records as a cluster needs.
        block = max(NEIGHBORS, 2 * least)
        # Minimum cluster size: unite clusters of fewer than k records with the most similar one.
        becomes = unite_small(seen.starts, seen.codes, width, edges, least, block)
    cluster[order] = np.repeat(becomes, np.diff(edges))
    clusters = Clusters.of(transactions, _at_most(limit, cluster) if unite else cluster)
    return replace(clusters, splits=(items, above))


def _at_most(limit: int, cluster: IntArray) -> IntArray:
    """Return the cluster of each record, with those of more than ``limit`` records cut into equal parts.

    Examples
    --------
    >>> _at_most(3, np.array([0, 1, 1, 1, 0, 1, 1])).tolist()
    [0, 1, 1, 2, 0, 2, 2]
    """
    numbers, sizes = np.unique(cluster, return_counts=True)
    found, following = cluster.copy(), int(numbers.max(initial=-1)) + 1
    for number, size in zip(numbers[sizes > limit].tolist(), sizes[sizes > limit].tolist(), strict=True):
        parts = -(-size // limit)
        part = np.searchsorted(size * np.arange(1, parts) // parts, np.arange(size), side="right")
        found[cluster == number] = np.where(part == 0, number, following + part - 1)
        following += parts - 1
    return found


def _without(transactions: Transactions, hidden: BoolArray) -> tuple[IntArray, CodeArray]:
    stays = ~hidden[transactions.codes]
    before = np.concatenate([[0], np.cumsum(stays)]).astype(np.int64)
    return before[transactions.starts], transactions.codes[stays]
