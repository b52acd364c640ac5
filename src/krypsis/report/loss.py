"""What was lost: per quasi-identifier, and as the metrics of the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis import registry
from krypsis.metrics.base import Metric
from krypsis.metrics.loss import Loss
from krypsis.models.base import PrivacyModel
from krypsis.outcome import Outcome
from krypsis.release.before import Evidence
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


def metric_figures(release: Release, outcome: Outcome) -> tuple[MetricFigure, ...]:
    """Return every metric of the release with its range, formula and meaning."""
    models = [registry.create("model", promise) for promise in release.promises]
    return tuple(_metric_figure(name, value, outcome, models) for name, value in release.metrics.items())


def _attribute_loss(
    release: Release, evidence: Evidence, position: int, before: CountedTable, after: CountedTable
) -> AttributeLoss:
    frequency = evidence.frequency
    name, hierarchy = frequency.attributes[position], frequency.hierarchies[position]
    old, new = before.columns[position], after.columns[position]
    return AttributeLoss(
        attribute=readable(name),
        hierarchy=readable(release.hierarchies.get(name, "given")),
        level=release.levels.get(name),
        height=hierarchy.height,
        weight=float(frequency.attribute_weights[position]),
        loss=float(evidence.outcome.mean_penalties(Loss.penalty)[position]),
        values_before=int(np.count_nonzero(old.count(before.counts))),
        values_after=int(np.count_nonzero(new.count(after.counts))),
    )


def _metric_figure(name: str, value: float, outcome: Outcome, models: Sequence[PrivacyModel]) -> MetricFigure:
    metric = registry.find("metric", name)().promised(models)
    best, worst = float(metric.best(outcome)), float(metric.worst(outcome))
    position = (value - best) / (worst - best) if worst != best else 0.0
    return MetricFigure(
        name=name,
        value=value,
        best=best,
        worst=worst,
        position=min(max(position, 0.0), 1.0),
        formula=", ".join([metric.formula, *_parameters(metric)]),
        sentence=metric.sentence,
        direction="lower is better" if metric.goal == "minimize" else "higher is better",
    )


def _parameters(metric: Metric) -> list[str]:
    """Return the parameters that are not as usual, such as ``k = 5``."""
    return [f"{name} = {given}" for name, given in metric.model_dump(exclude_defaults=True).items()]
