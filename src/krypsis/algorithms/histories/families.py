"""Families: sensitive values so closely related that no two of them may meet in a group."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Literal, Protocol

import numpy as np

from krypsis.algorithms.histories.balance import Balance, BalanceDemand, Division, balance
from krypsis.algorithms.histories.base import WHERE_TO_SET, Ineligible, Snapshot
from krypsis.algorithms.histories.groups import assign
from krypsis.algorithms.histories.signatures import RecordSlots, Signatures, slot_of
from krypsis.algorithms.histories.splits import axes_of_snapshot, split
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import DataError, Infeasible, UsageError, shorten
from krypsis.models.correlation import LeafOrder


def first_nodes(hierarchy: Hierarchy) -> IntArray:
    """Return the number of the first node of each level, and the number of all nodes at the end.

    The node with the code ``c`` at level ``l`` is ``first_nodes(hierarchy)[l] + c``.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> first_nodes(disease).tolist()
    [0, 3, 5, 6]
    """
    return np.cumsum([0, *(len(labels) for labels in hierarchy.labels)], dtype=np.int64)


def level_and_code(hierarchy: Hierarchy, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the level and the code there of each node.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> [part.tolist() for part in level_and_code(disease, np.array([1, 4, 5]))]
    [[0, 1, 2], [1, 1, 0]]
    """
    first = first_nodes(hierarchy)
    levels = np.searchsorted(first, nodes, side="right") - 1
    return levels, nodes - first[levels]


@dataclass(frozen=True, eq=False)
class Families:
    """The families of a hierarchy: every value is below exactly one of these nodes."""

    taxonomy: Hierarchy
    nodes: IntArray
    """``nodes[family]``, as :mod:`krypsis.algorithms.histories.families` numbers them, in ascending order."""
    of_value: IntArray
    """``of_value[value]``: the family of a value."""

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def of_node(self) -> IntArray:
        """``of_node[node]``: the family of a node, -1 for one that is above several."""
        first, table = first_nodes(self.taxonomy), self.taxonomy.table
        found = np.full(int(first[-1]), -1)
        top = level_and_code(self.taxonomy, self.nodes)[0][self.of_value]
        for level, codes in enumerate(table):
            inside = level <= top
            found[first[level] + codes[inside]] = self.of_value[inside]
        return found

    @property
    def labels(self) -> list[Label]:
        """The text of each family."""
        levels, codes = level_and_code(self.taxonomy, self.nodes)
        pairs = zip(levels.tolist(), codes.tolist(), strict=True)
        return [self.taxonomy.labels[level][code] for level, code in pairs]

    def counts(self, values: IntArray) -> IntArray:
        """Return numbers by value, added up by family."""
        return np.bincount(self.of_value, values, minlength=len(self)).astype(np.int64)


def families_of(taxonomy: Hierarchy, e: Fraction) -> Families:
    """Return the families of a hierarchy: two values may meet in a group if and only if they are of different ones.

    Of every value this is the highest node above it with a correlation of more than ``e``, or the value itself.

    Notes
    -----
    The search is printed so that after each node it takes the leaves below that node's *parent* off its list; values
    below the other children are lost then. The leaves below the node itself are meant.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> families_of(disease, Fraction(1)).labels, families_of(disease, Fraction(3, 2)).labels
    (['lungs', 'stomach'], ['flu', 'asthma', 'stomach'])
    """
    if e < 1:
        raise UsageError(f"e must be at least 1, the correlation of values that have nothing in common; got {e}")
    related = LeafOrder(taxonomy)
    # A node of size below |S|/e: two values below it have a correlation of more than e.
    close = related.sizes < ceil(related.count / e)
    # gsa-nodes of all leaves at once: the highest node that is still that small, or else the leaf itself.
    levels = np.maximum(np.cumprod(close, axis=0).sum(axis=0) - 1, 0)
    places = np.arange(len(taxonomy.values))
    nodes, of_value = np.unique(first_nodes(taxonomy)[levels] + taxonomy.table[levels, places], return_inverse=True)
    return Families(taxonomy, nodes, of_value.astype(np.int64))


