"""Questions that analysts ask: sets of items of which they count the records."""

from __future__ import annotations

from math import ceil
from typing import Literal

import numpy as np

from krypsis.data.mining import frequent_itemsets
from krypsis.data.transactions import Transactions

Sets = tuple[tuple[str, ...], ...]
Workload = Literal["random_1_4", "random_1000", "frequent_p"]

LARGEST = 4
"""Items in the largest random set."""


def questions(
    workload: Workload, original: Transactions, number: int, support: float, rng: np.random.Generator
) -> Sets:
    """Return the sets of a workload; those drawn at random are of items that occur.

    ``random_1_4`` draws an item, adds another, and so on up to four: a quarter of the sets has each size.
    ``random_1000`` draws each set by itself, of one to four items. ``frequent_p`` are the sets that at least
    ``support`` percent of the records hold, the most frequent ``number`` of them.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"]])
    >>> questions("frequent_p", baskets, 10, 50, np.random.default_rng(1))
    (('bread',), ('milk',), ('bread', 'milk'))
    """
    if workload == "frequent_p":
        found = frequent_itemsets(original, max(1, ceil(support / 100 * len(original) - 1e-9)))
        return tuple(tuple(sorted(one)) for one in found.sets.taken(np.arange(min(number, len(found)))).sets())
    items = [original.items[code] for code in np.flatnonzero(original.supports).tolist()]
    drawn = _growing(items, number, rng) if workload == "random_1_4" else _single(items, number, rng)
    return tuple(drawn)


def _growing(items: list[str], number: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Return sets of which each has one item more than the one before, and begin anew after the largest."""
    largest = min(LARGEST, len(items))
    found: list[tuple[str, ...]] = []
    while items and len(found) < number:
        chosen = tuple(items[place] for place in rng.choice(len(items), largest, replace=False).tolist())
        found += [chosen[:size] for size in range(1, largest + 1)]
    return found[:number]


def _single(items: list[str], number: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    if not items:
        return []
    sizes = rng.integers(1, min(LARGEST, len(items)) + 1, number).tolist()
    return [tuple(items[place] for place in rng.choice(len(items), size, replace=False).tolist()) for size in sizes]
