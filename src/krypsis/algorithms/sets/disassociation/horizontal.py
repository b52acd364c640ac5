"""HORPART: records that share frequent items come into one cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together, split_records
from krypsis.algorithms.sets.disassociation.small_clusters import unite_small
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.transactions import Transactions

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
    def of(cls, transactions: Transactions, clusters: IntArray) -> Clusters:
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
    order, begins = split_records(starts, codes, width, limit, least, together)
    edges = np.append(begins, len(transactions)).astype(np.int64)
    cluster = np.empty(len(transactions), dtype=np.int64)
    becomes = np.arange(len(begins))
    if unite:
        seen = Transactions(transactions.items, codes, starts).taken(order)
        # Every block has at least half as many clusters as this, so as many records as a cluster needs.
        block = max(NEIGHBORS, 2 * least)
        becomes = unite_small(seen.starts, seen.codes, width, edges, least, block)
    cluster[order] = np.repeat(becomes, np.diff(edges))
    return Clusters.of(transactions, _at_most(limit, cluster) if unite else cluster)


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