def subtrees(families: Families, counts: IntArray, m: int) -> IntArray:
    """Return for each family the node of the hierarchy whose records form groups with its own.

    The parts are as small as they can be: a node is cut into its children if the records below each of them, where
    there are any, are eligible by themselves. The sensitive values of a group are then as closely related as they may
    be, which shows more of the original table. Families without records go wherever their neighbors go.

    Notes
    -----
    It is printed as a search from the leaves up that, when it takes a node, drops the node's *children* from what it
    took before; parts deeper below would stay and overlap. All *descendants* are meant. Walking down from the top finds
    the same parts, level by level and without a list.

    Parameters
    ----------
    counts
        the records of each family, eligible as a whole.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> tree = Hierarchy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]])
    >>> families = families_of(tree, Fraction(2))
    >>> subtrees(families, np.array([3, 3, 1, 1]), 2).tolist(), subtrees(families, np.array([3, 2, 1, 1]), 2).tolist()
    ([4, 4, 5, 5], [6, 6, 6, 6])
    """
    ancestors = _ancestors(families)
    parts: IntArray = ancestors[-1]
    settled = np.zeros(len(families), dtype=np.bool_)
    # Sub-trees, top-down: rec(u) = the parts of its children if every child with records is eligible, else {u}.
    for children in ancestors[-2::-1]:
        refused = counts > 0
        refused &= ~_eligible(children, counts, m)
        settled |= np.isin(parts, parts[refused])
        parts = np.where(settled, parts, children)
    return parts


def _ancestors(families: Families) -> IntArray:
    """Return ``[level, family]``: the node above a family, the family itself at and below its own level."""
    table, first = families.taxonomy.table, first_nodes(families.taxonomy)
    example = np.zeros(len(families), dtype=np.int64)
    example[families.of_value] = np.arange(len(families.of_value))
    above: IntArray = np.maximum(first[:-1, None] + table[:, example], families.nodes)
    return above


def _eligible(nodes: IntArray, counts: IntArray, m: int) -> BoolArray:
    """Say for each family whether the records below its node can form groups."""
    _, numbers = np.unique(nodes, return_inverse=True)
    total = np.bincount(numbers, counts).astype(np.int64)
    most = np.zeros_like(total)
    np.maximum.at(most, numbers, counts)
    # Acceptance rule: every gsa-node x below u has |x| <= |u| / m.
    found: BoolArray = (most * m <= total)[numbers]
    return found


Strategy = Literal["sub-trees", "whole", "anatomize"]


