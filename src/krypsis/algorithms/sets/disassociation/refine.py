"""REFINE: clusters with common items in their term chunks are joined, and these items get shared chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.disassociation.forest import Forest, Items, Leaves, OpenItems, Wishes
from krypsis.algorithms.sets.disassociation.horizontal import Clusters
from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together
from krypsis.algorithms.sets.disassociation.joint_clusters import Joining, Roots
from krypsis.algorithms.sets.disassociation.vertical import Cut
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.progress import NO_PROGRESS, Progress

BLOCK = 8192
"""Clusters among which neighbors are looked for at a time: so the cost grows with their number and not its square."""
WORTHWHILE = 0.01
"""Another round begins if the last one has joined this share of the clusters."""


@dataclass(frozen=True, eq=False)
class Joined:
    """The joint clusters, and where every occurrence of an item goes that has left its term chunk."""

    parents: IntArray
    """Node → the joint cluster above it, -1 if there is none; simple clusters come first."""
    shared: CodeArray
    """Occurrence → shared chunk, -1 for none."""
    chunk_nodes: IntArray
    """Shared chunk → its joint cluster."""
    passes: int = 0

    @classmethod
    def nothing(cls, clusters: Clusters) -> Joined:
        """Return clusters of which none is joined."""
        occurrences = len(clusters.transactions.codes)
        return cls(np.full(len(clusters), -1), np.full(occurrences, -1, dtype=np.int32), np.zeros(0, dtype=np.int64))


def join_clusters(
    clusters: Clusters,
    cut: Cut,
    k: int,
    m: int,
    *,
    hidden: BoolArray,
    together: Together,
    hardened: bool = True,
    block: int = BLOCK,
    threads: int = 1,
    progress: Progress = NO_PROGRESS,
) -> Joined:
    """Return joint clusters.

    Again and again, clusters are sorted so that those with common items in their term chunks are neighbors, and two
    neighbors are joined where that tells more about their common items. ``hardened``: an item that stands in a chunk
    below gets a shared chunk of its own, and no term chunk is emptied that is needed. It ends when nothing is joined.

    More clusters than ``block`` are sorted once and cut into blocks, and neighbors are joined inside each until
    nothing changes; what is left is sorted and cut anew as long as that joins a good part of it.
    """
    wishes = Wishes(k, m, hardened, together)
    open_items = _open_items(clusters, (cut.chunk < 0) & ~hidden[clusters.transactions.codes])
    forest = _forest(clusters, len(open_items.items))
    joining = Joining(_leaves(clusters, cut, hidden), forest, wishes, progress)
    roots = Roots(np.arange(len(clusters), dtype=np.int64), open_items, _items(clusters, cut.chunk >= 0))
    passes, worthwhile = 0, True
    while worthwhile:
        joined, more = joining.in_blocks(roots, block, threads)
        worthwhile = len(roots) > block and len(joined) < (1 - WORTHWHILE) * len(roots)
        roots, passes = joined, passes + more
    nodes, chunks = forest.used.tolist()
    return Joined(forest.parents[:nodes], joining.leaves.shared, forest.chunk_nodes[:chunks], passes)


def _leaves(clusters: Clusters, cut: Cut, hidden: BoolArray) -> Leaves:
    sets = clusters.transactions
    rest = np.flatnonzero((cut.chunk < 0) & ~hidden[sets.codes])
    edges = np.searchsorted(rest, sets.starts[clusters.edges]).astype(np.int64)
    terms = _items(clusters, cut.chunk < 0)
    return Leaves(
        sizes=clusters.sizes,
        needy=cut.needy,
        terms_left=np.diff(terms.starts),
        rest=rest,
        rest_starts=edges[:-1].copy(),
        rest_ends=edges[1:].copy(),
        codes=sets.codes,
        records=sets.records.astype(np.int32),
        shared=np.full(len(sets.codes), -1, dtype=np.int32),
    )


def _forest(clusters: Clusters, most_chunks: int) -> Forest:
    count = len(clusters)
    nodes = 2 * count  # every joint cluster has two children
    return Forest(
        records=np.concatenate([clusters.sizes, np.zeros(count, dtype=np.int64)]),
        head=np.arange(nodes),
        tail=np.arange(nodes),
        following=np.full(count, -1, dtype=np.int64),
        parents=np.full(nodes, -1, dtype=np.int64),
        refused=np.full(nodes, -1, dtype=np.int64),
        chunk_nodes=np.zeros(most_chunks, dtype=np.int64),
        used=np.array([count, 0], dtype=np.int64),
    )


def _open_items(clusters: Clusters, which: BoolArray) -> OpenItems:
    """Return the different items of each cluster among some occurrences, with the number of records that hold each."""
    sets = clusters.transactions
    width = np.int64(max(len(sets.items), 1))
    cluster = clusters.of_record[sets.records[which]]
    keys, counts = np.unique(cluster * width + sets.codes[which], return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(clusters) + 1) * width).astype(np.int64)
    sizes = clusters.sizes[keys // width]
    return OpenItems(starts, (keys % width).astype(np.int32), counts.astype(np.int64), np.ones_like(sizes), sizes)


def _items(clusters: Clusters, which: BoolArray) -> Items:
    """Return the different items of each cluster among some occurrences."""
    return Items(*_open_items(clusters, which)[:2])
