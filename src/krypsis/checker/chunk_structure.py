"""What keeps disassociated sets k^m-anonymous, tested on all clusters at once.

The conditions are those under which k records with the same known items can be put together inside a cluster from
what is published, however the items known lie across its chunks:

* every cluster has at least k records;
* in every chunk, up to m items that stand together in a piece stand together in at least k pieces;
* every record of a cluster can get something: its term chunk is not empty, or its record chunks have pieces enough for
  all records, after k records took one of each of the chunks that the known items are in;
* a shared chunk whose items also stand in chunks below it holds copies of one item alone: they are interchangeable, so
  they can be put wherever they fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.chunk_rarest import Rarest, rarest_of
from krypsis.transactions import Disassociated


@dataclass(frozen=True, eq=False)
class Conditions:
    """What was found about the chunks: for each condition, the largest k that it allows."""

    smallest_cluster: int
    rarest_in_chunk: Rarest
    """The fewest pieces of a chunk in which up to m items stand together."""
    room: IntArray
    """Cluster → the largest k for which every record still gets something."""
    mixed: IntArray
    """Shared chunks with items that stand in chunks below and with other items beside them."""

    @property
    def level(self) -> int:
        """The largest k that all conditions allow; 0 where a condition fails for any k."""
        if len(self.mixed):
            return 0
        return max(min(self.smallest_cluster, self.rarest_in_chunk.pieces, int(self.room.min(initial=NO_LIMIT))), 0)


NO_LIMIT = int(np.iinfo(np.int64).max)


def examine(published: Disassociated, m: int) -> Conditions:
    """Return what the conditions allow for an attacker who knows up to ``m`` items."""
    return Conditions(
        smallest_cluster=int(published.sizes.min(initial=NO_LIMIT)),
        rarest_in_chunk=rarest_of(_pieces_of_chunks(published), m, NO_LIMIT),
        room=room_of_clusters(published, m),
        mixed=np.flatnonzero(conflicting(published) & (items_of_chunks(published) > 1)),
    )


def rarest_alone(published: Disassociated, m: int, k: int) -> int:
    """Return the fewest pieces, up to ``k``, in which items stand together that no other chunk of their tree has.

    No more records than that can hold these items, so fewer than ``k`` break the promise, whatever else is published.
    """
    width, tops = max(len(published.items), 1), roots_of_nodes(published)
    keys, terms = published.chunk_items, published.terms
    chunk = keys // width
    places = tops[published.chunk_nodes[chunk]] * width + keys % width
    elsewhere = np.concatenate([places, tops[terms.records] * width + terms.codes])
    _, number, times = np.unique(elsewhere, return_inverse=True, return_counts=True)
    shares = np.zeros(len(published.chunk_nodes), dtype=np.bool_)
    shares[chunk[times[number[: len(places)]] > 1]] = True
    alone = (pieces for pieces, other in zip(_pieces_of_chunks(published), shares.tolist(), strict=True) if not other)
    rarest = rarest_of(alone, m, k)
    return rarest.pieces if rarest.exact else k


def roots_of_nodes(published: Disassociated) -> IntArray:
    """Return the root of the tree of each node."""
    top = np.arange(len(published.parents))
    for node in range(len(top) - 1, -1, -1):  # parents come after their children
        if published.parents[node] >= 0:
            top[node] = top[published.parents[node]]
    return top


def _pieces_of_chunks(published: Disassociated) -> Iterator[list[list[int]]]:
    """Yield the pieces of each chunk, each as the numbers of its items."""
    pieces = published.pieces
    for first, end in pairwise(published.chunk_starts.tolist()):
        edges = pieces.starts[first : end + 1].tolist()
        items = pieces.codes[edges[0] : edges[-1]].tolist()
        yield [items[start - edges[0] : stop - edges[0]] for start, stop in pairwise(edges)]


def room_of_clusters(published: Disassociated, m: int) -> IntArray:
    """Return the largest k for which k records may take a piece of each of up to m chunks and none stays empty."""
    own = published.chunk_nodes < published.clusters
    nodes = published.chunk_nodes[own]
    counts = np.diff(published.chunk_starts)[own]
    pieces = np.bincount(nodes, weights=counts, minlength=published.clusters).astype(np.int64)
    touched = np.minimum(np.bincount(nodes, minlength=published.clusters), m)
    spare = pieces - published.sizes
    room = np.where(touched > 1, spare // np.maximum(touched - 1, 1), np.where(spare >= 0, NO_LIMIT, 0))
    return np.where(published.terms.sizes > 0, NO_LIMIT, np.maximum(room, 0))


def items_of_chunks(published: Disassociated) -> IntArray:
    """Return how many different items each chunk has."""
    keys = published.chunk_items
    width = max(len(published.items), 1)
    return np.bincount(keys // width, minlength=len(published.chunk_nodes))


def conflicting(published: Disassociated) -> BoolArray:
    """Say of each shared chunk whether one of its items also stands in a chunk below it.

    A record holds an item once, so a piece with such an item does not fit everywhere.
    """
    width = max(len(published.items), 1)
    keys = published.chunk_items
    chunk, item = keys // width, keys % width
    places = published.chunk_nodes[chunk] * width + item
    found = np.zeros(len(published.chunk_nodes), dtype=np.bool_)
    found[chunk[np.isin(places, met_above(published, published.chunk_nodes[chunk], item, places))]] = True
    return found


def met_above(published: Disassociated, nodes: IntArray, items: IntArray, places: IntArray) -> IntArray:
    """Return the places of shared chunks that items meet on their way up from their nodes.

    A place is a node times the number of items, plus an item that a chunk of the node holds.
    """
    width = max(len(published.items), 1)
    shared = np.unique(places[places >= published.clusters * width])
    stands_shared = np.isin(np.arange(width), shared % width)
    # What stands in no shared chunk meets none.
    above, climbing = published.parents[nodes[stands_shared[items]]], items[stands_shared[items]]
    met = [np.empty(0, dtype=np.int64)]
    while (above >= 0).any():
        above, climbing = above[above >= 0], climbing[above >= 0]
        here = above * width + climbing
        slot = np.minimum(np.searchsorted(shared, here), len(shared) - 1)
        met.append(here[shared[slot] == here])
        above = published.parents[above]
    return np.unique(np.concatenate(met))
