"""Relative error of pairs."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.counting import CountMetric, ItemCounts, SetCounts


class PairError(CountMetric):
    """How wrong the release is about how many records hold two items, averaged over pairs of items.

    Notes
    -----
    Items are ranked by how many records hold them, ties by name; the pairs are those of the items from ``first_rank``
    to ``last_rank``, counted from 0 and without the last. The error of a pair is ``|so - sp| / ((so + sp) / 2)``, with
    the number of records that hold both before and after. Pairs that occur neither before nor after are left out.

    Clusters are measured on data that could lie behind them, by the mean over ``reconstructions``. A generalized item
    stands for each of its items alike: ``A`` and ``B`` for ``s(A, B) / (|A| · |B|)`` records with a pair of them, ``A``
    alone for ``s(A)`` divided by its number of pairs.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    Of two records with bread and milk one is left: ``|2 - 1| / 1.5``.

    >>> before = Transactions.of_sets([["bread", "milk"], ["bread", "milk"]])
    >>> after = Transactions.of_sets([["bread", "milk"], ["bread"]])
    >>> round(PairError(first_rank=0, last_rank=2).measure(before, after, None, np.random.default_rng(1)), 4)
    0.6667
    """

    name: ClassVar[str] = "re"
    formula: ClassVar[str] = "mean over pairs of |so - sp| / ((so + sp) / 2)"
    range: ClassVar[str] = "0 (all pairs as often as before) to 2 (no pair is left)"
    sentence: ClassVar[str] = "how wrong the release is about how many records hold two items, on average"
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"
    )

    first_rank: int = Field(default=200, ge=0, description="rank of the first item, 0 for the most frequent")
    last_rank: int = Field(default=220, ge=2, description="rank before which the items end")

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        pairs = list(combinations(self._band(original), 2))
        before, after = SetCounts(original), self.counts(published, hierarchy, rng)
        errors = relative_errors(*(np.array([one.of_all(pair) for pair in pairs]) for one in (before, after)))
        return float(errors.mean()) if len(errors) else 0.0

    def _band(self, original: Transactions) -> list[str]:
        """Return the items that pairs are made of."""
        ranked = np.argsort(-original.supports, kind="stable")
        occurring = int(np.count_nonzero(original.supports))
        chosen = ranked[self.first_rank : min(self.last_rank, occurring)].tolist()
        if len(chosen) < 2:
            raise UsageError(
                f"{self.name} compares pairs of the items ranked {self.first_rank} to {self.last_rank}, and only "
                f"{occurring} items occur; give a lower first_rank and a last_rank at least 2 above it"
            )
        return [original.items[code] for code in chosen]


class CertainPairError(PairError):
    """The same, where only pairs count that stand together in a piece: what clusters reveal for certain.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["a", "b"], ["a", "b"]])
    >>> nothing = Transactions.of_sets([[]])
    >>> pieces = Transactions.of_sets([["a"], ["a"], ["b"], ["b"]])
    >>> clusters = Disassociated.of(pieces, [0, 2, 4], [0, 0], sizes=[2], parents=[-1], terms=nothing)
    >>> CertainPairError(first_rank=0, last_rank=2).measure(before, clusters, None, np.random.default_rng(1))
    2.0
    """

    name: ClassVar[str] = "re-a"
    sentence: ClassVar[str] = "how many pairs of items in a record are certain, as an error"

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, Disassociated)

    def counts(self, published: PublishedSets, hierarchy: Hierarchy | None, rng: np.random.Generator) -> ItemCounts:  # noqa: ARG002
        if not isinstance(published, Disassociated):
            raise UsageError(f"{self.name} measures pieces of sets in clusters, got {type(published).__name__}")
        return SetCounts(published.pieces)


def relative_errors(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the difference of two numbers over their mean; pairs of zeros are left out.

    Examples
    --------
    >>> relative_errors(np.array([3.0, 3.0, 0.0]), np.array([3.0, 0.0, 0.0])).tolist()
    [0.0, 2.0]
    """
    some = (before + after) > 0
    return np.asarray(2 * np.abs(before - after)[some] / (before + after)[some], dtype=np.float64)
