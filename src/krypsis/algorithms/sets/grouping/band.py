"""Band order: records that share items stand next to each other, and so do the items that they share."""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions import Transactions
from krypsis.kernels._jit import compiled


class RecordGraph(NamedTuple):
    """Vertex ``v`` is joined to ``neighbors[starts[v] : starts[v + 1]]``, those with the fewest neighbors first."""

    starts: IntArray
    neighbors: IntArray


@compiled
def walk_graph(graph: RecordGraph, beginnings: IntArray, order: IntArray) -> None:
    """Write all vertices in the order in which they are met, beginning at the first of ``beginnings`` not met yet.

    Each part of the graph is walked again from the far end of the walk before, as long as that leads farther: so the
    walk begins at an end of the part, and what follows each other in the order is near each other (George, Liu, 1979).
    """
    distances = np.full(len(order), -1)
    first = 0
    for vertex in beginnings:
        if distances[vertex] >= 0:
            continue
        farthest, begin = -1, vertex
        # Search for a pseudo-peripheral vertex: walk again from the far end as long as the walk gets longer.
        while True:
            end = walk_from(graph, begin, first, order, distances)
            if distances[order[end - 1]] <= farthest:
                break
            farthest, begin = distances[order[end - 1]], far_end(graph, order[first:end], distances)
            distances[order[first:end]] = -1
        first = end


@compiled
def walk_from(graph: RecordGraph, begin: int, first: int, order: IntArray, distances: IntArray) -> int:
    """Write what can be reached from a vertex, itself first, with the distances from it; return where it ends."""
    order[first], distances[begin] = begin, 0
    here, end = first, first + 1
    # Cuthill-McKee: breadth first; neighbors are listed by ascending degree, so they are met in that order.
    while here < end:
        vertex = order[here]
        here += 1
        for entry in range(graph.starts[vertex], graph.starts[vertex + 1]):
            neighbor = graph.neighbors[entry]
            if distances[neighbor] < 0:
                distances[neighbor] = distances[vertex] + 1
                order[end] = neighbor
                end += 1
    return end


@compiled
def far_end(graph: RecordGraph, walked: IntArray, distances: IntArray) -> int:
    """Return the vertex with the fewest neighbors of those farthest away, the first of equals."""
    found = walked[-1]
    for vertex in walked[::-1]:
        if distances[vertex] < distances[walked[-1]]:
            break
        fewer = count_neighbors(graph, vertex) - count_neighbors(graph, found)
        if fewer < 0 or (fewer == 0 and vertex < found):
            found = vertex
    return int(found)


@compiled
def count_neighbors(graph: RecordGraph, vertex: int) -> int:
    """Return how many neighbors a vertex has."""
    return int(graph.starts[vertex + 1] - graph.starts[vertex])


def band_order(transactions: Transactions) -> IntArray:
    """Return the records in an order in which neighbors have many items in common.

    Notes
    -----
    Reverse Cuthill-McKee on the graph whose vertices are records and items, each record joined to its items: two
    records are two steps apart where they share an item, so walking it in breadth visits records as in the graph of
    records that share items, whose edges are far too many to be written down. Of the neighbors of a vertex those with
    the fewest neighbors come first, of equals the first. Parts of the graph that are not joined follow each other;
    records without items stand last, in their order. Cost: sorting the items of all records twice.

    References
    ----------
    Cuthill, McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM National Conference 1969.

    Examples
    --------
    >>> band_order(Transactions.of_sets([["a"], ["x"], [], ["a", "b"], ["b"], ["x"]])).tolist()
    [1, 5, 0, 3, 4, 2]
    """
    records = len(transactions)
    order = np.empty(records + len(transactions.items), dtype=np.int64)
    sizes = np.concatenate([transactions.sizes, transactions.supports])
    walk_graph(_graph(transactions), np.argsort(sizes, kind="stable"), order)
    # Reverse Cuthill-McKee: the order backwards, records only.
    found = order[::-1][order[::-1] < records]
    has_items = transactions.sizes[found] > 0
    return np.concatenate([found[has_items], np.sort(found[~has_items])])


def _graph(transactions: Transactions) -> RecordGraph:
    """Return the graph of records and items; the items follow the records."""
    codes, records, total = transactions.codes, transactions.records, len(transactions)
    items = codes[np.lexsort((codes, transactions.supports[codes], records))] + np.int64(total)
    holders = records[np.lexsort((records, transactions.sizes[records], codes))]
    starts = np.concatenate([transactions.starts, len(codes) + np.cumsum(transactions.supports)])
    return RecordGraph(starts, np.concatenate([items, holders]))


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
