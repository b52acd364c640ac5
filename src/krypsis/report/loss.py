"""What was lost: per quasi-identifier, and as the metrics of the release."""

from __future__ import annotations

import numpy as np

from krypsis import registry
from krypsis.groups import IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.recoding import Outcome
from krypsis.release.evidence import Evidence
from krypsis.release.release import Release
from krypsis.report.published import CountedTable
from krypsis.report.text import readable
from krypsis.report.values import AttributeLoss, MetricFigure

LOSS_FORMULA = "mean over records of (values that look alike − 1) ÷ (values − 1); a suppressed record counts as 1"
LOSS_SENTENCE = (
    "How much detail this attribute has lost: 0 means every value is published as it was, 1 means nothing can be told "
    "from it any more."
)


def attribute_losses(
    release: Release, evidence: Evidence, before: CountedTable, after: CountedTable
) -> tuple[AttributeLoss, ...]:
    """Return the loss of each quasi-identifier, with its level and its number of different values."""
    return tuple(_attribute_loss(release, evidence, position, before, after) for position in range(len(before.columns)))


def mean_loss(hierarchy: Hierarchy, level: int, kept: IntArray, rows: int) -> float:
    """Return the mean share of the other values a record can no longer be told from.

    ``kept[value]`` counts the records that are not suppressed, of ``rows`` records in all.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> mean_loss(sex, 0, np.array([3, 4]), 7), mean_loss(sex, 1, np.array([3, 4]), 7)
    (0.0, 1.0)
    """
    others = len(hierarchy.values) - 1
    lost = float((hierarchy.leaves[level] - 1) @ kept) / others if others else 0.0
    return (lost + rows - int(kept.sum())) / rows if rows else 0.0


def metric_figures(release: Release, outcome: Outcome) -> tuple[MetricFigure, ...]:
    """Return every metric of the release with its range, formula and meaning."""
    return tuple(_metric_figure(name, value, outcome) for name, value in release.metrics.items())


def _attribute_loss(
    release: Release, evidence: Evidence, position: int, before: CountedTable, after: CountedTable
) -> AttributeLoss:
    frequency, recoding = evidence.frequency, evidence.recoding
    name, hierarchy, level = frequency.attributes[position], frequency.hierarchies[position], recoding.levels[position]
    old, new = before.columns[position], after.columns[position]
    kept = old.count(np.where(recoding.suppressed, 0, frequency.counts))
    return AttributeLoss(
        attribute=readable(name),
        hierarchy=readable(release.hierarchies.get(name, "given")),
        level=level,
        height=hierarchy.height,
        weight=float(frequency.attribute_weights[position]),
        loss=mean_loss(hierarchy, level, kept, frequency.rows),
        values_before=int(np.count_nonzero(old.count(before.counts))),
        values_after=int(np.count_nonzero(new.count(after.counts))),
    )


def _metric_figure(name: str, value: float, outcome: Outcome) -> MetricFigure:
    metric = registry.find("metric", name)()
    best, worst = float(metric.best(outcome)), float(metric.worst(outcome))
    position = (value - best) / (worst - best) if worst != best else 0.0
    return MetricFigure(
        name=name,
        value=value,
        best=best,
        worst=worst,
        position=min(max(position, 0.0), 1.0),
        formula=metric.formula,
        sentence=metric.sentence,
        direction="lower is better" if metric.goal == "minimize" else "higher is better",
    )
