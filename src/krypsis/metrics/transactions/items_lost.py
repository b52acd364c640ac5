"""Items that are gone."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.metrics.transactions.base import SetMetric


class ItemsLost(SetMetric):
    """The share of all items that a release reveals nowhere, not even as something more general.

    References
    ----------
    Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, "Disassociation for electronic health record privacy", Journal
    of Biomedical Informatics 50, 2014, figure 9.

    Examples
    --------
    >>> before = Transactions.of_sets([["a", "b"], ["c", "d"]])
    >>> ItemsLost().measure(before, before.without(["d"]), None, np.random.default_rng(1))
    0.25
    """

    name: ClassVar[str] = "items-lost"
    formula: ClassVar[str] = "items that nothing published stands for / items"
    range: ClassVar[str] = "0 (every item is published somewhere) to 1 (nothing is published)"
    sentence: ClassVar[str] = "the share of items that nobody finds in the release"
    reference: ClassVar[str] = (
        "Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, Disassociation for electronic health record privacy, "
        "Journal of Biomedical Informatics 50, 2014"
    )

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002  any form
        return True

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,  # noqa: ARG002  nothing is drawn
    ) -> float:
        published_items = _published_items(published)
        before = _occurring(original)
        if hierarchy is not None:
            rows = {str(row[0]): row for row in hierarchy.covering(original.items, "items").rows()}
            lost = [item for item in before if published_items.isdisjoint(map(str, rows[item]))]
        else:
            lost = list(before - published_items)
        return len(lost) / len(before) if before else 0.0


def _published_items(published: PublishedSets) -> set[str]:
    """Return every label that is published."""
    if isinstance(published, Disassociated):
        return _occurring(published.pieces) | _occurring(published.terms)
    if isinstance(published, GroupedSets):
        return _occurring(published.records) | {published.sensitive[place] for place in published.counts[:, 1].tolist()}
    return _occurring(published)


def _occurring(transactions: Transactions) -> set[str]:
    return {transactions.items[code] for code in np.flatnonzero(transactions.supports).tolist()}
