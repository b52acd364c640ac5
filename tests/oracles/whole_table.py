"""A search that compares with the sensitive values of the whole table, as ARX does.

A release does not: minus the published values, those of the whole table are those of the suppressed people. What a
search finds under the definition of ARX can be compared all the same.
"""

from dataclasses import dataclass, replace
from typing import Any

from krypsis import registry
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.data.recoding import outcome_of
from krypsis.kinds.table.families.recoding import prepare
from krypsis.kinds.table.plan import TablePlan


@dataclass(frozen=True)
class Found:
    levels: dict[str, int]
    score: float
    suppressed: int
    verdicts: tuple[bool, ...] = ()


def search(data: Any, roles: dict[str, str], models: list[str], metric: str, **options: Any) -> Found:
    """Return the optimum where readers know the whole table."""
    promises = [registry.create("model", spec) for spec in models]
    task = TablePlan.of_roles(roles, promises=promises, algorithm="optimal", metric=metric, **options).bind(data)
    counted, limits = prepare(task)
    frequency = counted.frequency
    recoding = Optimal().search(frequency, promises, task.metric, replace(limits, whole_is_known=True))
    outcome = outcome_of(recoding, frequency)
    levels = dict(zip(frequency.attributes, recoding.levels, strict=True))
    return Found(levels, task.metric.compute(outcome), outcome.suppressed)


def compare_with_whole(models: list[str]) -> bool:
    """Whether a promise among these compares with the whole table."""
    return any(registry.create("model", spec).compares_with_whole for spec in models)
