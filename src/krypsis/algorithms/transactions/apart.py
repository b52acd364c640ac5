"""What methods share that publish harmless items as they are and sensitive items apart, counted by group."""

from __future__ import annotations

from dataclasses import dataclass

from krypsis.algorithms.transactions.base import SetTask
from krypsis.errors import Infeasible
from krypsis.models.privacy_degree import PrivacyDegree
from krypsis.transactions import Transactions

GUARANTEE = (
    "Harmless items are published as they are: whoever knows some of them may find the record of a person, but not "
    "which sensitive items of its group belong to it. Where nobody of a group holds a sensitive item, that is told."
)


@dataclass(frozen=True, eq=False)
class Apart:
    """The harmless and the sensitive items of the same records, and the degree that is promised."""

    plain: Transactions
    hidden: Transactions
    p: int


def take_apart(task: SetTask, method: str) -> Apart:
    """Return the records with sensitive items apart.

    Raises
    ------
    Infeasible
        if a sensitive item is in so many records that it is in too many even where all records are one group.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["wine"]])
    >>> take_apart(SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"})), "cahd").hidden.sets()
    [frozenset({'viagra'}), frozenset()]
    """
    wanted = max((model for model in task.models if isinstance(model, PrivacyDegree)), key=lambda model: model.p)
    harmless = [item for item in task.transactions.items if item not in task.sensitive]
    hidden = task.transactions.without(harmless)
    _check_feasible(hidden, wanted, method)
    return Apart(task.transactions.without(task.sensitive), hidden, wanted.p)


def _check_feasible(hidden: Transactions, model: PrivacyDegree, method: str) -> None:
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
