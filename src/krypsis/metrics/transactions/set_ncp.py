"""Normalized certainty penalty of sets."""

from typing import ClassVar

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.base import SetMetric


class SetNcp(SetMetric):
    """The share of all items that a published item may stand for, averaged over the items of all records.

    Notes
    -----
    Every item of every original record is charged once: nothing if its record still shows it, ``leaves/all leaves`` if
    its record shows something more general that stands for that many of the items of the hierarchy, and 1 if its record
    reveals nothing of it. Items that become one in a record are charged each. Without a hierarchy items are kept or
    lost, and this is the share that is lost.

    References
    ----------
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", PVLDB 1(1), 2008, section 3.3.

    Examples
    --------
    Three items become one of two kinds of goods, each of which stands for 2 of 4:

    >>> goods = Hierarchy.from_rows([[item, kind, "*"] for item, kind in zip("abcd", "XXYY")])
    >>> original = Transactions.of_sets([["a", "b"], ["a", "c"]])
    >>> published = original.generalized({"a": "X", "b": "X"})
    >>> SetNcp().measure(original, published, goods, np.random.default_rng(1))
    0.375
    """

    name: ClassVar[str] = "set-ncp"
    formula: ClassVar[str] = (
        "mean over items of records of (0 if published, leaves/all leaves if generalized, 1 if lost)"
    )
    range: ClassVar[str] = "0 (exact) to 1 (nothing left)"
    sentence: ClassVar[str] = "the average share of all items that a published item may stand for"
    reference: ClassVar[str] = (
        "Terrovitis, Mamoulis, Kalnis, Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008"
    )

    needs_order: ClassVar[bool] = True

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, Transactions)

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,  # noqa: ARG002  nothing is drawn
    ) -> float:
        if not isinstance(published, Transactions):
            raise UsageError(f"{self.name} measures sets of items, got {type(published).__name__}")
        if len(published) != len(original):
            raise UsageError(
                f"{len(original)} records became {len(published)}; {self.name} compares each record with what was made "
                "of it, so give all of them, in the order of the original ones"
            )
        flat = Hierarchy.from_columns([original.items, ["*"] * len(original.items)]) if original.items else None
        known = hierarchy.covering(original.items, "items") if hierarchy is not None else flat
        if known is None or not len(original.codes):
            return 0.0
        return float(_penalties(original, published, known).mean())


def _penalties(original: Transactions, published: Transactions, hierarchy: Hierarchy) -> FloatArray:
    """Return what each item of each original record is charged."""
    values = np.array([hierarchy.code_of[item] for item in original.items], dtype=np.int64)[original.codes]
    published_items = _PublishedItems(published)
    penalties = np.ones(len(values))
    open_ = np.ones(len(values), dtype=np.bool_)
    for level in range(hierarchy.height + 1):
        leaves = hierarchy.leaves[level][values]
        found = open_ & published_items.holds(original.records, hierarchy.column(level), values)
        penalties[found] = np.where(leaves > 1, leaves / len(hierarchy.values), 0.0)[found]
        open_ &= ~found
    published_items.check_all_found()
    return penalties


class _PublishedItems:
    """What the published records show, and how much of it was found again in the original ones."""

    def __init__(self, published: Transactions) -> None:
        self._width = max(len(published.items), 1)
        self._keys = published.records * self._width + published.codes
        self._code_of = {item: code for code, item in enumerate(published.items)}
        self._found = np.zeros(len(self._keys), dtype=np.bool_)

    def holds(self, records: IntArray, labels: list[str | None], values: IntArray) -> BoolArray:
        """Say for each original item, given by record and value, whether its record shows its label."""
        codes = np.array([self._code_of.get(label, -1) if label is not None else -1 for label in labels])[values]
        keys = records * self._width + codes
        places = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        held = (codes >= 0) & (self._keys[places] == keys) if len(self._keys) else np.zeros(len(keys), dtype=np.bool_)
        self._found[places[held]] = True
        return np.asarray(held)

    def check_all_found(self) -> None:
        if not self._found.all():
            raise UsageError(
                f"{np.count_nonzero(~self._found)} published item(s) stand for nothing in the original record at the "
                "same place; give the published records in the order of the original ones"
            )
