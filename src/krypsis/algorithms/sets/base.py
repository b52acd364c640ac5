"""What methods for sets of items have in common."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Method
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.errors import DataError, UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.progress import NO_PROGRESS, Progress

Model = TypeVar("Model", bound=PrivacyModel)


@dataclass(frozen=True, eq=False)
class SetTask:
    """What a method is given: the sets, what is promised of them, and what is known about the items."""

    transactions: Transactions
    models: Sequence[PrivacyModel]
    hierarchy: Hierarchy | None = None
    """Of the items; every item is in it."""
    sensitive: frozenset[str] = frozenset()
    """Items that nobody should be able to attach to a person, all of them among those that occur."""

    def promise(self, kind: type[Model]) -> Model | None:
        """Return the promise of a kind, ``None`` where there is none."""
        return next((model for model in self.models if isinstance(model, kind)), None)

    def strictest(self) -> KmAnonymity:
        """Return one promise that covers all about k and m: nobody knows more items than the largest set has."""
        given = [model for model in self.models if isinstance(model, KmAnonymity)]
        largest = max(int(self.transactions.sizes.max(initial=1)), 1)
        return KmAnonymity(k=max(model.k for model in given), m=min(max(model.m for model in given), largest))


class SetMethod(Method):
    """Makes sets of items safe: by generalizing items, by cutting records into pieces, or by separating items."""

    kind: ClassVar[str] = "transactions"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]]
    """The promises that it can keep."""
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = ()
    """The promises without which it does not know what to do."""
    needs_hierarchy: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False
    guarantee: ClassVar[str] = ""
    """What a release by this method promises beyond its models, and what it does not, in plain words."""
    seed: int | None = Field(default=None, ge=0, description="of all random choices; drawn anew unless given")

    def check(self, task: SetTask) -> None:
        """Raise unless the method can do what is wanted."""
        if not len(task.transactions):
            raise DataError("there are no records; expected at least one set of items")
        for model in task.models:
            if not isinstance(model, self.keeps):
                known = ", ".join(sorted(kind.name for kind in self.keeps))
                raise UsageError(f"{self.name} cannot keep {model.spec}; it keeps: {known}")
        for wanted in self.needs:
            if task.promise(wanted) is None:
                raise UsageError(f"{self.name} needs the promise {wanted.name}; add it to the promises")
        if self.needs_hierarchy and task.hierarchy is None:
            raise UsageError(f"{self.name} generalizes items and needs their hierarchy; give one for the items")
        if self.needs_sensitive and not task.sensitive:
            raise UsageError(f"{self.name} publishes sensitive items separately; name at least one sensitive item")

    @property
    def publishes_hierarchy(self) -> bool:
        """Whether some sets may show an item and others a node above it, so that the hierarchy must be published."""
        return False

    @abstractmethod
    def publish(self, task: SetTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> "SetResult":
        """Return what is published. Its order reveals nothing of the order of the records: it is shuffled afterwards.

        Raises
        ------
        Infeasible
            if nothing keeps the promises.
        """


@dataclass(frozen=True, eq=False)
class SetResult:
    """What a method publishes, and figures of the run that stay with the publisher."""

    published: PublishedSets
    private: dict[str, Any]