def buckets_of(families: Families, counts: IntArray, m: int, strategy: Strategy) -> tuple[Signatures, IntArray]:
    """Return buckets: their families, and how many records of each family they take.

    ``whole`` forms buckets as m-invariance does, ``sub-trees`` does so in every part of the hierarchy that can stand
    by itself, ``anatomize`` deals the records out to the smallest groups of all.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.data.hierarchies.base import Hierarchy
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
    # The assignment of m-invariance in each sub-tree separately.
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


def groups_of_new(
    snapshot: Snapshot,
    families: Families,
    records: IntArray,
    values: IntArray,
    m: int,
    strategy: Strategy,
    rng: np.random.Generator,
) -> IntArray:
    """Return the group of each new record: ``m`` or more families each, of records that lie close together.

    ``values`` are those of the records, and then those of counterfeits that join them; while groups are looked for,
    these lie where some record does.
    """
    # Generalization: records are known by their gsa-node.
    family = families.of_value[values]
    counts = np.bincount(family, minlength=len(families))
    # Assignment with the gsa-node as sensitive value.
    buckets, depth = buckets_of(families, counts, m, strategy)
    many = depth[buckets.owners]
    room = RecordSlots(np.repeat(np.arange(len(buckets.nodes)), many), np.repeat(buckets.nodes, many))
    place = room.dealt_to(family, rng)
    codes = snapshot.codes[np.concatenate([records, rng.choice(records, len(values) - len(records))])]
    # gsa-split: the buckets are cut by perimeter.
    return split(axes_of_snapshot(snapshot), codes, buckets.owners[place], place)


def bound_to(past: Signatures, group: IntArray, nodes: IntArray) -> tuple[Signatures, IntArray]:
    """Return the signatures with those of new groups, and the slot of each record, given what is published of it.

    Examples
    --------
    >>> signatures, slots = bound_to(Signatures.none(), np.array([0, 0]), np.array([5, 2]))
    >>> signatures.members(0).tolist(), slots.tolist()
    ([2, 5], [1, 0])
    """
    order = np.lexsort((nodes, group))
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    signatures, numbers = past.joined(Signatures(starts, nodes[order]))
    return signatures, slot_of(signatures, numbers[group], nodes)


class Kinship(Protocol):
    """What a method must know of values that are related."""

    def balanced(self, division: Division, m: int, on_ineligible: Ineligible) -> Balance:
        """Return what becomes of the new records, or raise what is in the way."""

    def grouped(
        self, snapshot: Snapshot, records: IntArray, values: IntArray, m: int, rng: np.random.Generator
    ) -> IntArray:
        """Return the group of each new record, then of each counterfeit; ``values`` are those of both."""


@dataclass(frozen=True, eq=False)
class FamilyKinship:
    """Values of a hierarchy: those of a family must not meet."""

    families: Families
    assignment: Strategy

    def require_distinct_families(self, bound: Signatures) -> None:
        """Raise if people are bound to values that are one family by now: the hierarchy must have changed."""
        families = self.families
        keys = np.sort(bound.owners * len(families) + families.of_value[bound.nodes])
        if len(twice := keys[1:][keys[1:] == keys[:-1]]):
            labels = families.labels
            named = shorten([repr(labels[family]) for family in np.unique(twice % len(families)).tolist()], 5)
            raise DataError(
                f"records are bound to several values below {named}, which are too closely related in the hierarchy as "
                "it is now; use the hierarchy of the earlier versions, which binds for ever"
            )

    def balanced(self, division: Division, m: int, on_ineligible: Ineligible) -> Balance:
        """Return the balance with the fewest counterfeits, see :mod:`krypsis.algorithms.histories.balance`."""
        families = self.families
        need = BalanceDemand(division.holes, division.value_of, division.counts, families.of_value, len(families))
        try:
            return balance(need, m, on_ineligible)
        except Infeasible as error:
            raise _explained(error, division.snapshot, families) from None

    def grouped(
        self, snapshot: Snapshot, records: IntArray, values: IntArray, m: int, rng: np.random.Generator
    ) -> IntArray:
        """Return groups of one record per family that lie close together."""
        return groups_of_new(snapshot, self.families, records, values, m, self.assignment, rng)


def _explained(error: Infeasible, snapshot: Snapshot, families: Families) -> Infeasible:
    """Say which family is too frequent, in the words of the table."""
    found = error.closest
    if found["families"] < found["m"]:  # type: ignore[operator]
        return Infeasible(
            f"groups of {found['m']} values that are not closely related are wanted, and {snapshot.sensitive!r} has "
            f"only {found['families']} families of values that may meet; promise a smaller m or a larger e",
            found,
        )
    value = families.labels[int(found["family"])]  # type: ignore[call-overload]
    named = "a missing value" if value is None else repr(value)
    return Infeasible(
        f"{found['count']} of {found['new']} new records have {named} or a value below it as {snapshot.sensitive}, too "
        f"many for groups of {found['m']} values that are not closely related. Let some of them wait for a later "
        "version with on_ineligible=defer, add counterfeits with on_ineligible=counterfeits, or start a history with "
        f"a smaller m or a larger e. {WHERE_TO_SET}",
        {**found, "value": value},
    )
