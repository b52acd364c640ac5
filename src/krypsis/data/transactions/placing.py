"""Put the pieces of disassociated sets into records, at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.transactions.disassociated import Disassociated
from krypsis.data.transactions.spans import Spans
from krypsis.errors import DataError

DOES_NOT_FIT = "the pieces of a shared chunk do not fit into the records below; no data can lie behind it"
NOBODY: IntArray = np.zeros(0, dtype=np.int64)


class Placing:
    """The record of each piece, while pieces are placed."""

    def __init__(self, published: Disassociated, spans: Spans, rng: np.random.Generator) -> None:
        self.published, self.spans, self.rng = published, spans, rng
        self.slots: IntArray = np.full(len(published.pieces), -1, dtype=np.int64)
        """Piece → its record, -1 for none yet."""
        self._holders = _Holders(published, spans)

    def place_all(self) -> None:
        """Put the pieces of record chunks into records of their clusters, those of shared chunks into records below."""
        self._place_own()
        for chunk in np.flatnonzero(self.published.chunk_nodes >= self.published.clusters).tolist():
            self.place_shared(chunk)

    def _place_own(self) -> None:
        published = self.published
        own = np.flatnonzero(published.chunk_nodes < published.clusters)
        nodes = published.chunk_nodes[own]
        room, wanted = published.sizes[nodes], np.diff(published.chunk_starts)[own]
        if (wanted > room).any():
            raise DataError("a chunk has more pieces than its cluster has records; no data can lie behind it")
        # Of each chunk's records, a random choice: the first ones in a random order.
        chunk = np.repeat(np.arange(len(own)), room)
        order = np.lexsort((self.rng.random(len(chunk)), chunk))
        rank = np.arange(len(chunk)) - np.repeat(np.cumsum(room) - room, room)
        drawn = order - np.repeat(np.cumsum(room) - room, room) + np.repeat(self.spans.begin[nodes], room)
        taken = rank < wanted[chunk]
        begins = np.repeat(published.chunk_starts[:-1][own], room)
        self.slots[(begins + rank)[taken]] = drawn[taken]

    def place_shared(self, chunk: int, wanting: IntArray = NOBODY) -> None:
        """Put the pieces of a shared chunk into records below; those that are ``wanting`` get one each."""
        start, end = self.published.chunk_starts[chunk : chunk + 2].tolist()
        below = self.spans.below(int(self.published.chunk_nodes[chunk]))
        if end - start > len(below):
            raise DataError("a shared chunk has more pieces than there are records below; no data can lie behind it")
        is_wanting = np.zeros(len(below), dtype=np.bool_)
        is_wanting[wanting - below.start] = True
        open_, kind = self.open_records(chunk)
        if len(open_) == 1:
            records = _any_open(open_[0], end - start, is_wanting, self.rng)
        else:
            records = _matched(open_[kind], is_wanting, self.rng)
        self.slots[start:end] = below.start + records

    def open_records(self, chunk: int) -> tuple[BoolArray, IntArray]:
        """Return which records below are open to each kind of piece, one row for each, and the kind of each piece.

        A record is closed to a piece if a chunk further down holds one of its items for the record's cluster. Pieces
        to which the same records are open are of one kind.
        """
        pieces, node = self.published.pieces, int(self.published.chunk_nodes[chunk])
        first, end = self.published.chunk_starts[chunk : chunk + 2].tolist()
        items = pieces.codes[pieces.starts[first] : pieces.starts[end]].tolist()
        closed = {item: frozenset(self._holders.below(item, node)) for item in set(items)}
        if not any(closed.values()):
            return np.ones((1, len(self.spans.below(node))), dtype=np.bool_), np.zeros(end - first, dtype=np.int64)
        edges = (pieces.starts[first : end + 1] - pieces.starts[first]).tolist()
        published_ranges = [
            frozenset[range]().union(*(closed[item] for item in items[at:to])) for at, to in pairwise(edges)
        ]
        kinds = {ranges: number for number, ranges in enumerate(dict.fromkeys(published_ranges))}
        below = self.spans.below(node)
        open_ = np.ones((len(kinds), len(below)), dtype=np.bool_)
        for ranges, number in kinds.items():
            for taken in ranges:
                open_[number, taken.start - below.start : taken.stop - below.start] = False
        return open_, np.array([kinds[ranges] for ranges in published_ranges], dtype=np.int64)


class _Holders:
    """Which nodes have chunks that hold an item."""

    def __init__(self, published: Disassociated, spans: Spans) -> None:
        width = len(published.parents)
        nodes = published.chunk_nodes[published.chunk_of_piece[published.pieces.records]]
        pairs = np.unique(published.pieces.codes.astype(np.int64) * width + nodes)
        items, nodes = pairs // width, pairs % width
        order = np.lexsort((spans.begin[nodes], items))
        self._nodes, self._spans = nodes[order], spans
        self._edges = np.searchsorted(items, np.arange(len(published.items) + 1))

    def below(self, item: int, top: int) -> list[range]:
        """Return the records below a node that hold an item through a chunk further down."""
        begin = self._spans.begin
        nodes = self._nodes[self._edges[item] : self._edges[item + 1]]
        inside = nodes[slice(*np.searchsorted(begin[nodes], [begin[top], self._spans.end[top]]))]
        return [self._spans.below(node) for node in inside[inside < top].tolist()]  # parents come later


def _any_open(open_: BoolArray, count: int, is_wanting: BoolArray, rng: np.random.Generator) -> IntArray:
    """Return different open records, the wanting ones among them."""
    records = rng.permutation(np.flatnonzero(open_))
    if len(records) < count:
        raise DataError(DOES_NOT_FIT)
    if is_wanting.any():
        first = is_wanting[records]
        records = np.concatenate([records[first], records[~first]])
    return rng.permutation(records[:count])


def _matched(open_: BoolArray, is_wanting: BoolArray, rng: np.random.Generator) -> IntArray:
    """Return a record for each piece, no record twice, all open to their piece, the wanting ones among them.

    Where all pieces fit, and the wanting records can be served by some of them, both can be had at once (Mendelsohn
    and Dulmage). A wanting record costs nothing, so as many of them as possible are served.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  few releases need it

    order = rng.permutation(open_.shape[1])
    closed = open_.shape[1] + 1
    costs = np.where(open_, np.where(is_wanting, 0, 1), closed)[:, order]
    rows, columns = linear_sum_assignment(costs)
    if (costs[rows, columns] == closed).any():
        raise DataError(DOES_NOT_FIT)
    return np.asarray(order[columns], dtype=np.int64)
