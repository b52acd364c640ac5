"""Three ways to form balanced buckets of new records, given how many records each family has."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np

from krypsis.algorithms.histories.assignment import assign
from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.subtrees import subtrees
from krypsis.arrays import IntArray

Strategy = Literal["sub-trees", "whole", "anatomize"]


def buckets_of(families: Families, counts: IntArray, m: int, strategy: Strategy) -> tuple[Signatures, IntArray]:
    """Return buckets: their families, and how many records of each family they take.

    ``whole`` forms buckets as m-invariance does, ``sub-trees`` does so in every part of the hierarchy that can stand
    by itself, ``anatomize`` deals the records out to the smallest groups of all.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> tree = Hierarchy.from_rows([["a1", "A", "*"], ["b1", "B", "*"], ["a2", "A", "*"], ["b2", "B", "*"]])
    >>> families, counts = families_of(tree, Fraction(2)), np.array([2, 2, 2, 2])
    >>> [buckets_of(families, counts, 2, way)[0].nodes.tolist() for way in ("whole", "sub-trees")]
    [[0, 1, 2, 3], [0, 2, 1, 3]]
    """
    if strategy == "anatomize":
        return _dealt(counts, m)
    parts = subtrees(families, counts, m) if strategy == "sub-trees" else np.zeros(len(families), dtype=np.int64)
    sets: list[list[int]] = []
    taken: list[int] = []
    for part in np.unique(parts).tolist():
        found, depths = assign(np.where(parts == part, counts, 0), m)
        sets += [found.members(number).tolist() for number in range(len(found))]
        taken += depths.tolist()
    return Signatures.of(sets), np.array(taken, dtype=np.int64)


def _dealt(counts: IntArray, m: int) -> tuple[Signatures, IntArray]:
    """Return the groups of the records dealt out in the order of their families, the most frequent one first."""
    order = np.argsort(-counts, kind="stable")
    records = np.repeat(order, counts[order])
    groups = len(records) // m
    if not groups:
        return Signatures.none(), np.zeros(0, dtype=np.int64)
    found = Counter(tuple(sorted(records[group::groups].tolist())) for group in range(groups))
    return Signatures.of(found), np.array(list(found.values()), dtype=np.int64)
