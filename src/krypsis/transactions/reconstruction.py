"""Draw data that could lie behind disassociated sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from krypsis.errors import DataError, UsageError
from krypsis.groups import BoolArray, IntArray
from krypsis.transactions.disassociated import Disassociated
from krypsis.transactions.sets import Transactions

Copies = Literal["one", "uniform"]
DOES_NOT_FIT = "the pieces of a shared chunk do not fit into the records below; no data can lie behind it"


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
        how many records get an item of a term chunk, of which only the presence is told: ``one``, or ``uniform``
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
    forest = _Forest.of(published)
    slots = _own_pieces(published, forest, rng)
    _share_pieces(published, forest, slots, rng)
    more = _Terms.placed(published, forest, slots, rng, 1 if copies == "one" or k is None else k - 1)
    more = _filled(published, forest, slots, more, rng)
    pieces = published.pieces
    records = np.concatenate([slots[pieces.records], more.records])
    codes = np.concatenate([pieces.codes, more.items]).astype(np.int64)
    return Transactions.of_pairs(records, codes, published.items, len(published))


@dataclass(frozen=True, eq=False)
class _Forest:
    """Numbers of records such that the records below any node are a range."""

    begin: IntArray
    """Node → its first record."""
    end: IntArray

    @classmethod
    def of(cls, published: Disassociated) -> _Forest:
        nodes = len(published.parents)
        records = np.zeros(nodes, dtype=np.int64)
        records[: published.clusters] = published.sizes
        for node, parent in enumerate(published.parents.tolist()):
            if parent >= 0:
                records[parent] += records[node]
        begin, free, next_root = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64), 0
        for node in range(nodes - 1, -1, -1):  # parents come after their children
            parent = int(published.parents[node])
            begin[node] = next_root if parent < 0 else free[parent]
            free[node] = begin[node]
            if parent < 0:
                next_root += int(records[node])
            else:
                free[parent] += records[node]
        return cls(begin, begin + records)

    def leaf_of(self, published: Disassociated) -> IntArray:
        """Return the simple cluster of each record."""
        order = np.argsort(self.begin[: published.clusters], kind="stable")
        return np.repeat(order, published.sizes[order])


def _own_pieces(published: Disassociated, forest: _Forest, rng: np.random.Generator) -> IntArray:
    """Return the record of each piece; those of shared chunks are still without one (-1)."""
    slots = np.full(len(published.pieces), -1, dtype=np.int64)
    own = np.flatnonzero(published.chunk_nodes < published.clusters)
    nodes = published.chunk_nodes[own]
    room, wanted = published.sizes[nodes], np.diff(published.chunk_starts)[own]
    if (wanted > room).any():
        raise DataError("a chunk has more pieces than its cluster has records; no data can lie behind it")
    # Of each chunk's records, a random choice: the first ones in a random order.
    chunk = np.repeat(np.arange(len(own)), room)
    order = np.lexsort((rng.random(len(chunk)), chunk))
    rank = np.arange(len(chunk)) - np.repeat(np.cumsum(room) - room, room)
    drawn = order - np.repeat(np.cumsum(room) - room, room) + np.repeat(forest.begin[nodes], room)
    taken = rank < wanted[chunk]
    begins = np.repeat(published.chunk_starts[:-1][own], room)
    slots[(begins + rank)[taken]] = drawn[taken]
    return slots


def _share_pieces(published: Disassociated, forest: _Forest, slots: IntArray, rng: np.random.Generator) -> None:
    """Put the pieces of shared chunks into records below, from the lowest joint clusters up."""
    shared = np.flatnonzero(published.chunk_nodes >= published.clusters)
    holders = _Holders(published, forest)
    for chunk in shared[np.argsort(published.chunk_nodes[shared], kind="stable")].tolist():
        node = int(published.chunk_nodes[chunk])
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        below = range(int(forest.begin[node]), int(forest.end[node]))
        sets = [_items(published, piece) for piece in range(start, end)]
        closed = {item: holders.below(item, node) for one in set(sets) for item in one}
        slots[start:end] = _matched(sets, closed, below, rng)


class _Holders:
    """Which nodes have chunks that hold an item."""

    def __init__(self, published: Disassociated, forest: _Forest) -> None:
        width = len(published.parents)
        nodes = published.chunk_nodes[published.chunk_of_piece[published.pieces.records]]
        pairs = np.unique(published.pieces.codes.astype(np.int64) * width + nodes)
        items, nodes = pairs // width, pairs % width
        order = np.lexsort((forest.begin[nodes], items))
        self._nodes, self._forest = nodes[order], forest
        self._edges = np.searchsorted(items, np.arange(len(published.items) + 1))

    def below(self, item: int, top: int) -> list[range]:
        """Return the records below a node that hold an item through a chunk further down."""
        begin, end = self._forest.begin, self._forest.end
        nodes = self._nodes[self._edges[item] : self._edges[item + 1]]
        inside = nodes[slice(*np.searchsorted(begin[nodes], [begin[top], end[top]]))]
        return [range(int(begin[node]), int(end[node])) for node in inside[inside < top].tolist()]  # parents come later


def _items(published: Disassociated, piece: int) -> tuple[int, ...]:
    starts = published.pieces.starts
    return tuple(published.pieces.codes[starts[piece] : starts[piece + 1]].tolist())


def _matched(
    sets: list[tuple[int, ...]], closed: dict[int, list[range]], below: range, rng: np.random.Generator
) -> IntArray:
    """Return a record for each piece, no record twice, none that already has one of its items."""
    if len(sets) > len(below):
        raise DataError("a shared chunk has more pieces than there are records below; no data can lie behind it")
    if len(set(sets)) == 1 or not any(closed.values()):  # any record will do that is open to one of them
        open_to = below.start + rng.permutation(np.flatnonzero(_open(sets[0], closed, below)))
        if len(open_to) < len(sets):
            raise DataError(DOES_NOT_FIT)
        return np.asarray(open_to[: len(sets)], dtype=np.int64)
    from scipy.sparse import csr_array  # noqa: PLC0415  few releases need it
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    order = rng.permutation(len(below))
    rows = np.stack([_open(items, closed, below) for items in sets])
    found = maximum_bipartite_matching(csr_array(rows[:, order]), perm_type="column")
    if (found < 0).any():
        raise DataError(DOES_NOT_FIT)
    return np.asarray(below.start + order[found], dtype=np.int64)


def _open(items: tuple[int, ...], closed: dict[int, list[range]], below: range) -> BoolArray:
    """Say which records hold none of some items yet."""
    found = np.ones(len(below), dtype=np.bool_)
    for one in (one for item in items for one in closed[item]):
        found[one.start - below.start : one.stop - below.start] = False
    return found


@dataclass(frozen=True, eq=False)
class _Terms:
    """Records that get an item of a term chunk."""

    records: IntArray
    items: IntArray

    @classmethod
    def placed(
        cls, published: Disassociated, forest: _Forest, slots: IntArray, rng: np.random.Generator, most: int
    ) -> _Terms:
        """Put every item of a term chunk into records, empty ones first."""
        terms, leaf_of = published.terms, forest.leaf_of(published)
        counts = np.minimum(rng.integers(1, most + 1, len(terms.codes)), published.sizes[terms.records])
        term = np.repeat(np.arange(len(counts)), counts)
        is_more = np.arange(len(term)) > np.repeat(np.cumsum(counts) - counts, counts)
        # In each cluster every item comes once before any comes again; otherwise the order is random.
        term = term[np.lexsort((rng.random(len(term)), is_more, terms.records[term]))]
        leaf = terms.records[term]
        empty = np.flatnonzero(np.bincount(slots, minlength=len(published)) == 0)
        empty = empty[np.lexsort((rng.random(len(empty)), leaf_of[empty]))]
        edges = np.searchsorted(leaf_of[empty], np.arange(published.clusters + 1))
        place = edges[leaf] + _ranks(leaf)
        records = np.full(len(term), -1, dtype=np.int64)
        is_first = place < edges[leaf + 1]
        records[is_first] = empty[place[is_first]]
        begin, size = forest.begin[leaf], published.sizes[leaf]
        return cls(_apart(records, term, begin, size, rng), terms.codes[term].astype(np.int64))


def _ranks(groups: IntArray) -> IntArray:
    """Return the number of each member in its group; groups ascend."""
    return np.asarray(np.arange(len(groups)) - np.searchsorted(groups, groups))


def _apart(records: IntArray, term: IntArray, begin: IntArray, size: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw the records that are missing (-1), none twice for the same item of a term chunk."""
    missing = records < 0
    while missing.any():
        records[missing] = begin[missing] + rng.integers(0, size[missing])
        order = np.lexsort((missing, records, term))
        is_again = (np.diff(records[order], prepend=-1) == 0) & (np.diff(term[order], prepend=-1) == 0)
        missing = np.zeros(len(records), dtype=np.bool_)
        missing[order[is_again]] = True
    return records


