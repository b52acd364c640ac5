"""Constraint-based recoding, for comparison: items are united inside utility constraints, and left out otherwise.

After Loukides, Gkoulalas-Divanis, "Utility-aware anonymization of diagnosis codes", IEEE Journal of Biomedical and
Health Informatics 17(1), 2013 (CBA), and Loukides, Gkoulalas-Divanis, Malin, "COAT: constraint-based anonymization of
transactions", Knowledge and Information Systems 28(2), 2011. Our sources describe the idea and no algorithm: codes that
are wanted together may be told as one, the cheapest union first, and what then is still rare is suppressed. So it is
not offered as a method: nobody could say that its figures are those of CBA.
"""

import numpy as np

from krypsis.algorithms.sets.disassociation.disassociation import wanted_together
from krypsis.algorithms.sets.km.published_sets import find_rare_sets
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions

AT_ONCE = 5000
"""Rare sets that are looked for at a time; most of them are others once some are settled."""
GONE = -1

Sets = tuple[tuple[str, ...], ...]


def constrained(sets: Transactions, constraints: Sets, k: int, m: int) -> tuple[Transactions, Hierarchy]:
    """Return sets that keep k^m-anonymity, and which of the items each of their labels stands for.

    An item of several constraints belongs to the one that most records hold; an item of none stays by itself.
    """
    recoding = _Recoding(sets, constraints)
    for size in range(1, m + 1):
        while len(rare := recoding.rare(k, size)):
            for labels in rare:
                recoding.settle([label for label in labels.tolist() if label != GONE], k)
    return recoding.published()


class _Recoding:
    """Which items are told as one, while rare sets are settled; a label is the number of one of its items."""

    def __init__(self, sets: Transactions, constraints: Sets) -> None:
        home = wanted_together(sets, constraints).home.astype(np.int64)
        self.sets = sets
        self.home = np.where(home >= 0, home, len(constraints) + np.arange(len(home)))
        self.label_of = np.arange(len(sets.items))
        self.holders: BoolArray = np.zeros((len(sets.items), len(sets)), dtype=np.bool_)
        self.holders[sets.codes, sets.records] = True

    def rare(self, k: int, m: int) -> IntArray:
        """Return some sets of labels that are rare, one per row."""
        told = self._told()
        order = np.argsort(told.supports, kind="stable")
        rank = np.argsort(order)
        codes = rank[told.codes]
        codes = codes[np.lexsort((codes, told.records))]
        nobody = np.zeros(len(told), dtype=np.bool_)
        found = find_rare_sets(codes, told.starts, len(order), k, m, len(order), AT_ONCE, nobody)
        return np.where(found >= 0, order[found], GONE)

    def settle(self, labels: list[int], k: int) -> None:
        """Unite labels with others of their constraints, the cheapest first, or leave one out that is held least."""
        if any(self.label_of[label] != label for label in labels):  # it is another set by now
            return
        while 0 < self._support([self.holders[label] for label in labels]) < k:
            if self._support([self._all_wanted_with(label) for label in labels]) < k:
                self._leave_out(min(labels, key=lambda label: int(self.holders[label].sum())))
                return
            _, label, other = min(self._unions(labels))
            self._unite(label, other)
            labels = sorted({label if one == other else one for one in labels})

    def published(self) -> tuple[Transactions, Hierarchy]:
        """Return the sets as they are told, and the items of every label."""
        names = np.array(self.sets.items, dtype=object)
        labels = list(names)
        for label in np.unique(self.label_of[self.label_of >= 0]).tolist():
            members = np.flatnonzero(self.label_of == label)
            for item in members.tolist():
                labels[item] = " or ".join(names[members])
        kept = self.label_of != GONE
        left = self.sets.without(names[~kept].tolist())
        told_as = dict(zip(names[kept], np.array(labels, dtype=object)[kept], strict=True))
        return left.generalized(told_as), Hierarchy.from_columns([list(names), labels, ["*"] * len(names)])

    def _told(self) -> Transactions:
        label, records = self.label_of[self.sets.codes], self.sets.records
        kept = label != GONE
        return Transactions.of_pairs(records[kept], label[kept], self.sets.items, len(self.sets))

    @staticmethod
    def _support(holders: list[BoolArray]) -> int:
        return int(np.logical_and.reduce(holders).sum())

    def _partners(self, label: int) -> list[int]:
        """Return the labels of the same constraint, with the label itself."""
        found = np.unique(self.label_of[self.home == self.home[label]])
        return found[found != GONE].tolist()

    def _all_wanted_with(self, label: int) -> BoolArray:
        return np.logical_or.reduce(self.holders[self._partners(label)])

    def _unions(self, labels: list[int]) -> list[tuple[float, int, int]]:
        """Return what uniting each label with each partner costs, by the certainty penalty of sets."""
        found = []
        for label in labels:
            for other in self._partners(label):
                if other != label:
                    both = np.isin(self.label_of, (label, other))
                    added = self._penalty(both) - self._penalty(self.label_of == label)
                    found.append((added - self._penalty(self.label_of == other), label, other))
        return found

    def _penalty(self, members: BoolArray) -> float:
        """Return the occurrences of items times their number, nothing for an item by itself."""
        size = int(members.sum())
        return float(self.sets.supports[members].sum() * size) if size > 1 else 0.0

    def _unite(self, label: int, other: int) -> None:
        self.label_of[self.label_of == other] = label
        self.holders[label] |= self.holders[other]

    def _leave_out(self, label: int) -> None:
        self.label_of[self.label_of == label] = GONE
