"""Utility policies: which sets of items are wanted together, listed or found by a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil

import numpy as np

from krypsis.algorithms.sets.disassociation.horizontal_kernels import Together
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.mining import frequent_itemsets
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.specs import sets_of

Sets = tuple[tuple[str, ...], ...]

POLICY = re.compile(r"\s*(hierarchy\s+level|similarity|frequency)\s+(\d+(?:\.\d+)?)\s*(%?)\s*", re.IGNORECASE)
EXAMPLES = "'hierarchy level 1', 'similarity 10', 'frequency 0.625%' or sets of items"


def read_policy(given: object) -> object:
    """Return a rule in its usual spelling, or the sets in a text such as ``"a,b","c,d"``; all else as it is.

    Examples
    --------
    >>> read_policy("Hierarchy  level 1"), read_policy('"a,b",c')
    ('hierarchy level 1', (('a', 'b'), ('c',)))
    """
    if not isinstance(given, str):
        return given
    if found := POLICY.fullmatch(given):
        return _usual(*found.groups())
    return sets_of(given)


def _usual(rule: str, number: str, percent: str) -> str:
    words = " ".join(rule.lower().split())
    if (words == "frequency") != bool(percent):
        raise ValueError(f"expected {EXAMPLES}")
    if words != "frequency" and not (number.isdigit() and int(number)):
        raise ValueError(f"{words} needs a whole number of at least 1")
    if words == "frequency" and not 0 < float(number) <= 100:
        raise ValueError("frequency needs a share of more than 0% and at most 100%")
    return f"{words} {number}{percent}"


def wanted_sets(policy: str | Sets, transactions: Transactions, hierarchy: Hierarchy | None) -> Sets:
    """Return the sets of items that a policy wants together.

    Raises
    ------
    UsageError
        if the policy is about a hierarchy and there is none, or too low a one; or none of the listed items occurs.
    """
    if not isinstance(policy, str):
        return _listed(policy, transactions)
    rule, number = policy.rsplit(" ", 1)
    if rule == "frequency":
        return _frequent(transactions, float(number.rstrip("%")) / 100)
    if hierarchy is None:
        raise UsageError(f"the constraints {policy!r} follow the hierarchy of the items; give one for the items")
    if rule == "similarity":
        return tuple(_similar(hierarchy, int(number)))
    return _below_nodes(hierarchy, int(number))


def _listed(sets: Sets, transactions: Transactions) -> Sets:
    known = set(transactions.items)
    if sets and not any(item in known for one in sets for item in one):
        raise UsageError(
            f"none of the items in the constraints occurs in the records, such as {sets[0][0]!r}; items are such as "
            f"{', '.join(map(repr, transactions.items[:3]))}"
        )
    return sets


def _below_nodes(hierarchy: Hierarchy, level: int) -> Sets:
    """Return for each node of a level the items below it."""
    if level > hierarchy.height:
        raise UsageError(f"the hierarchy of the items has levels 1 to {hierarchy.height}, got level {level}")
    # Hierarchy policy: one constraint per node of the level, with all codes below it.
    values = np.array(hierarchy.values, dtype=object)
    nodes = hierarchy.table[level]
    return tuple(tuple(map(str, values[nodes == node])) for node in range(int(nodes.max()) + 1))


def _similar(hierarchy: Hierarchy, size: int) -> Iterator[tuple[str, ...]]:
    """Yield sets of siblings: the next ones below each node, and what is left over with siblings one level higher."""
    left = np.array(sorted(range(len(hierarchy.values)), key=lambda code: str(hierarchy.values[code])), dtype=np.int64)
    # Similarity policy: constraints of so many siblings; what is left over looks for siblings one level higher.
    for level in range(1, max(hierarchy.height, 2)):
        kept: list[IntArray] = []
        for node in np.unique(hierarchy.table[level]).tolist():
            siblings = left[hierarchy.table[level][left] == node]
            whole = len(siblings) // size * size
            for run in siblings[:whole].reshape(-1, size):
                yield tuple(str(hierarchy.values[code]) for code in run)
            kept.append(siblings[whole:])
        left = np.concatenate(kept)


def _frequent(transactions: Transactions, share: float) -> Sets:
    """Return the frequent sets of at least two items; of equally frequent ones the largest first."""
    # Frequency policy: the frequent itemsets are the constraints.
    found = frequent_itemsets(transactions, max(1, ceil(share * len(transactions) - 1e-9)))
    several = np.flatnonzero(found.sets.sizes >= 2)
    order = several[np.lexsort((-found.sets.sizes[several], -found.supports[several]))]
    return tuple(tuple(sorted(one)) for one in found.sets.taken(order).sets())


def wanted_together(transactions: Transactions, constraints: Sequence[Iterable[str]]) -> Together:
    """Return sets of items as numbers; items that do not occur are left out.

    Of several sets that an item is in, it belongs to the one that most records hold as a whole; of equally frequent
    ones to the first.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["a", "b", "c"], ["b", "c"]])
    >>> wanted_together(baskets, [["a", "b"], ["b", "c", "z"]]).home.tolist()
    [0, 1, 1]
    """
    code_of = {item: code for code, item in enumerate(transactions.items)}
    sets = [sorted({code_of[item] for item in one if item in code_of}) for one in constraints]
    sets = [one for one in sets if one]
    starts = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    members = np.array([code for one in sets for code in one], dtype=np.int32)
    number = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(starts))
    order = np.argsort(members, kind="stable")
    first = np.searchsorted(members[order], np.arange(len(transactions.items) + 1)).astype(np.int64)
    home = _homes(len(transactions.items), first, number[order], _supports(transactions, starts, number[order], first))
    return Together(starts, members, home, first, number[order])


def _supports(transactions: Transactions, starts: IntArray, sets: CodeArray, first: IntArray) -> IntArray:
    """Return how many records hold each set as a whole, from the sets that each occurrence belongs to."""
    room = np.diff(first)[transactions.codes]
    places = np.repeat(first[transactions.codes] - np.cumsum(room) + room, room) + np.arange(room.sum())
    pairs = np.repeat(transactions.records, room) * np.int64(max(len(starts) - 1, 1)) + sets[places]
    keys, held = np.unique(pairs, return_counts=True)
    number = keys % max(len(starts) - 1, 1)
    whole = held == np.diff(starts)[number] if len(keys) else np.zeros(0, dtype=np.bool_)
    return np.bincount(number[whole], minlength=len(starts) - 1).astype(np.int64)


def _homes(items: int, first: IntArray, sets: CodeArray, supports: IntArray) -> CodeArray:
    home = np.full(items, -1, dtype=np.int32)
    owner = np.repeat(np.arange(items), np.diff(first))
    # Constraints may overlap; "the constraint of a code" is that of largest support, of equals the first listed.
    best_last = np.lexsort((-sets, supports[sets], owner))  # the best set of each item comes last and is written last
    home[owner[best_last]] = sets[best_last]
    return home
