"""Slots of signatures that may be published more generally than the values that people are bound to.

A signature has at most one node of a family, so the family of a record tells its slot, also where the record came when
the slot was published as a node above others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, NEW, Snapshot
from krypsis.algorithms.histories.division import Division
from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.filling import fillings_of
from krypsis.algorithms.histories.nodes import first_nodes, level_and_code
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.slots import filling_order, holes_of
from krypsis.arrays import IntArray
from krypsis.errors import DataError, shorten
from krypsis.hierarchies.base import Hierarchy


@dataclass(frozen=True, eq=False)
class GeneralSlots:
    """The slots of signatures by family.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> slots = GeneralSlots.of(families_of(disease, Fraction(1)), Signatures.of([[0, 2]]))  # flu and ulcer
    >>> slots.find(np.array([0, 0]), np.array([1, 2])).tolist()  # asthma is in the place of flu
    [0, 1]
    """

    families: Families
    signatures: Signatures

    @classmethod
    def of(cls, families: Families, signatures: Signatures) -> GeneralSlots:
        """Return the slots, after making sure that all nodes are of one family.

        Raises
        ------
        DataError
            if the hierarchy has changed so that a node is above several families.
        """
        if len(lost := np.unique(signatures.nodes[families.of_node[signatures.nodes] < 0])):
            levels, codes = level_and_code(families.taxonomy, lost)
            labels = [families.taxonomy.labels[level][code] for level, code in zip(levels, codes, strict=True)]
            raise DataError(
                f"records are bound to {shorten(map(repr, labels), 5)}, below which values may meet in the hierarchy "
                "as it is now; use the hierarchy of the earlier versions, which binds for ever"
            )
        return cls(families, signatures)

    def examples(self, numbers: IntArray) -> Signatures:
        """Return signatures with a value below each node instead of it."""
        taxonomy, some = self.families.taxonomy, self.signatures.only(numbers)
        below = np.zeros(int(first_nodes(taxonomy)[-1]), dtype=np.int64)
        below[first_nodes(taxonomy)[:-1, None] + taxonomy.table] = np.arange(len(taxonomy.values))
        return Signatures(some.starts, below[some.nodes])

    def find(self, signature: IntArray, values: IntArray) -> IntArray:
        """Return the slot of each record, given its signature and its value."""
        radix = len(self.families)
        known = self.signatures.owners * radix + self.families.of_node[self.signatures.nodes]
        order = np.argsort(known)
        wanted = signature * radix + self.families.of_value[values]
        places = np.searchsorted(known[order], wanted)
        found: IntArray = np.append(order, -1)[places]
        self._require_bound(values[np.append(known, -1)[found] != wanted])
        return found

    def divided(self, snapshot: Snapshot, slot: IntArray, nodes: IntArray) -> tuple[Division, IntArray]:
        """Return which new records fit which holes, and the slots of holes that none fits, one for each hole.

        ``slot`` is that of each record, ``LEFT_OUT`` for new ones; ``nodes`` are what the slots are published as.
        """
        old, new = snapshot.signature != NEW, snapshot.signature == NEW
        self._require_bound(_uncovered(snapshot.taxonomy, nodes[slot[old]], snapshot.values[old]))
        order = filling_order(self.signatures)
        holes = holes_of(self.signatures, slot[old])[order]
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        found = fillings_of(snapshot.taxonomy, nodes[order], holes, counts)
        filled = np.bincount(found.place, found.number, minlength=len(order)).astype(np.int64)
        division = Division(snapshot, slot, order[found.place], found.number, found.value, counts)
        return division, np.repeat(order, holes - filled)

    def placed(self, snapshot: Snapshot) -> IntArray:
        """Return the slot of each record that is bound, ``LEFT_OUT`` for new ones."""
        old = snapshot.signature != NEW
        slot = np.full(len(snapshot), LEFT_OUT)
        slot[old] = self.find(snapshot.signature[old], snapshot.values[old])
        return slot

    def _require_bound(self, strangers: IntArray) -> None:
        """Raise if there are values that are not below what their records are bound to."""
        if len(strangers):
            named = shorten([repr(self.families.taxonomy.values[value]) for value in np.unique(strangers).tolist()], 5)
            raise DataError(
                f"records with {named} are bound to more general values that are not above it in the hierarchy as it "
                "is now; use the hierarchy of the earlier versions, which binds for ever"
            )


def _uncovered(taxonomy: Hierarchy, nodes: IntArray, values: IntArray) -> IntArray:
    """Return the values of records that would be published as a node that is not above them."""
    levels, codes = level_and_code(taxonomy, nodes)
    found: IntArray = values[taxonomy.table[levels, values] != codes]
    return found
