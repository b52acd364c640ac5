"""Draw data that could lie behind disassociated sets."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.transactions.disassociated import Disassociated
from krypsis.data.transactions.sets import Transactions
from krypsis.data.transactions.supports import Spans
from krypsis.errors import DataError, UsageError

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


@dataclass(frozen=True, eq=False)
class Listed:
    """Records that get an item of a term chunk."""

    records: IntArray
    items: IntArray


def place_listed(
    published: Disassociated, spans: Spans, slots: IntArray, rng: np.random.Generator, most: int
) -> Listed:
    """Put every item of a term chunk into one to ``most`` records, empty ones first, until none is left empty.

    ``slots`` says which record each piece is in.
    """
    clusters = spans.clusters(published)
    found = _placed(published, spans, clusters, slots, rng, most)
    held = np.bincount(np.concatenate([slots, found.records]), minlength=len(published))
    empty = np.flatnonzero(held == 0)
    terms, leaf = published.terms, clusters[empty]
    more = terms.codes[terms.starts[leaf] + rng.integers(0, terms.sizes[leaf])]
    return Listed(np.concatenate([found.records, empty]), np.concatenate([found.items, more.astype(np.int64)]))


def _placed(
    published: Disassociated, spans: Spans, clusters: IntArray, slots: IntArray, rng: np.random.Generator, most: int
) -> Listed:
    terms = published.terms
    counts = np.minimum(rng.integers(1, most + 1, len(terms.codes)), published.sizes[terms.records])
    term = np.repeat(np.arange(len(counts)), counts)
    is_more = np.arange(len(term)) > np.repeat(np.cumsum(counts) - counts, counts)
    # In each cluster every item comes once before any comes again; otherwise the order is random.
    term = term[np.lexsort((rng.random(len(term)), is_more, terms.records[term]))]
    leaf = terms.records[term]
    empty = np.flatnonzero(np.bincount(slots, minlength=len(published)) == 0)
    empty = empty[np.lexsort((rng.random(len(empty)), clusters[empty]))]
    edges = np.searchsorted(clusters[empty], np.arange(published.clusters + 1))
    place = edges[leaf] + _ranks(leaf)
    records = np.full(len(term), -1, dtype=np.int64)
    is_first = place < edges[leaf + 1]
    records[is_first] = empty[place[is_first]]
    return Listed(
        _distinct_records(records, term, spans.begin[leaf], published.sizes[leaf], rng),
        terms.codes[term].astype(np.int64),
    )


def _ranks(groups: IntArray) -> IntArray:
    """Return the number of each member in its group; groups ascend."""
    return np.asarray(np.arange(len(groups)) - np.searchsorted(groups, groups))


def _distinct_records(
    records: IntArray, term: IntArray, begin: IntArray, size: IntArray, rng: np.random.Generator
) -> IntArray:
    """Draw the records that are missing (-1), none twice for the same item of a term chunk."""
    missing = records < 0
    while missing.any():
        records[missing] = begin[missing] + rng.integers(0, size[missing])
        order = np.lexsort((missing, records, term))
        is_again = (np.diff(records[order], prepend=-1) == 0) & (np.diff(term[order], prepend=-1) == 0)
        missing = np.zeros(len(records), dtype=np.bool_)
        missing[order[is_again]] = True
    return records


Copies = Literal["one", "uniform"]


def reconstruct(
    published: Disassociated, rng: np.random.Generator, *, copies: Copies = "one", k: int | None = None
) -> Transactions:
    """Return one of the data sets that could lie behind the clusters, drawn at random.

    Every piece is put into a record of its cluster that has no other piece of the same chunk and none of its items
    elsewhere; every item of a term chunk into a record, where one is still empty into that one. No record stays empty.
    The records of a cluster follow each other; nothing else about their order means anything.

    Parameters
    ----------
    published
        the clusters.
    rng
        all chance comes from it.
    copies
        how many records get an item of a term chunk, of which only the presence is published: ``one``, or ``uniform``
        between 1 and ``k`` - 1, since an item that k records hold would have left the term chunk.
    k
        the k of the promise, for ``copies="uniform"``.

    Raises
    ------
    DataError
        if no data can lie behind the clusters.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[3], parents=[-1], terms=terms)
    >>> sorted(sorted(one) for one in reconstruct(clusters, np.random.default_rng(0)).sets())
    [['flu'], ['flu'], ['ikea']]
    """
    if copies == "uniform" and (k is None or k < 2):
        raise UsageError(f"copies='uniform' needs the k of the promise, at least 2; got {k}")
    placing = Placing(published, Spans.of(published, published.sizes), rng)
    placing.place_all()
    fill_records(placing)
    most = 1 if copies == "one" or k is None else k - 1
    listed = place_listed(published, placing.spans, placing.slots, rng, most)
    pieces = published.pieces
    records = np.concatenate([placing.slots[pieces.records], listed.records])
    codes = np.concatenate([pieces.codes, listed.items]).astype(np.int64)
    return Transactions.of_pairs(records, codes, published.items, len(published))