def _filled(
    published: Disassociated, forest: _Forest, slots: IntArray, more: _Terms, rng: np.random.Generator
) -> _Terms:
    """Give every record that is still empty an item of the term chunk, or a piece of a record that has two."""
    held = np.bincount(np.concatenate([slots, more.records]), minlength=len(published))
    leaf_of, terms = forest.leaf_of(published), published.terms
    empty = np.flatnonzero(held == 0)
    has_terms = terms.sizes[leaf_of[empty]] > 0
    fed, leaf = empty[has_terms], leaf_of[empty[has_terms]]
    items = terms.codes[terms.starts[leaf] + rng.integers(0, terms.sizes[leaf])]
    _move_pieces(published, leaf_of, slots, held, rng.permutation(empty[~has_terms]), rng)
    return _Terms(np.concatenate([more.records, fed]), np.concatenate([more.items, items.astype(np.int64)]))


def _move_pieces(
    published: Disassociated,
    leaf_of: IntArray,
    slots: IntArray,
    held: IntArray,
    empty: IntArray,
    rng: np.random.Generator,
) -> None:
    """Move a piece of a record chunk into each empty record, from a record of its cluster that has another."""
    node = published.chunk_nodes[published.chunk_of_piece]
    by_leaf = np.argsort(node, kind="stable")
    begins = np.searchsorted(node[by_leaf], np.arange(published.clusters + 1))
    for record in empty.tolist():
        leaf = int(leaf_of[record])
        own = by_leaf[begins[leaf] : begins[leaf + 1]]
        movable = own[held[slots[own]] > 1]
        if not len(movable):
            raise DataError("a cluster has records for which nothing is left; no data was found that fits it")
        piece = int(rng.choice(movable))
        held[slots[piece]] -= 1
        held[record] += 1
        slots[piece] = record
