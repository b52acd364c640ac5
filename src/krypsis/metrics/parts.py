"""Finding the metrics that a combination names."""

from __future__ import annotations

import krypsis.metrics
from krypsis.discovery import concrete_classes
from krypsis.errors import did_you_mean
from krypsis.metrics.base import Metric


def metric_of(name: str) -> Metric:
    """Return the metric with a name or alias, without parameters.

    Raises
    ------
    ValueError
        if there is none, or it is itself a combination.
    """
    found = [cls for cls in concrete_classes(krypsis.metrics, Metric) if cls.reported]
    known = {alias: cls for cls in found for alias in (cls.name, *cls.aliases)}
    if name.strip() not in known:
        names = ", ".join(sorted(cls.name for cls in found))
        hint = did_you_mean(name, known)
        raise ValueError(f"no metric that can be combined is named {name.strip()!r}; metrics: {names}.{hint}")
    metric: Metric = known[name.strip()]()
    return metric
