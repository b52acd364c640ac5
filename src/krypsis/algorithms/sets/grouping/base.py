"""What methods share that publish harmless items as they are and sensitive items separately, counted by group."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from krypsis.algorithms.sets.base import SetMethod, SetResult, SetTask
from krypsis.arrays import IntArray
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import Infeasible
from krypsis.models.base import PrivacyModel
from krypsis.models.privacy_degree import PrivacyDegree
from krypsis.progress import NO_PROGRESS, Progress


class GroupingMethod(SetMethod):
    """Publishes harmless items as they are, and sensitive items counted in groups of records."""

    scheme: ClassVar[str] = "bucketization"
    reference: ClassVar[str] = "Ghinita, Tao, Kalnis, On the anonymization of sparse high-dimensional data, ICDE 2008"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (PrivacyDegree,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (PrivacyDegree,)
    needs_sensitive: ClassVar[bool] = True
    guarantee: ClassVar[str] = (
        "Harmless items are published as they are: whoever knows some of them may find the record of a person, but not "
        "which sensitive items of its group belong to it. Where nobody of a group holds a sensitive item, the release "
        "shows that. The groups depend on who holds a sensitive item: somebody who knows how they are made, and the "
        "harmless items of everybody, can make them for each possible holder and may rule out all but one."
    )

    def publish(self, task: SetTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> SetResult:  # noqa: ARG002
        self.check(task)
        groups, figures = self.form_groups(separate_sensitive_items(task, self.name))
        published = GroupedSets.of(task.transactions, task.sensitive, groups)
        return SetResult(published, {"groups": len(published.sizes), **figures})

    @abstractmethod
    def form_groups(self, separated: "SeparatedItems") -> tuple[IntArray, dict[str, int]]:
        """Return the group of each record, numbered from 0 on, and figures of the run that stay with the publisher."""


@dataclass(frozen=True, eq=False)
class SeparatedItems:
    """The harmless and the sensitive items of the same records, and the degree that is promised."""

    plain: Transactions
    hidden: Transactions
    p: int


def separate_sensitive_items(task: SetTask, method: str) -> SeparatedItems:
    """Return the records with their sensitive items separated.

    Raises
    ------
    Infeasible
        if a sensitive item is in so many records that it is in too many even where all records are one group.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["wine"]])
    >>> task = SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"}))
    >>> separate_sensitive_items(task, "cahd").hidden.sets()
    [frozenset({'viagra'}), frozenset()]
    """
    wanted = max((model for model in task.models if isinstance(model, PrivacyDegree)), key=lambda model: model.p)
    harmless = [item for item in task.transactions.items if item not in task.sensitive]
    hidden = task.transactions.without(harmless)
    _check_feasible(hidden, wanted, method)
    return SeparatedItems(task.transactions.without(task.sensitive), hidden, wanted.p)


def _check_feasible(hidden: Transactions, model: PrivacyDegree, method: str) -> None:
    # Require H[s]·p <= n for all s: all records as one group must keep the degree.
    if not hidden.items or int(hidden.supports.max()) * model.p <= len(hidden):
        return
    place = int(hidden.supports.argmax())
    count, records = int(hidden.supports[place]), len(hidden)
    raise Infeasible(
        f"{method} cannot keep {model.spec}: {count} of {records} records hold the sensitive item "
        f"{hidden.items[place]!r}, and at most 1 in {model.p} may. The largest feasible p is {records // count}; lower "
        "the promise, or leave the item out",
        {"item": hidden.items[place], "count": count, "records": records, "p": records // count},
    )
