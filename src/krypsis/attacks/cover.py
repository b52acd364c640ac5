"""What pieces of disassociated sets give away where one item always comes with another."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.transactions import Disassociated


def covered_items(published: Disassociated) -> pl.DataFrame:
    """Return the items that never stand without another one in their chunk (the cover problem).

    All pieces of a chunk that hold the item ``known`` hold ``learned`` as well. Whoever knows that a person of that
    cluster holds the first knows the second, too: m known items count as more than m, for which nothing is promised.
    Found from what is published alone.

    Returns
    -------
    polars.DataFrame
        ``cluster``, the number of the simple or joint cluster; ``known`` and ``learned``; ``pieces``, how many hold
        both; ``probability``, with which a person of any cluster who holds ``known`` holds ``learned``, as far as
        pieces tell: the pieces of the whole release with both, by those with ``known`` and the term chunks that list
        it. Inside the cluster it is 1.

    Notes
    -----
    k records or more still hold both, so the promise of k^m-anonymity is kept; what is learned is another item, not who
    the person is. The papers describe items so tightly coupled; their own measure of the
    breach is another. Cost: linear in the pairs of items in pieces.

    References
    ----------
    Barakat, al Bouna, Nassar, Guyeux, "On the evaluation of the privacy breach in disassociated set-valued datasets",
    SECRYPT 2016. Awad, al Bouna, Couchot, Philippe, "Safe disassociation of set-valued datasets", 2019.

    Examples
    --------
    >>> from krypsis.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["aids", "clinic"]] * 2 + [["clinic"]] * 2), Transactions.of_sets([[]])
    >>> found = covered_items(Disassociated.of(pieces, [0, 4], [0], sizes=[4], parents=[-1], terms=terms))
    >>> found.rows()
    [(0, 'aids', 'clinic', 2, 1.0)]
    """
    width = max(len(published.items), 1)
    piece, known, learned = _pairs(published)
    chunk = published.chunk_of_piece[piece]
    pieces = published.pieces
    own, own_count = np.unique(published.chunk_of_piece[pieces.records] * width + pieces.codes, return_counts=True)
    place = np.searchsorted(own, chunk * width + known)
    pair, count = np.unique(place * width + learned, return_counts=True)
    is_covered = count == own_count[pair // width]
    first, second, count = own[pair // width] % width, pair % width, count[is_covered]
    node = published.chunk_nodes[own[pair // width] // width][is_covered]
    shares = _shares(published, known * width + learned, (first * width + second)[is_covered])
    names = np.array([*published.items, ""], dtype=object)
    return pl.DataFrame(
        {
            "cluster": node,
            "known": pl.Series(names[first[is_covered]].tolist(), dtype=pl.String),
            "learned": pl.Series(names[second[is_covered]].tolist(), dtype=pl.String),
            "pieces": count.astype(np.int64),
            "probability": shares,
        }
    ).sort("probability", "pieces", "known", "learned", "cluster", descending=[True, True, False, False, False])


def _pairs(published: Disassociated) -> tuple[IntArray, IntArray, IntArray]:
    """Return all pairs of different items that stand in one piece, in both orders: piece, item, other item."""
    pieces = published.pieces
    room = pieces.sizes[pieces.records]
    entry = np.repeat(np.arange(len(pieces.codes)), room)
    offset = np.arange(len(entry)) - np.repeat(np.cumsum(room) - room, room)
    other = pieces.starts[pieces.records[entry]] + offset
    apart = entry != other
    codes = pieces.codes.astype(np.int64)
    return pieces.records[entry[apart]], codes[entry[apart]], codes[other[apart]]


def _shares(published: Disassociated, together: IntArray, wanted: IntArray) -> list[float]:
    """Return for each wanted pair of items the share of all places that tell the first in which the second is told."""
    width = max(len(published.items), 1)
    pairs, counts = np.unique(together, return_counts=True)
    told = published.pieces.supports + published.terms.supports
    both = counts[np.searchsorted(pairs, wanted)]
    return [float(share) for share in both / told[wanted // width]]
