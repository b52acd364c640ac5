"""Divergence of group-by queries on sets in groups."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import GroupedSets, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.base import SetMetric


class GroupByKl(SetMetric):
    """How far the spread of a sensitive item over combinations of other items is from what groups reveal about it.

    Notes
    -----
    A query takes a sensitive item and ``r`` harmless ones, which put every record into one of ``2^r`` cells: those that
    hold none of them, the first only, and so on. ``Act`` is the share of the item's records in each cell. ``Est`` is
    what a release reveals about it: in each group every record holds the item with the same probability. The figure is
    ``Σ Act · ln(Act / Est)`` over the cells, the mean over all queries; cells without the item add nothing. ``Est`` is
    above 0 wherever ``Act`` is. Queries are drawn at random: the item among the sensitive ones that occur, the others
    among the harmless ones that occur, each as likely as the other.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008.

    Examples
    --------
    Of two records one holds wine and viagra, so that half of the viagra is estimated to be without wine:

    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["cream"]])
    >>> grouped = GroupedSets.of(baskets, {"viagra"}, np.array([0, 0]))
    >>> round(GroupByKl(r=1).measure(baskets, grouped, None, np.random.default_rng(1)), 4)  # ln 2
    0.6931
    """

    name: ClassVar[str] = "group-by-kl"
    formula: ClassVar[str] = "mean over queries of Σ over cells of Act · ln(Act / Est)"
    range: ClassVar[str] = "0 (every group has one kind of record) upwards without limit"
    sentence: ClassVar[str] = (
        "how wrong the answers are to how often a sensitive item occurs with combinations of other items"
    )
    reference: ClassVar[str] = "Ghinita, Tao, Kalnis, On the anonymization of sparse high-dimensional data, ICDE 2008"

    r: int = Field(default=4, ge=1, le=16, description="harmless items in a query; all of them if there are fewer")
    queries: int = Field(default=100, ge=1, description="how many queries are drawn")

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, GroupedSets) and len(published.counts) > 0

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,  # noqa: ARG002  items are not generalized
        rng: np.random.Generator,
    ) -> float:
        """Return the mean over the queries."""
        return float(self.answers(original, published, rng).mean())

    def answers(self, original: Transactions, published: PublishedSets, rng: np.random.Generator) -> FloatArray:
        """Return the divergence of each query."""
        if not isinstance(published, GroupedSets):
            raise UsageError(f"{self.name} measures sets in groups, got {type(published).__name__}")
        known = [item for item in original.items if item in set(published.sensitive)]
        hidden = _Holders(original.without([item for item in original.items if item not in set(known)]))
        plain = _Holders(original.without(known))
        if not len(hidden.occurring):
            raise UsageError(f"{self.name} asks for sensitive items, and none is in a record; name items that occur")
        if len(original) != len(published):
            raise UsageError(f"{len(original)} records became {len(published)}; {self.name} compares all of them")
        estimates = _Estimates(published)
        return np.array([self._ask(hidden, plain, estimates, rng) for _ in range(self.queries)])

    def _ask(
        self, hidden: "_Holders", plain: "_Holders", estimates_of: "_Estimates", rng: np.random.Generator
    ) -> float:
        """Return the divergence of one query that is drawn."""
        item = hidden.transactions.items[int(rng.choice(hidden.occurring))]
        drawn = rng.choice(plain.occurring, min(self.r, len(plain.occurring)), replace=False)
        names = [plain.transactions.items[code] for code in drawn.tolist()]
        actual = np.bincount(plain.cells(names)[hidden.of(item)], minlength=2 ** len(names)) / len(hidden.of(item))
        return divergence(actual, estimates_of.estimate(item, names))


def divergence(actual: FloatArray, estimated: FloatArray) -> float:
    """Return ``Σ actual · ln(actual / estimated)`` over the cells that are not empty; infinite if one is not expected.

    Examples
    --------
    >>> round(divergence(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])), 4)  # ½ ln 2
    0.3466
    """
    holds = actual > 0
    if (estimated[holds] <= 0).any():
        return float("inf")
    total = (actual[holds] * np.log(actual[holds] / estimated[holds])).sum()
    return max(float(total), 0.0)  # it is never below 0 but for rounding


@dataclass(frozen=True, eq=False)
class _Holders:
    """Which records hold an item."""

    transactions: Transactions

    @cached_property
    def occurring(self) -> IntArray:
        return np.flatnonzero(self.transactions.supports)

    @cached_property
    def _by_item(self) -> IntArray:
        return self.transactions.records[np.argsort(self.transactions.codes, kind="stable")]

    @cached_property
    def _ends(self) -> IntArray:
        return np.cumsum(self.transactions.supports)

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {item: code for code, item in enumerate(self.transactions.items)}

    def of(self, item: str) -> IntArray:
        code = self._code_of.get(item)
        if code is None:
            return np.empty(0, dtype=np.int64)
        return self._by_item[self._ends[code] - self.transactions.supports[code] : self._ends[code]]

    def cells(self, items: list[str]) -> IntArray:
        """Return the cell of each record: bit by bit, whether it holds the items."""
        cell = np.zeros(len(self.transactions), dtype=np.int64)
        for bit, item in enumerate(items):
            cell[self.of(item)] += 1 << bit
        return cell


class _Estimates:
    """What groups reveal about sensitive items."""

    def __init__(self, published: GroupedSets) -> None:
        self._published = published
        self._holders = _Holders(published.records)
        self._place = {item: place for place, item in enumerate(published.sensitive)}

    def estimate(self, item: str, names: list[str]) -> FloatArray:
        """Return the expected share of the item's records in each cell."""
        counts, sizes = self._published.counts, self._published.sizes
        of_item = counts[counts[:, 1] == self._place[item]]
        holders = np.bincount(of_item[:, 0], of_item[:, 2], minlength=len(sizes))
        weights = (holders / sizes / max(holders.sum(), 1))[self._published.groups]
        estimated = np.bincount(self._holders.cells(names), weights, minlength=2 ** len(names))
        return np.asarray(estimated, dtype=np.float64)
