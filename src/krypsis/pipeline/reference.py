"""What the release must tell beside the table, so that its promises can be checked."""

from __future__ import annotations

from collections.abc import Sequence

from krypsis.frequency import FrequencySet
from krypsis.groups import Histogram
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.pipeline.task import Task


def told_hierarchies(task: Task, frequency: FrequencySet) -> dict[str, Hierarchy]:
    """Return the hierarchies of sensitive attributes that an outsider needs to check the promises."""
    models = [model for model in task.models if model.compares_with_whole or model.needs_hierarchy]
    found = {name: histogram.domain.hierarchy for name, histogram in _looked_at(frequency, models).items()}
    return {name: hierarchy for name, hierarchy in found.items() if hierarchy is not None}


def _looked_at(frequency: FrequencySet, models: Sequence[PrivacyModel]) -> dict[str, Histogram]:
    wanted = {getattr(model, "attribute", None) for model in models}
    return {name: found for name, found in frequency.sensitive.items() if name in wanted or None in wanted}
