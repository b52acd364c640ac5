"""Items of records that are only listed."""

from __future__ import annotations

from typing import ClassVar

from krypsis.data.transactions import Disassociated, Transactions
from krypsis.metrics.transactions.base import ListedMetric


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
