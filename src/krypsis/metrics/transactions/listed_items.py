"""Items that are left out, or only listed in term chunks."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.metrics.transactions.base import ListedMetric, SetMetric
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity


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


class ListedShare(ListedMetric):
    """The share of the items of all records that stand in no piece: their clusters only list that they occur.

    Notes
    -----
    The figure is not published: it would reveal how often listed items occur.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> import numpy as np
    >>> before = Transactions.of_sets([["flu", "ikea"], ["flu"]])
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> round(ListedShare().measure(before, clusters, None, np.random.default_rng(1)), 4)
    0.3333
    """

    name: ClassVar[str] = "listed-share"
    formula: ClassVar[str] = "1 - items of all pieces / items of all records"
    range: ClassVar[str] = "0 (all are in pieces) to 1 (all are only listed)"
    sentence: ClassVar[str] = "the share of what records hold of which only the presence in a cluster is published"

    def of_clusters(self, original: Transactions, published: Disassociated) -> float:
        if not len(original.codes):
            return 0.0
        return 1 - len(published.pieces.codes) / len(original.codes)


class LostTerms(ListedMetric):
    """The share of the items held by k records or more that are in term chunks only.

    Notes
    -----
    Such items are frequent enough to be published in a piece somewhere, and are only listed. An item that stands in any
    record chunk or shared chunk is not lost, however often it is listed elsewhere.

    The figure is not published: that no frequent item is only listed would reveal that those listed are rare.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["flu", "ikea"], ["flu", "ikea"]])
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> LostTerms(k=2).measure(before, clusters, None, np.random.default_rng(1))
    0.5
    """

    name: ClassVar[str] = "tlost"
    formula: ClassVar[str] = "items held by k records or more that are in no piece / items held by k records or more"
    range: ClassVar[str] = "0 (all of them are in pieces) to 1 (all are only listed)"
    sentence: ClassVar[str] = "the share of frequent items of which nobody learns how often, or with what, they occur"

    k: int = Field(default=5, ge=1, description="records that make an item frequent; the k of the promise")

    @classmethod
    def usual(cls, models: Sequence[PrivacyModel]) -> Self:
        given = [model.k for model in models if isinstance(model, KmAnonymity)]
        return cls(k=max(given)) if given else cls()

    def of_clusters(self, original: Transactions, published: Disassociated) -> float:
        frequent = {original.items[code] for code in np.flatnonzero(original.supports >= self.k).tolist()}
        in_pieces = {published.items[code] for code in np.flatnonzero(published.pieces.supports).tolist()}
        return len(frequent - in_pieces) / len(frequent) if frequent else 0.0
