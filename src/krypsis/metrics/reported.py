"""The metrics that every release is measured by, and that a combination may name."""

from __future__ import annotations

from krypsis import registry
from krypsis.errors import did_you_mean
from krypsis.metrics.base import Metric


def reported_metrics() -> list[type[Metric]]:
    """Return the metrics of tables that need no parameters and are no combinations of others.

    Examples
    --------
    >>> "loss" in [cls.name for cls in reported_metrics()]
    True
    """
    known = [cls for cls in registry.classes("metric").values() if issubclass(cls, Metric) and cls.reported]
    return [cls for cls in known if not any(field.is_required() for field in cls.model_fields.values())]


def metric_of(name: str) -> Metric:
    """Return the metric with a name or alias, without parameters.

    Raises
    ------
    ValueError
        if there is none, or it is itself a combination.
    """
    found = reported_metrics()
    known = {alias: cls for cls in found for alias in (cls.name, *cls.aliases)}
    if name.strip() not in known:
        names = ", ".join(sorted(cls.name for cls in found))
        hint = did_you_mean(name, known)
        raise ValueError(f"no metric that can be combined is named {name.strip()!r}; metrics: {names}.{hint}")
    return known[name.strip()]()
