"""What the release must tell beside the table, so that its promises can be checked."""

from __future__ import annotations

from krypsis.frequency import FrequencySet
from krypsis.groups import Domain
from krypsis.hierarchies.base import Hierarchy
from krypsis.models.base import PrivacyModel
from krypsis.pipeline.task import Task


def told_hierarchies(task: Task, frequency: FrequencySet) -> dict[str, Hierarchy]:
    """Return the hierarchies of sensitive attributes that an outsider needs to check the promises, and no others.

    A hierarchy says more about values than the records do, so it is published only where a promise measures in it.
    """
    domains = {name: histogram.domain for name, histogram in frequency.sensitive.items()}
    return {
        name: domain.hierarchy
        for name, domain in domains.items()
        if domain.hierarchy is not None and any(_measures_in(model, name, domain) for model in task.models)
    }


def _measures_in(model: PrivacyModel, name: str, domain: Domain) -> bool:
    return getattr(model, "attribute", None) in (None, name) and model.uses_hierarchy(domain)
