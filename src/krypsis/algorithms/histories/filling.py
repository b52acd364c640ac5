"""Which new records can fill which holes, where a hole is published as a node that covers several values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.histories.nodes import level_and_code
from krypsis.arrays import IntArray
from krypsis.hierarchies.base import Hierarchy


@dataclass(frozen=True, eq=False)
class Fillings:
    """Records that fill holes: so many of a value go to a place. All of it can be done together."""

    place: IntArray
    value: IntArray
    number: IntArray


def fillings_of(taxonomy: Hierarchy, nodes: IntArray, holes: IntArray, counts: IntArray) -> Fillings:
    """Return fillings of as many holes as possible.

    Parameters
    ----------
    taxonomy
        the hierarchy of the sensitive attribute.
    nodes, holes
        of each place, the node that is published there, which a record fits that has a value below it, and how many
        records it lacks.
    counts
        ``counts[value]``: the new records.

    Notes
    -----
    The holes of special nodes are filled first, with whatever record fits. That is best: the values below two nodes are
    the same, or some of each other, or different ones, so whoever fits a special node fits all nodes above it as well.
    Of one node, the first places come first, and the most frequent values.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> found = fillings_of(disease, np.array([3, 0]), np.array([2, 1]), np.array([2, 2, 5]))  # lungs, flu
    >>> [found.place.tolist(), found.value.tolist(), found.number.tolist()]
    [[0, 1], [1, 0], [2, 1]]
    """
    left = counts.copy()
    levels, codes = level_and_code(taxonomy, nodes)
    parts = []
    for level in range(taxonomy.height + 1):
        places = np.flatnonzero((levels == level) & (holes > 0))
        if len(places):
            part = _matched(codes[places], holes[places], taxonomy.table[level], left)
            left = left - np.bincount(part.value, part.number, minlength=len(left)).astype(np.int64)
            parts.append(Fillings(places[part.place], part.value, part.number))
    return _in_order(parts)


def _matched(place_node: IntArray, holes: IntArray, value_node: IntArray, left: IntArray) -> Fillings:
    """Return fillings of places whose nodes are of one level: lay holes and records of each node side by side."""
    nodes = int(max(place_node.max(), value_node.max())) + 1
    both = np.minimum(np.bincount(place_node, holes, nodes), np.bincount(value_node, left, nodes)).astype(np.int64)
    by_place = np.argsort(place_node, kind="stable")
    by_value = np.lexsort((-left, value_node))
    place_ends = _ends(place_node[by_place], holes[by_place], both)
    value_ends = _ends(value_node[by_value], left[by_value], both)
    edges = np.unique(np.concatenate([[0], place_ends, value_ends]))
    place, value = np.searchsorted(place_ends, edges[1:]), np.searchsorted(value_ends, edges[1:])
    return Fillings(by_place[place], by_value[value], np.diff(edges))


def _ends(nodes: IntArray, numbers: IntArray, limits: IntArray) -> IntArray:
    """Return where each part ends if those of a node follow each other, cut at its limit, and nodes do as well."""
    before = np.cumsum(numbers) - numbers
    inside = before + numbers - before[np.searchsorted(nodes, nodes)]
    ends: IntArray = (np.cumsum(limits) - limits)[nodes] + np.minimum(inside, limits[nodes])
    return ends


def _in_order(parts: list[Fillings]) -> Fillings:
    """Return all fillings by place."""
    nothing = np.zeros(0, dtype=np.int64)
    place, value, number = (
        np.concatenate([nothing, *columns]).astype(np.int64)
        for columns in (
            [one.place for one in parts],
            [one.value for one in parts],
            [one.number for one in parts],
        )
    )
    order = np.argsort(place, kind="stable")
    return Fillings(place[order], value[order], number[order])
