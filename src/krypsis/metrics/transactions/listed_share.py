"""Items of records that are only listed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.errors import UsageError
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.transactions.base import SetMetric
from krypsis.transactions import Disassociated, PublishedSets, Transactions


class ListedShare(SetMetric):
    """The share of the items of all records that stand in no piece: their clusters only list that they occur.

    Notes
    -----
    The figure is not published: it would tell how often listed items occur.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012.

    Examples
    --------
    >>> before = Transactions.of_sets([["flu", "ikea"], ["flu"]])
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> clusters = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> round(ListedShare().measure(before, clusters, None, np.random.default_rng(1)), 4)
    0.3333
    """

    name: ClassVar[str] = "listed-share"
    formula: ClassVar[str] = "1 - items of all pieces / items of all records"
    range: ClassVar[str] = "0 (all are in pieces) to 1 (all are only listed)"
    sentence: ClassVar[str] = "the share of what records hold of which only the presence in a cluster is told"
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"
    )
    published: ClassVar[bool] = False

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return isinstance(published, Disassociated)

    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,  # noqa: ARG002  items are not generalized
        rng: np.random.Generator,  # noqa: ARG002  nothing is drawn
    ) -> float:
        if not isinstance(published, Disassociated):
            raise UsageError(f"{self.name} measures pieces of sets in clusters, got {type(published).__name__}")
        if not len(original.codes):
            return 0.0
        return 1 - len(published.pieces.codes) / len(original.codes)
