"""Top-K deviation: frequent sets that are no longer frequent."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.mining import top_itemsets
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.data.transactions.reconstruction import reconstruct
from krypsis.errors import UsageError
from krypsis.metrics.transactions.base import SetMetric

SOURCE = "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"


class TopSetsLost(SetMetric):
    """The share of the most frequent sets of items that are not among the most frequent of the release.

    Notes
    -----
    Sets of every size count. Of equally frequent ones the smaller comes first, then the one whose items come first;
    exactly ``top`` are compared, or all that occur in the original if they are fewer. Clusters are mined in data that
    could lie behind them, by the mean over ``reconstructions``; generalized items are other items than those they stand
    for.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"]])
    >>> after = Transactions.of_sets([["bread"], ["bread"], ["bread"], ["milk"], ["milk"]])
    >>> round(TopSetsLost(top=3).measure(before, after, None, np.random.default_rng(1)), 4)  # bread with milk
    0.3333
    """

    name: ClassVar[str] = "tkd"
    formula: ClassVar[str] = "1 - |top before ∩ top after| / |top before|"
    range: ClassVar[str] = "0 (all stay the most frequent) to 1 (none does)"
    sentence: ClassVar[str] = "the share of the most frequent sets of items that an analyst does not find any more"
    reference: ClassVar[str] = SOURCE
    reported: ClassVar[bool] = False

    top: int = Field(default=1000, ge=1, description="how many sets are compared")
    reconstructions: int = Field(default=1, ge=1, description="how often data behind clusters is drawn")

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return not isinstance(published, GroupedSets)

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        before = self._top(original, hierarchy)
        if not before:
            return 0.0
        after = [self._top(one, hierarchy) for one in self._data(published, rng)]
        return float(np.mean([1 - len(before & one) / len(before) for one in after]))

    def _top(self, transactions: Transactions, hierarchy: Hierarchy | None) -> set[frozenset[str]]:  # noqa: ARG002
        return set(top_itemsets(transactions, self.top).sets.sets())

    def _data(self, published: PublishedSets, rng: np.random.Generator) -> Iterator[Transactions]:
        """Yield data in which sets are counted."""
        if isinstance(published, GroupedSets):
            raise UsageError(f"{self.name} mines sets; those in groups are measured by group-by-kl")
        if isinstance(published, Transactions):
            yield published
            return
        for _ in range(self.reconstructions):
            yield reconstruct(published, rng)


class CertainTopSetsLost(TopSetsLost):
    """The same, where only sets count that stand together in a piece: what clusters reveal for certain.

    Notes
    -----
    An item that a term chunk lists is counted once for it.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["a", "b"], ["a", "b"]])
    >>> pieces, nothing = Transactions.of_sets([["a"], ["a"], ["b"], ["b"]]), Transactions.of_sets([[]])
    >>> clusters = Disassociated.of(pieces, [0, 2, 4], [0, 0], sizes=[2], parents=[-1], terms=nothing)
    >>> round(CertainTopSetsLost(top=3).measure(before, clusters, None, np.random.default_rng(1)), 4)
    0.3333
    """

    name: ClassVar[str] = "tkd-a"
    sentence: ClassVar[str] = "the share of the most frequent sets of items that the pieces do not show for certain"

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, Disassociated)

    def _data(self, published: PublishedSets, rng: np.random.Generator) -> Iterator[Transactions]:  # noqa: ARG002
        if not isinstance(published, Disassociated):
            raise UsageError(f"{self.name} measures pieces of sets in clusters, got {type(published).__name__}")
        pieces, terms = published.pieces, published.terms
        alone = len(pieces) + np.arange(len(terms.codes))  # a set of one item for each that is listed
        records = np.concatenate([pieces.records, alone])
        codes = np.concatenate([pieces.codes, terms.codes]).astype(np.int64)
        yield Transactions.of_pairs(records, codes, published.items, len(pieces) + len(alone))


class TopLevelSetsLost(TopSetsLost):
    """The same for sets of items of all levels of the hierarchy: what stands above an item is in its records too.

    Notes
    -----
    No set has both an item and something above it; what stands for all items is left out. A set is lost if it has an
    item below what is published.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> goods = Hierarchy.from_rows([[item, kind, "*"] for item, kind in zip("abcd", "XXYY")])
    >>> before = Transactions.of_sets([["a"], ["b"]])
    >>> after = before.generalized({"a": "X", "b": "X"})
    >>> round(TopLevelSetsLost().measure(before, after, goods, np.random.default_rng(1)), 4)  # X is left of X, a, b
    0.6667
    """

    name: ClassVar[str] = "tkd-ml2"
    sentence: ClassVar[str] = "the share of the most frequent sets of more or less general items that are not found"

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:
        return hierarchy is not None and super().applies_to(published, hierarchy)

    def _top(self, transactions: Transactions, hierarchy: Hierarchy | None) -> set[frozenset[str]]:
        if hierarchy is None:
            raise UsageError(f"{self.name} counts items of several levels; give the hierarchy of the items")
        return set(top_itemsets(transactions, self.top, hierarchy).sets.sets())
