"""What ``auto`` does: the best levels for all records, or ranges for each group where these keep much more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.errors import Infeasible, UsageError
from krypsis.frequency import FrequencySet
from krypsis.outcome import outcome_of
from krypsis.progress import Progress
from krypsis.recoding import Recoding

if TYPE_CHECKING:
    from krypsis.pipeline.task import Task

LOW = 0.2
"""Up to this loss, the same levels for all records are kept: they are easier to analyze."""
WORTHWHILE = 0.75
"""Ranges for each group must have at most this part of that loss."""
FEWEST_RECORDS = 100
"""In a smaller table, ranges that begin and end at values of records tell too much about them."""
COMPARED = ("loss", "ncp", "generalized-loss")
"""Metrics that mean the same for levels and for ranges."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What was searched with, what was found, and why."""

    algorithm: Algorithm
    recoding: Recoding
    reason: str = ""


def chosen(task: Task, frequency: FrequencySet, limits: Limits, full: Choice, progress: Progress) -> Choice:
    """Return the best levels for all records, or local recoding where ``auto`` may choose it and it keeps much more."""
    if task.method is not None or task.metric.name not in COMPARED or frequency.rows < FEWEST_RECORDS:
        return full
    score = task.metric.compute(outcome_of(full.recoding, frequency))
    if score <= LOW or progress.wants_stop():
        return full
    local = Mondrian()
    try:
        recoding = local.search(frequency, task.group_models, task.metric, limits, progress)
    except (Infeasible, UsageError):  # it does not keep every promise that levels can
        return full
    lower = task.metric.compute(outcome_of(recoding, frequency))
    if lower > WORTHWHILE * score:
        return full
    return Choice(local, recoding, _reason(task.metric.name, score, lower))


def _reason(metric: str, score: float, lower: float) -> str:
    return (
        f"auto chose mondrian, which gives each group ranges of its own: {metric} {lower:.3g}, where the best levels "
        f"for all records have {score:.3g}. New records cannot be published with these ranges by 'krypsis apply'; "
        "write 'algorithm: optimal' to have the same levels for all records"
    )
