"""The figures of what sets of items have lost that are measured for every release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.metrics.transactions.base import SetMetric
from krypsis.transactions import PublishedSets


@dataclass(frozen=True)
class SetFigures:
    """Figures by name."""

    told: dict[str, float]
    rounded: frozenset[str]
    """Those of the figures told that depend on what is hidden, and so are not published."""
    kept: dict[str, float]
    """Figures that stay with the publisher."""


def measure_sets(task: SetTask, published: PublishedSets, rng: np.random.Generator) -> SetFigures:
    """Return the figures of all metrics that apply and take little time."""
    metrics = [cls.usual(task.models) for cls in registry.classes("metric").values() if _is_reported(cls)]
    fitting = [metric for metric in metrics if metric.applies_to(published, task.hierarchy)]
    figures = {
        metric.name: metric.measure(task.transactions, published, task.hierarchy, child)
        for metric, child in zip(fitting, rng.spawn(len(fitting)), strict=True)
    }
    told = [metric for metric in fitting if metric.published]
    return SetFigures(
        told={metric.name: figures[metric.name] for metric in told},
        rounded=frozenset(metric.name for metric in told if metric.needs_original),
        kept={metric.name: figures[metric.name] for metric in fitting if not metric.published},
    )


def _is_reported(cls: type[object]) -> bool:
    return issubclass(cls, SetMetric) and cls.reported
