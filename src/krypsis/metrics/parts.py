"""Finding the metrics that a combination names."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import krypsis.metrics
from krypsis.errors import did_you_mean
from krypsis.metrics.base import Metric


def metric_of(name: str) -> Metric:
    """Return the metric with a name or alias, without parameters.

    Raises
    ------
    ValueError
        if there is none, or it is itself a combination.
    """
    package = krypsis.metrics
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    known = {alias: cls for cls in _subclasses(Metric) if cls.reported for alias in (cls.name, *cls.aliases)}
    if name.strip() not in known:
        raise ValueError(f"no metric named {name.strip()!r}; metrics: {', '.join(known)}.{did_you_mean(name, known)}")
    metric: Metric = known[name.strip()]()
    return metric


def _subclasses(cls: Any) -> list[Any]:
    found = [inner for child in cls.__subclasses__() for inner in (child, *_subclasses(child))]
    return [one for one in found if hasattr(one, "name")]
