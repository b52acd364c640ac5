"""What a hierarchy does to a column: how many values are left at each level, and how many records share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy, Label

EXAMPLES = 4


@dataclass(frozen=True)
class LevelEffect:
    """A column at one level of its hierarchy."""

    level: int
    distinct: int
    """How many different values are left."""
    smallest: int
    """How many records share the rarest of them."""
    alone: int
    """How many records have a value that no other record has."""
    examples: tuple[Label, ...]
    """The most frequent ones."""


def effects(hierarchy: Hierarchy, counts: Mapping[Label, int]) -> tuple[LevelEffect, ...]:
    """Return what is left of a column at each level.

    Parameters
    ----------
    hierarchy
        of the column; it holds all its values, and may hold more.
    counts
        how many records have each value.

    Examples
    --------
    >>> age = Hierarchy.from_rows([["31", "[30-35)", "*"], ["33", "[30-35)", "*"], ["38", "[35-40)", "*"]])
    >>> [(one.distinct, one.smallest, one.alone) for one in effects(age, {"31": 1, "33": 1, "38": 4})]
    [(3, 1, 2), (2, 2, 0), (1, 6, 0)]
    """
    codes = np.array([hierarchy.code_of[value] for value in counts], dtype=np.int64)
    weights = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return tuple(_effect(hierarchy, level, codes, weights) for level in range(hierarchy.height + 1))


def _effect(
    hierarchy: Hierarchy, level: int, codes: np.ndarray[tuple[int], np.dtype[np.int64]], weights: np.ndarray
) -> LevelEffect:
    labels = hierarchy.labels[level]
    # Counts of records stay exact as floating point numbers far beyond any table.
    records = np.bincount(hierarchy.table[level, codes], weights, minlength=len(labels)).astype(np.int64)
    there = np.flatnonzero(records)
    frequent = there[np.argsort(-records[there], kind="stable")][:EXAMPLES]
    return LevelEffect(
        level=level,
        distinct=len(there),
        smallest=int(records[there].min(initial=int(weights.sum()))),
        alone=int((records == 1).sum()),
        examples=tuple(labels[code] for code in frequent.tolist()),
    )
