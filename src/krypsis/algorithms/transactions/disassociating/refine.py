"""REFINE: clusters with common items in their term chunks are joined, and these items get shared chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.transactions.disassociating.horpart import Clusters
from krypsis.algorithms.transactions.disassociating.verpart import Cut
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.groups import BoolArray, IntArray
from krypsis.hierarchies.base import CodeArray
from krypsis.kernels.forest import Forest, Items, Leaves, Wishes
from krypsis.kernels.horizontal import Together
from krypsis.kernels.lexical import neighbors
from krypsis.kernels.refining import join_neighbors


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
    watch: Watch = UNWATCHED,
) -> Joined:
    """Return joint clusters.

    Again and again, clusters are sorted so that those with common items in their term chunks are neighbors, and two
    neighbors are joined where that tells more about their common items. ``hardened``: an item that stands in a chunk
    below gets a shared chunk of its own, and no term chunk is emptied that is needed. It ends when nothing is joined.
    """
    leaves, forest = _leaves(clusters, cut, hidden), _forest(clusters)
    roots = np.arange(len(clusters), dtype=np.int64)
    open_items = _items(clusters, (cut.chunk < 0) & ~hidden[clusters.transactions.codes])
    fixed = _items(clusters, cut.chunk >= 0)
    forest = forest._replace(chunk_nodes=np.zeros(len(open_items.items) + 1, dtype=np.int64))
    wishes = Wishes(k, m, hardened, together)
    passes, before = 0, len(roots) + 1
    while len(roots) < before and not watch.wants_stop():
        passes, before = passes + 1, len(roots)
        order = neighbors(open_items.starts, open_items.items, len(hidden))
        sides = _in_order(open_items, order), _in_order(fixed, order)
        roots, open_items, fixed = join_neighbors(roots[order], *sides, leaves, forest, wishes)
        by_number = np.argsort(roots)
        roots, open_items, fixed = roots[by_number], _in_order(open_items, by_number), _in_order(fixed, by_number)
    nodes, chunks = forest.used.tolist()
    return Joined(forest.parents[:nodes], leaves.shared, forest.chunk_nodes[:chunks], passes)


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


def _forest(clusters: Clusters) -> Forest:
    count = len(clusters)
    nodes = 2 * count  # every joint cluster has two children
    return Forest(
        records=np.concatenate([clusters.sizes, np.zeros(count, dtype=np.int64)]),
        head=np.arange(nodes),
        tail=np.arange(nodes),
        following=np.full(count, -1, dtype=np.int64),
        parents=np.full(nodes, -1, dtype=np.int64),
        refused=np.full(nodes, -1, dtype=np.int64),
        chunk_nodes=np.zeros(0, dtype=np.int64),
        used=np.array([count, 0], dtype=np.int64),
    )


def _items(clusters: Clusters, which: BoolArray) -> Items:
    """Return the different items of each cluster, of some occurrences only."""
    sets = clusters.transactions
    width = np.int64(max(len(sets.items), 1))
    keys = np.unique(clusters.of_record[sets.records[which]] * width + sets.codes[which])
    starts = np.searchsorted(keys, np.arange(len(clusters) + 1) * width).astype(np.int64)
    return Items(starts, (keys % width).astype(np.int32))


def _in_order(lists: Items, order: IntArray) -> Items:
    """Return lists of items in another order."""
    sizes = np.diff(lists.starts)[order]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.arange(starts[-1]) + np.repeat(lists.starts[:-1][order] - starts[:-1], sizes)
    return Items(starts, lists.items[places])
