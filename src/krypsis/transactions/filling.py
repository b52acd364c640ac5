"""See that no record stays empty, once the pieces of disassociated sets were placed."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.errors import DataError
from krypsis.transactions.placing import Placing


def fill_records(placing: Placing) -> None:
    """Place pieces anew, so that no record of a cluster without a term chunk stays empty.

    Others get an item of their term chunk. Mostly it is enough to move pieces inside a cluster. Where a cluster has
    fewer pieces of its own than records, pieces of shared chunks must go to the others, and a matching finds out which.

    Raises
    ------
    DataError
        if there is no way to do so.
    """
    tops = _tops(placing)
    clusters = placing.spans.clusters(placing.published)
    for top in np.unique(tops[clusters[_moved(placing)]]).tolist():
        _arrange(placing, np.flatnonzero(tops == top))
    _moved(placing)


def _tops(placing: Placing) -> IntArray:
    """Return for each node the one above it that lies in no other."""
    tops = np.arange(len(placing.published.parents))
    for node in range(len(tops) - 1, -1, -1):  # parents come after their children
        if (parent := int(placing.published.parents[node])) >= 0:
            tops[node] = tops[parent]
    return tops


def _moved(placing: Placing) -> IntArray:
    """Move a piece of a record chunk into each empty record, from one of its cluster that has another piece.

    Return the records for which there is none.
    """
    published, slots, rng = placing.published, placing.slots, placing.rng
    held = np.bincount(slots, minlength=len(published))
    clusters = placing.spans.clusters(published)
    node = published.chunk_nodes[published.chunk_of_piece]
    by_node = np.argsort(node, kind="stable")
    begins = np.searchsorted(node[by_node], np.arange(published.clusters + 1))
    left = []
    for record in rng.permutation(np.flatnonzero((held == 0) & (published.terms.sizes[clusters] == 0))).tolist():
        own = by_node[slice(*begins[clusters[record] : clusters[record] + 2])]
        movable = own[held[slots[own]] > 1]
        if len(movable):
            piece = int(rng.choice(movable))
            held[slots[piece]] -= 1
            held[record] += 1
            slots[piece] = record
        else:
            left.append(record)
    return np.array(left, dtype=np.int64)


def _arrange(placing: Placing, nodes: IntArray) -> None:
    """Place the pieces of a tree so that no record stays empty for which there is no other way."""
    published = placing.published
    chunks = np.flatnonzero(np.isin(published.chunk_nodes, nodes))
    shared = chunks[published.chunk_nodes[chunks] >= published.clusters]
    wanting = np.concatenate([_spread(placing, leaf) for leaf in nodes[nodes < published.clusters].tolist()])
    served = _served(placing, wanting, shared)
    for chunk in shared.tolist():
        placing.place_shared(chunk, wanting[served == chunk])


def _spread(placing: Placing, leaf: int) -> IntArray:
    """Return the records that stay empty after each got one piece of its cluster, where these are too few for all."""
    published = placing.published
    own = np.flatnonzero(published.chunk_nodes[published.chunk_of_piece] == leaf)
    if published.terms.sizes[leaf] or len(own) >= published.sizes[leaf]:
        return np.zeros(0, dtype=np.int64)
    records = placing.rng.permutation(placing.spans.below(leaf))
    placing.slots[own] = records[: len(own)]
    return records[len(own) :]


def _served(placing: Placing, wanting: IntArray, shared: IntArray) -> IntArray:
    """Return for each wanting record a chunk of which it gets a piece, so that there are enough pieces for all."""
    from scipy.sparse import coo_array  # noqa: PLC0415  few releases need it
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    published, pairs = placing.published, [np.zeros((2, 0), dtype=np.int64)]
    for chunk in shared.tolist():
        below = placing.spans.below(int(published.chunk_nodes[chunk]))
        inside = np.flatnonzero((wanting >= below.start) & (wanting < below.stop))
        open_, kind = placing.open_records(chunk)
        piece, place = np.nonzero(open_[:, wanting[inside] - below.start][kind])
        pairs.append(np.stack([inside[place], piece + published.chunk_starts[chunk]]))
    rows, columns = np.concatenate(pairs, axis=1)
    shape = (len(wanting), len(published.pieces))
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=shape).tocsr()
    found = maximum_bipartite_matching(graph, perm_type="column")
    if (found < 0).any():
        raise DataError(
            f"{int((found < 0).sum())} record(s) would stay empty: their clusters have no term chunk and too few "
            "pieces, and too few shared pieces fit; no data can lie behind it"
        )
    return np.asarray(published.chunk_of_piece[found], dtype=np.int64)
