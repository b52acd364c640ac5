"""How many records hold some items, as far as published sets show."""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar, Literal, Protocol

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.mining import frequent_itemsets
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.data.transactions.reconstruction import reconstruct
from krypsis.errors import HierarchyError, UsageError, shorten
from krypsis.metrics.transactions.base import SetMetric


class ItemCounts(Protocol):
    """Answers to how many records hold items."""

    def of_all(self, items: Sequence[str]) -> float:
        """Return how many records hold all of these items, each named once."""

    def of_any(self, items: Sequence[str]) -> float:
        """Return how many records hold at least one of these items."""


class SetCounts:
    """What sets show, perhaps of generalized items: the expected number of records.

    A label that stands for ``s`` items is taken for any ``j`` of them with a chance of one in all choices of ``j`` out
    of ``s``. A record that shows an item in several ways is taken by the most exact one.

    Examples
    --------
    >>> goods = Hierarchy.from_rows([[item, kind, "*"] for item, kind in zip("abcd", "XXYY")])
    >>> counts = SetCounts(Transactions.of_sets([["X", "c"], ["X"]]), goods)
    >>> counts.of_all(["a"]), counts.of_all(["a", "c"]), counts.of_all(["a", "b"]), counts.of_any(["a", "c"])
    (1.0, 0.5, 2.0, 1.5)
    """

    def __init__(self, published_sets: Transactions, hierarchy: Hierarchy | None = None) -> None:
        self._records = published_sets.records[np.argsort(published_sets.codes, kind="stable")]
        self._ends = np.concatenate([[0], np.cumsum(published_sets.supports)])
        self._size = len(published_sets)
        self._labels = _paths(published_sets.items, hierarchy)
        self._room = np.zeros(len(published_sets.items), dtype=np.int64)
        for labels in self._labels.values():
            self._room[labels] += 1
        if hierarchy is not None and (self._room == 0).any():
            strangers = [published_sets.items[code] for code in np.flatnonzero(self._room == 0).tolist()]
            raise HierarchyError(
                f"the hierarchy of the items lacks {shorten(map(repr, strangers), 5)}; give the one that the items "
                "were generalized with"
            )

    def of_all(self, items: Sequence[str]) -> float:
        """Return the expected number of records that hold all of these items."""
        records, labels = self._records_with(items[0])
        columns = [labels]
        for item in items[1:]:
            others, more = self._records_with(item)
            records, left, right = np.intersect1d(records, others, assume_unique=True, return_indices=True)
            columns = [*(column[left] for column in columns), more[right]]
        return float(self._chances(columns).sum())

    def of_any(self, items: Sequence[str]) -> float:
        """Return the expected number of records that hold at least one of these items."""
        meant = np.zeros(len(self._room), dtype=np.int64)
        for item in items:
            meant[self._labels.get(item, [])] += 1
        without = np.ones(self._size)
        for label in np.flatnonzero(meant).tolist():
            without[self._holders(label)] *= 1 - meant[label] / self._room[label]
        return float((1 - without).sum())

    def _holders(self, label: int) -> IntArray:
        return self._records[self._ends[label] : self._ends[label + 1]]

    def _records_with(self, item: str) -> tuple[IntArray, IntArray]:
        """Return the records that may hold an item, ascending, and the most exact label by which each shows it."""
        labels = self._labels.get(item, [])
        records = np.concatenate([np.zeros(0, dtype=np.int64), *(self._holders(label) for label in labels)])
        names = np.repeat(labels, [len(self._holders(label)) for label in labels]).astype(np.int64)
        found, first = np.unique(records, return_index=True)
        return found, names[first]

    def _chances(self, columns: Sequence[IntArray]) -> FloatArray:
        """Return for each record the chance that its labels stand for the items they are taken for."""
        chance = np.ones(len(columns[0]))
        for place, labels in enumerate(columns):
            same = np.sum([labels == other for other in columns[:place]], axis=0, dtype=np.int64, initial=0)
            chance *= (same + 1) / (self._room[labels] - same)  # one in all choices of one item more
        return chance


def _paths(labels: Sequence[str], hierarchy: Hierarchy | None) -> dict[str, list[int]]:
    """Return for each item the labels that may stand for it, the most exact first."""
    code_of = {label: code for code, label in enumerate(labels)}
    if hierarchy is None:
        return {label: [code] for label, code in code_of.items()}
    rows = (dict.fromkeys(str(label) for label in row) for row in hierarchy.rows())
    return {next(iter(row)): [code_of[label] for label in row if label in code_of] for row in rows}


class MeanCounts:
    """The mean of several answers."""

    def __init__(self, parts: Sequence[ItemCounts]) -> None:
        self._parts = parts

    def of_all(self, items: Sequence[str]) -> float:
        """Return the mean number of records that hold all of these items."""
        return float(np.mean([part.of_all(items) for part in self._parts]))

    def of_any(self, items: Sequence[str]) -> float:
        """Return the mean number of records that hold at least one of these items."""
        return float(np.mean([part.of_any(items) for part in self._parts]))


def counts_of(
    published: PublishedSets, hierarchy: Hierarchy | None, rng: np.random.Generator, reconstructions: int
) -> ItemCounts:
    """Return what published sets show: sets by themselves, clusters by data that could lie behind them."""
    if isinstance(published, Transactions):
        return SetCounts(published, hierarchy)
    if isinstance(published, Disassociated):
        return MeanCounts([SetCounts(reconstruct(published, rng)) for _ in range(reconstructions)])
    raise UsageError("the items of sets in groups are published as they were; measure them by group-by-kl")


def check_sets(sets: Sequence[Sequence[str]], what: str) -> None:
    """Refuse sets that are empty or name an item twice; an item that nobody holds is in no record."""
    for one in sets:
        if not one or len(set(one)) < len(one):
            raise UsageError(f"the {what} must name at least one item each, and no item twice; got {list(one)}")


class CountMetric(SetMetric):
    """A figure of how far counts of records go wrong, asked of sets, or of data that could lie behind clusters."""

    reference: ClassVar[str] = (
        "Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, Disassociation for electronic health record privacy, "
        "Journal of Biomedical Informatics 50, 2014"
    )
    reported: ClassVar[bool] = False

    reconstructions: int = Field(default=1, ge=1, description="how often data behind clusters is drawn")

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return not isinstance(published, GroupedSets)

    def counts(self, published: PublishedSets, hierarchy: Hierarchy | None, rng: np.random.Generator) -> ItemCounts:
        """Return what the release reveals."""
        return counts_of(published, hierarchy, rng, self.reconstructions)


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
