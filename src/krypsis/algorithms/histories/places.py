"""Places for records in the slots of signatures, and who gets which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.ordering import order_of


@dataclass(frozen=True, eq=False)
class Places:
    """Places for records: the slot of each, and the sensitive value of the record that it is for."""

    slots: IntArray
    values: IntArray

    def counts(self, values: int) -> IntArray:
        """Return how many places there are for each value."""
        return np.bincount(self.values, minlength=values)

    def and_more(self, others: Places) -> Places:
        """Return these places and others."""
        return Places(np.concatenate([self.slots, others.slots]), np.concatenate([self.values, others.values]))

    def without(self, fewer: IntArray, rng: np.random.Generator) -> tuple[Places, Places]:
        """Return the places but for so many of each value, by chance; and those."""
        if not fewer.any():
            return self, Places(self.slots[:0], self.values[:0])
        shuffled = rng.permutation(len(self.slots))
        order = shuffled[order_of(self.values[shuffled])]
        values = self.values[order]
        taken = np.arange(len(order)) - np.searchsorted(values, values) < fewer[values]
        return (
            Places(self.slots[order[~taken]], values[~taken]),
            Places(self.slots[order[taken]], values[taken]),
        )

    def dealt_to(self, values: IntArray, rng: np.random.Generator) -> IntArray:
        """Return the slot of each record, by chance among those for its value; there are as many as records."""
        shuffled = rng.permutation(len(values))
        records = shuffled[order_of(values[shuffled])]
        slots = np.empty(len(values), dtype=np.int64)
        slots[records] = self.slots[order_of(self.values)]
        return slots
