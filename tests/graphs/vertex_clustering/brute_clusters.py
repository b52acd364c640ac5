"""Super-vertices found slowly: all partitions of the vertices, and their possible worlds by whole numbers."""

from collections import Counter
from itertools import combinations
from math import comb


def partitions(vertices: list[int], k: int):
    """Yield all partitions of vertices into groups of at least ``k``."""
    if not vertices:
        yield []
        return
    first, *rest = vertices
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            left = [vertex for vertex in rest if vertex not in others]
            for groups in partitions(left, k) if len(left) >= k or not left else ():
                yield [(first, *others), *groups]


def worlds(edges, groups) -> int:
    """The number of graphs that look the same when their vertices are grouped."""
    number = {vertex: place for place, group in enumerate(groups) for vertex in group}
    linked = Counter(tuple(sorted((number[one], number[two]))) for one, two in edges)
    product = 1
    for (one, two), count in linked.items():
        low, high = len(groups[one]), len(groups[two])
        product *= comb(low * (low - 1) // 2 if one == two else low * high, count)
    return product


def fewest_worlds(edges, vertices: int, k: int) -> int:
    return min(worlds(edges, groups) for groups in partitions(list(range(vertices)), k))


def groups_of(clusters) -> list[list[int]]:
    return [[v for v, number in enumerate(clusters) if number == group] for group in sorted(set(clusters))]
