"""What all metrics of published sets of items have in common."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Disassociated, PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.specs import write_spec


class SetMetric(BaseModel, ABC):
    """One figure of published sets. All metrics are losses: lower is better.

    A subclass in its own file under ``krypsis/metrics/transactions`` is found by the registry; nothing else has to be
    changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "transactions"
    formula: ClassVar[str]
    range: ClassVar[str]
    """From the value of unchanged sets to the value when nothing is left, in words."""
    sentence: ClassVar[str]
    """What the number says, in plain words."""
    reference: ClassVar[str]
    goal: ClassVar[str] = "minimize"
    needs_original: ClassVar[bool] = True
    """Whether it depends on what cannot be seen in the release. Then the manifest does not name it."""
    reported: ClassVar[bool] = True
    """Whether every release is measured by it; what takes long, or needs a question, is measured on request."""
    needs_order: ClassVar[bool] = False
    """Whether it compares each published record with the original one at the same place."""
    published: ClassVar[bool] = True
    """Whether a release shows the figure on the publisher's screen. One that depends on how often the items of term
    chunks occur stands in the private record only: the promise of clusters relies on nobody knowing it."""

    @classmethod
    def usual(cls, models: Sequence[PrivacyModel]) -> Self:  # noqa: ARG003  for those that need them
        """Return the metric as it is reported for a release that makes these promises."""
        return cls()

    @property
    def spec(self) -> str:
        """The metric as one word with the parameters that are not as usual."""
        return write_spec(self.name, self.model_dump(exclude_defaults=True))

    @abstractmethod
    def applies_to(self, published: PublishedSets, hierarchy: Hierarchy | None) -> bool:
        """Say whether sets published in this form have what the metric looks at."""

    @abstractmethod
    def measure(
        self,
        original: Transactions,
        published: PublishedSets,
        hierarchy: Hierarchy | None,
        rng: np.random.Generator,
    ) -> float:
        """Return the figure.

        ``published`` is what a method made, before it is shuffled: where it has one record for each original one, it
        has them in the same order. ``hierarchy`` is that of the items, if there is one; ``rng`` is for metrics that
        draw samples.
        """

    def errors(
        self,
        original: Transactions,  # noqa: ARG002  of metrics that are means over sets
        published: PublishedSets,  # noqa: ARG002
        hierarchy: Hierarchy | None,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Mapping[tuple[str, ...], float | None]:
        """Return the signed error of each set of items that somebody named, where the figure is about such sets.

        With the same random numbers as :meth:`measure` they are about the same data behind clusters.
        """
        return {}


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
