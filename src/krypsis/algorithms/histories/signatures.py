"""Signatures: sets of sensitive values that somebody is among, in this release and in all later ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.ordering import order_of
from krypsis.errors import InternalError
from krypsis.kernels.rows import number_rows


@dataclass(frozen=True, eq=False)
class Signatures:
    """Different sets of nodes of the sensitive attribute's hierarchy, by number.

    Signature ``i`` holds ``nodes[starts[i] : starts[i + 1]]`` in ascending order. A node is numbered as
    :mod:`krypsis.algorithms.histories.families` says, so a value that is not generalized is its code.

    Examples
    --------
    >>> signatures = Signatures.of([[0, 2], [1, 2, 3]])
    >>> len(signatures), signatures.sizes.tolist(), signatures.members(1).tolist()
    (2, [2, 3], [1, 2, 3])
    """

    starts: IntArray
    nodes: IntArray

    @classmethod
    def of(cls, sets: Iterable[Iterable[int]]) -> "Signatures":
        """Return signatures with these nodes, in this order; each set is different from all others."""
        found = [sorted(set(nodes)) for nodes in sets]
        starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return cls(starts, np.array([node for nodes in found for node in nodes], dtype=np.int64))

    @classmethod
    def none(cls) -> "Signatures":
        """Return no signatures, as before the first release."""
        return cls.of([])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> IntArray:
        """The number of nodes of each signature."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> IntArray:
        """For each entry of ``nodes``, the signature that it belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def members(self, number: int) -> IntArray:
        """Return the nodes of one signature."""
        return self.nodes[self.starts[number] : self.starts[number + 1]]

    def joined(self, others: "Signatures") -> "tuple[Signatures, IntArray]":
        """Return these signatures and then those of the others that are new; and the number of each of the others.

        Examples
        --------
        >>> both, numbers = Signatures.of([[0, 2]]).joined(Signatures.of([[5, 6], [0, 2]]))
        >>> numbers.tolist(), both.members(1).tolist()
        ([1, 0], [5, 6])
        """
        starts = np.concatenate([self.starts, self.starts[-1] + others.starts[1:]])
        together = Signatures(starts, np.concatenate([self.nodes, others.nodes]))
        first = together.first_alike()
        kept = first == np.arange(len(first))
        numbers = (np.cumsum(kept) - 1)[first]
        return together.only(np.flatnonzero(kept)), numbers[len(self) :]

    def first_alike(self) -> IntArray:
        """Return for each set the number of the first one that is equal to it."""
        first = np.arange(len(self))
        radix = int(self.nodes.max(initial=0)) + 1
        for size in np.unique(self.sizes).tolist():
            rows = np.flatnonzero(self.sizes == size)
            columns = [self.nodes[self.starts[rows] + place].astype(np.int32) for place in range(size)]
            numbers, found = number_rows(columns, [radix] * size, len(rows))
            earliest = np.empty(len(found), dtype=np.int64)
            earliest[numbers[::-1]] = rows[::-1]
            first[rows] = earliest[numbers]
        return first

    def only(self, numbers: IntArray) -> "Signatures":
        """Return the signatures with these numbers, in this order.

        Examples
        --------
        >>> Signatures.of([[0, 2], [3, 4]]).only(np.array([1])).nodes.tolist()
        [3, 4]
        """
        sizes = self.sizes[numbers]
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        places = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes) + np.repeat(self.starts[numbers], sizes)
        return Signatures(starts, self.nodes[places])


def slot_of(signatures: Signatures, signature: IntArray, nodes: IntArray) -> IntArray:
    """Return the slot of each record, given its signature and the node that it takes there.

    Examples
    --------
    >>> slot_of(Signatures.of([[0, 2], [1, 2]]), np.array([1, 0]), np.array([2, 2])).tolist()
    [3, 1]
    """
    radix = int(max(signatures.nodes.max(initial=0), nodes.max(initial=0))) + 1
    known = signatures.owners * radix + signatures.nodes
    wanted = signature * radix + nodes
    places = np.searchsorted(known, wanted)
    if (places == len(known)).any() or (known[places] != wanted).any():
        raise InternalError("a record is bound to a signature without its value; please report this")
    return places


def holes_of(signatures: Signatures, slots: IntArray) -> IntArray:
    """Return how many records each slot lacks to be as full as the fullest of its signature.

    ``slots`` are those of the records that are there. A signature without records has no holes.

    Examples
    --------
    >>> holes_of(Signatures.of([[0, 2], [1, 2], [5, 6]]), np.array([0, 0, 3])).tolist()
    [0, 2, 1, 0, 0, 0]
    """
    filled = np.bincount(slots, minlength=len(signatures.nodes))
    if not len(signatures):
        return filled
    # need(v) = max_w |slot(w)| - |slot(v)|: what a bucket lacks to be balanced.
    highest = np.maximum.reduceat(filled, signatures.starts[:-1])
    holes: IntArray = highest[signatures.owners] - filled
    return holes


def filling_order(signatures: Signatures) -> IntArray:
    """Return the slots in the order in which holes are filled with new records.

    Small signatures come first: a counterfeit is a larger part of a small group. Of the same size, older ones do.

    Examples
    --------
    >>> filling_order(Signatures.of([[0, 2, 3], [1, 2]])).tolist()
    [3, 4, 0, 1, 2]
    """
    return np.lexsort((signatures.owners, signatures.sizes[signatures.owners]))


@dataclass(frozen=True, eq=False)
class RecordSlots:
    """Places for records: the slot of each, and the sensitive value of the record that it is for."""

    slots: IntArray
    values: IntArray

    def counts(self, values: int) -> IntArray:
        """Return how many places there are for each value."""
        return np.bincount(self.values, minlength=values)

    def and_more(self, others: "RecordSlots") -> "RecordSlots":
        """Return these places and others."""
        return RecordSlots(np.concatenate([self.slots, others.slots]), np.concatenate([self.values, others.values]))

    def without(self, fewer: IntArray, rng: np.random.Generator) -> "tuple[RecordSlots, RecordSlots]":
        """Return the places but for so many of each value, by chance; and those."""
        if not fewer.any():
            return self, RecordSlots(self.slots[:0], self.values[:0])
        shuffled = rng.permutation(len(self.slots))
        order = shuffled[order_of(self.values[shuffled])]
        values = self.values[order]
        taken = np.arange(len(order)) - np.searchsorted(values, values) < fewer[values]
        return (
            RecordSlots(self.slots[order[~taken]], values[~taken]),
            RecordSlots(self.slots[order[taken]], values[taken]),
        )

    def dealt_to(self, values: IntArray, rng: np.random.Generator) -> IntArray:
        """Return the slot of each record, by chance among those for its value; there are as many as records."""
        shuffled = rng.permutation(len(values))
        records = shuffled[order_of(values[shuffled])]
        slots = np.empty(len(values), dtype=np.int64)
        slots[records] = self.slots[order_of(self.values)]
        return slots
