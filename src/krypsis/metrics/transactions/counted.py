"""What figures of counts have in common."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import GroupedSets, PublishedSets
from krypsis.metrics.transactions.base import SetMetric
from krypsis.metrics.transactions.counting import ItemCounts, counts_of


class CountMetric(SetMetric):
    """A figure of how far counts of records go wrong, asked of sets, or of data that could lie behind clusters."""

    reference: ClassVar[str] = (
        "Loukides, Liagouris, Gkoulalas-Divanis, Terrovitis, Disassociation for electronic health record privacy, "
        "Journal of Biomedical Informatics 50, 2014"
    )
    reported: ClassVar[bool] = False

    reconstructions: int = Field(default=1, ge=1, description="how often data behind clusters is drawn")

    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:  # noqa: ARG002
        return not isinstance(published, GroupedSets)

    def counts(self, published: PublishedSets, hierarchy: Hierarchy | None, rng: np.random.Generator) -> ItemCounts:
        """Return what the release tells."""
        return counts_of(published, hierarchy, rng, self.reconstructions)
