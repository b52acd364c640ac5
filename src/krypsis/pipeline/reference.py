"""What the release must tell beside the table, so that its promises can be checked."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from krypsis.algorithms.evaluation import Judge
from krypsis.errors import PrivacyWarning
from krypsis.frequency import FrequencySet
from krypsis.groups import Histogram
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.models.base import PrivacyModel
from krypsis.pipeline.task import Task
from krypsis.release.evidence import Evidence


def reference_of(task: Task, evidence: Evidence) -> dict[str, dict[Label, int]]:
    """Return the distributions that an outsider needs to check the promises and cannot see, because rows are gone."""
    histograms = compared(task, evidence.frequency)
    if not histograms or not evidence.outcome.suppressed or task.suppressed == "keep":
        return {}
    _warn_of_residue(task, evidence)
    return {
        name: dict(zip(histogram.domain.values, histogram.whole.tolist(), strict=True))
        for name, histogram in histograms.items()
    }


def compared(task: Task, frequency: FrequencySet) -> dict[str, Histogram]:
    """Return the sensitive attributes that a promise compares with the whole table."""
    return _looked_at(frequency, [model for model in task.models if model.compares_with_whole])


def told_hierarchies(task: Task, frequency: FrequencySet) -> dict[str, Hierarchy]:
    """Return the hierarchies of sensitive attributes that an outsider needs to check the promises."""
    models = [model for model in task.models if model.compares_with_whole or model.needs_hierarchy]
    found = {name: histogram.domain.hierarchy for name, histogram in _looked_at(frequency, models).items()}
    return {name: hierarchy for name, hierarchy in found.items() if hierarchy is not None}


def _looked_at(frequency: FrequencySet, models: Sequence[PrivacyModel]) -> dict[str, Histogram]:
    wanted = {getattr(model, "attribute", None) for model in models}
    return {name: found for name, found in frequency.sensitive.items() if name in wanted or None in wanted}


def _warn_of_residue(task: Task, evidence: Evidence) -> None:
    # Of the population, what the release tells of the whole table says nothing.
    judge = Judge(evidence.frequency, [model for model in task.group_models if not model.needs_population])
    node = judge.rollup.bottom()
    if not judge.residue_is_accepted(node, evidence.recoding.suppressed):
        warnings.warn(
            f"{evidence.outcome.suppressed} records are left out, and the release tells the distribution of sensitive "
            "values in the whole table, which the promise compares with; together they tell the sensitive values "
            "of the records left out, and as a group these do not keep the promises. Allow more suppression, or "
            "publish them with suppressed='keep'",
            PrivacyWarning,
            stacklevel=5,
        )
