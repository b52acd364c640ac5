"""Unites clusters that are too small with those whose items are most like theirs."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def unite_small(starts: IntArray, codes: CodeArray, width: int, edges: IntArray, least: int, block: int) -> IntArray:
    """Return for each cluster the one that it becomes a part of, itself if it stays.

    While a cluster has fewer than ``least`` records, the smallest (of equally small ones the first) is united with the
    one of the highest Jaccard similarity of items; of equally similar ones with the smaller, then the first. Partners
    are looked for among up to ``block`` neighbors, so the cost grows with the number of clusters and not its square.
    """
    clusters = len(edges) - 1
    becomes = np.arange(clusters)
    mark = np.zeros(width, dtype=np.int64)
    blocks = max(1, -(-clusters // block))
    stamp = 0
    for number in range(blocks):
        begin, end = clusters * number // blocks, clusters * (number + 1) // blocks
        stamp = _unite_block(starts, codes, edges, begin, end, least, becomes, mark, stamp)
    return becomes


@compiled
def _unite_block(
    starts: IntArray,
    codes: CodeArray,
    edges: IntArray,
    begin: int,
    end: int,
    least: int,
    becomes: IntArray,
    mark: IntArray,
    stamp: int,
) -> int:
    sizes = edges[begin + 1 : end + 1] - edges[begin:end]
    items = [np.unique(codes[starts[edges[one]] : starts[edges[one + 1]]]) for one in range(begin, end)]
    left = end - begin
    while left > 1:
        smallest = _smallest(sizes)
        if sizes[smallest] >= least:
            break
        stamp += 1
        for item in items[smallest]:
            mark[item] = stamp
        partner = _most_alike(smallest, sizes, items, mark, stamp)
        items[partner] = _united(items[partner], items[smallest], mark, stamp)
        sizes[partner] += sizes[smallest]
        sizes[smallest] = 0
        becomes[begin + smallest] = begin + partner
        left -= 1
    for one in range(begin, end):
        while becomes[becomes[one]] != becomes[one]:
            becomes[one] = becomes[becomes[one]]
    return stamp


@compiled
def _smallest(sizes: IntArray) -> int:
    found = -1
    for one in range(len(sizes)):
        if sizes[one] > 0 and (found < 0 or sizes[one] < sizes[found]):
            found = one
    return found


@compiled
def _most_alike(cluster: int, sizes: IntArray, items: list[CodeArray], mark: IntArray, stamp: int) -> int:
    """Return the cluster with the highest share of common items, compared as fractions so that ties are exact."""
    best, common, union = -1, 0, 1
    for other in range(len(sizes)):
        if sizes[other] == 0 or other == cluster:
            continue
        shared = 0
        for item in items[other]:
            if mark[item] == stamp:
                shared += 1
        whole = max(1, len(items[cluster]) + len(items[other]) - shared)
        ahead = shared * union - common * whole
        if best < 0 or ahead > 0 or (ahead == 0 and sizes[other] < sizes[best]):
            best, common, union = other, shared, whole
    return best


@compiled
def _united(items: CodeArray, others: CodeArray, mark: IntArray, stamp: int) -> CodeArray:
    shared = 0
    for item in items:
        if mark[item] == stamp:
            shared += 1
            mark[item] = 0
    union = np.empty(len(items) + len(others) - shared, dtype=np.int32)
    union[: len(items)] = items
    used = len(items)
    for item in others:
        if mark[item] == stamp:
            union[used] = item
            used += 1
    return union
