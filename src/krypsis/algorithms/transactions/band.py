"""Band order: records that share items stand next to each other, and so do the items that they share."""

from __future__ import annotations

import numpy as np

from krypsis.groups import IntArray
from krypsis.transactions import Transactions


def band_order(transactions: Transactions) -> IntArray:
    """Return the records in an order in which neighbors have many items in common.

    Notes
    -----
    Reverse Cuthill-McKee on the graph whose vertices are records and items, each record joined to its items: two
    records are two steps apart where they share an item, so walking it in breadth visits records as in the graph of
    records that share items, whose edges are far too many to be written down. Parts of the graph that are not joined
    follow each other; records without items stand last, in their order.

    Examples
    --------
    >>> band_order(Transactions.of_sets([["a"], ["x"], [], ["a", "b"], ["b"], ["x"]])).tolist()
    [5, 1, 4, 3, 0, 2]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  takes long to load
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415

    records, width = len(transactions), len(transactions.items)
    if not len(transactions.codes):  # a graph without edges has no order
        return np.arange(records, dtype=np.int64)
    by_item = transactions.records[np.argsort(transactions.codes, kind="stable")]
    neighbors = np.concatenate([transactions.codes + records, by_item]).astype(np.int32)
    starts = np.concatenate([transactions.starts, len(by_item) + np.cumsum(transactions.supports)]).astype(np.int32)
    graph = csr_array((np.ones(len(neighbors), np.int8), neighbors, starts), shape=(records + width,) * 2)
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    order = order[order < records].astype(np.int64)
    has_items = transactions.sizes[order] > 0
    return np.concatenate([order[has_items], np.sort(order[~has_items])])


def column_order(transactions: Transactions, row_order: IntArray) -> IntArray:
    """Return the items by the last record that holds them, which is where the walk of the band order met them first.

    Items of no record stand first, equals in the order of the item table.

    Examples
    --------
    >>> column_order(Transactions.of_sets([["a", "b"], ["b"], ["b", "c"]]), np.array([2, 1, 0])).tolist()
    [2, 0, 1]
    """
    last = np.full(len(transactions.items), -1, dtype=np.int64)
    places = np.empty(len(row_order), dtype=np.int64)
    places[row_order] = np.arange(len(row_order))
    np.maximum.at(last, transactions.codes, places[transactions.records])
    return np.argsort(last, kind="stable")
