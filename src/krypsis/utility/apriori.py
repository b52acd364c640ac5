"""Frequent combinations of labels and the association rules in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from krypsis.arrays import IntArray
from krypsis.datasets.dataset import Dataset
from krypsis.hierarchies.base import Label
from krypsis.utility.tables import labels

Item = tuple[str, Label]
"""A column and what a record has in it."""
Itemset = tuple[Item, ...]
Bits = npt.NDArray[np.uint8]
"""One bit per record: whether it has the items."""


@dataclass(frozen=True)
class Rule:
    """Records with the labels of the premise have that of the conclusion, mostly."""

    premise: Itemset
    conclusion: Item
    support: float
    """The share of all records that have premise and conclusion."""
    confidence: float
    """The share of the records with the premise that have the conclusion."""

    def __str__(self) -> str:
        premise = ", ".join(f"{column}={label}" for column, label in self.premise)
        return f"{premise} → {self.conclusion[0]}={self.conclusion[1]}"


class Baskets:
    """A table as sets of items."""

    def __init__(self, dataset: Dataset, columns: Sequence[str]) -> None:
        self._columns = {column: _Column.of(labels(dataset, column)) for column in columns}

    def count(self, items: Itemset) -> int:
        """Return how many records have all the items."""
        if any(label not in self._columns[column].code_of for column, label in items):
            return 0
        return _ones(np.bitwise_and.reduce([self._bits(item) for item in items]))

    def frequent(self, fewest: int, longest: int) -> dict[Itemset, int]:
        """Return the sets of up to ``longest`` items that at least ``fewest`` records have, with their numbers."""
        found: dict[Itemset, int] = {}
        items = [(name, label) for name, column in self._columns.items() for label in column.labels_with(fewest)]
        level: dict[Itemset, Bits] = {(item,): self._bits(item) for item in items}
        while level:
            found |= {items: _ones(bits) for items, bits in level.items()}
            longer = self._longer(level) if len(next(iter(level))) < longest else ()
            level = {items: bits for items, bits in longer if _ones(bits) >= fewest}
        return found

    def _bits(self, item: Item) -> Bits:
        column, label = item
        return np.packbits(self._columns[column].codes == self._columns[column].code_of[label])

    @staticmethod
    def _longer(level: Mapping[Itemset, Bits]) -> Iterator[tuple[Itemset, Bits]]:
        """Join sets that differ in their last item, as Apriori does; all smaller sets of a join must be frequent."""
        by_beginning: dict[Itemset, list[Itemset]] = {}
        for items in level:
            by_beginning.setdefault(items[:-1], []).append(items)
        for siblings in by_beginning.values():
            for one, other in combinations(siblings, 2):
                joined = (*one, other[-1])
                smaller = combinations(joined, len(one))
                if one[-1][0] != other[-1][0] and all(part in level for part in smaller):
                    yield joined, level[one] & level[other]


@dataclass(frozen=True, eq=False)
class _Column:
    codes: IntArray
    code_of: Mapping[Label, int]

    @classmethod
    def of(cls, values: Sequence[Label]) -> _Column:
        distinct = sorted(set(values), key=lambda label: (label is None, label or ""))
        code_of = {label: code for code, label in enumerate(distinct)}
        return cls(np.array([code_of[value] for value in values], dtype=np.int64), code_of)

    def labels_with(self, fewest: int) -> list[Label]:
        """Return the labels that at least so many records have."""
        counts = np.bincount(self.codes, minlength=len(self.code_of))
        return [label for label, code in self.code_of.items() if counts[code] >= fewest]


def rules_of(baskets: Baskets, rows: int, support: float, confidence: float, longest: int) -> list[Rule]:
    """Return the rules with enough support and confidence, the most confident first."""
    counted = baskets.frequent(max(_at_least(support, rows), 1), longest)
    rules = [
        Rule(premise, conclusion, count / rows, count / counted[premise])
        for items, count in counted.items()
        for conclusion in items
        if (premise := tuple(item for item in items if item != conclusion))
    ]
    chosen = [rule for rule in rules if rule.confidence >= confidence]
    return sorted(chosen, key=lambda rule: (-rule.confidence, -rule.support, str(rule)))


def _at_least(share: float, rows: int) -> int:
    """Return the smallest number of records that is a share of all; 0.07 of 100 is 7 although it computes to more."""
    return int(np.ceil(share * rows - 1e-9))


def _ones(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())
