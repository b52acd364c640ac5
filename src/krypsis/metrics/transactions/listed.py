"""What figures of listed items have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.base import SetMetric


class ListedMetric(SetMetric):
    """A figure of what clusters of pieces only list in term chunks. It tells how often that occurs, and is kept."""

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
        return self.of_clusters(original, published)

    @abstractmethod
    def of_clusters(self, original: Transactions, published: Disassociated) -> float:
        """Return the figure."""
