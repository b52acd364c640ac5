"""Frequent items that are left in term chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from krypsis.data.transactions import Disassociated, Transactions
from krypsis.metrics.transactions.base import ListedMetric
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity


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
