"""Whether published clusters can come from any data at all: a release that no data fits promises nothing."""

from __future__ import annotations

import numpy as np

from krypsis.checker.chunk_structure import conflicting, items_of_chunks, met_above
from krypsis.transactions import Disassociated


def problems(published: Disassociated) -> list[str]:
    """Return what is wrong with the form of the clusters, in plain words; nothing where all is well.

    Examples
    --------
    >>> from krypsis.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"], ["flu"]]), Transactions.of_sets([[]])
    >>> problems(Disassociated.of(pieces, [0, 3], [0], sizes=[2], parents=[-1], terms=terms))
    ['a chunk has 3 pieces for 2 records']
    """
    found = [_twice(published), _in_term_chunk(published), _childless(published), _too_many_pieces(published)]
    return [problem for problem in (*found, _too_tight(published)) if problem]


def _twice(published: Disassociated) -> str:
    """Find an item in two chunks of a node, or in a record chunk and the term chunk of the same cluster."""
    width = max(len(published.items), 1)
    keys = published.chunk_items
    places = published.chunk_nodes[keys // width] * width + keys % width
    terms = published.terms.records * width + published.terms.codes
    if len(np.unique(places)) < len(places) or np.isin(terms, places).any():
        return "an item stands in two chunks of the same cluster"
    return ""


def _in_term_chunk(published: Disassociated) -> str:
    """Find an item of a shared chunk that has not left the term chunks below it."""
    width = max(len(published.items), 1)
    keys = published.chunk_items
    places = published.chunk_nodes[keys // width] * width + keys % width
    terms = published.terms
    if len(met_above(published, terms.records, terms.codes.astype(np.int64), places)):
        return "an item of a shared chunk also stands in a term chunk below it"
    return ""


def _childless(published: Disassociated) -> str:
    joint = np.arange(published.clusters, len(published.parents))
    return "" if np.isin(joint, published.parents).all() else "a joint cluster holds no other cluster"


def _too_many_pieces(published: Disassociated) -> str:
    pieces, records = np.diff(published.chunk_starts), published.below(published.sizes)[published.chunk_nodes]
    if not (over := np.flatnonzero(pieces > records)).size:
        return ""
    return f"a chunk has {pieces[over[0]]} pieces for {records[over[0]]} records"


def _too_tight(published: Disassociated) -> str:
    """Find pieces of a single item that cannot all have a record in clusters without the item elsewhere."""
    conflicts = conflicting(published) & (items_of_chunks(published) == 1)
    width = max(len(published.items), 1)
    keys = published.chunk_items
    chunk, item = keys // width, keys % width
    keys = keys[np.isin(item, item[conflicts[chunk]])]
    places = list(zip(published.chunk_nodes[keys // width].tolist(), (keys % width).tolist(), strict=True))
    chunk_at = dict(zip(places, (keys // width).tolist(), strict=True))
    records, taken = published.below(published.sizes), np.zeros(len(conflicts), dtype=np.int64)
    for node, one in places:
        # The records below count as taken at the nearest chunk above that holds the same item.
        above = int(published.parents[node])
        while above >= 0 and (above, one) not in chunk_at:
            above = int(published.parents[above])
        if above >= 0:
            taken[chunk_at[above, one]] += records[node]
    left = records[published.chunk_nodes] - taken
    is_tight = conflicts & (np.diff(published.chunk_starts) > left)
    return "a shared chunk has more pieces than there are records that may hold them" if is_tight.any() else ""
