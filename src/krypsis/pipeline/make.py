"""Choose the way in which a release is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from krypsis.algorithms.tables.base import Bucketing, Method, Perturbation
from krypsis.algorithms.tables.ff_suppression import FFSuppression
from krypsis.algorithms.tables.mechanisms.base import Mechanism
from krypsis.algorithms.tables.sa_generalization.sa_generalization import SAGeneralization
from krypsis.datasets.dataset import Dataset
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.pipeline.bucketized import bucketized_release
from krypsis.pipeline.free_form import free_form_release
from krypsis.pipeline.generalized import generalized_release
from krypsis.pipeline.mechanism import mechanism_release
from krypsis.pipeline.personalized import personalized_release
from krypsis.pipeline.perturbed import perturbed_release
from krypsis.pipeline.related import related_release
from krypsis.pipeline.task import Task, settled
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import in_published_order
from krypsis.release.release import Release

WAYS: tuple[tuple[type[Method], Callable[..., Release]], ...] = (
    (Bucketing, bucketized_release),
    (Perturbation, perturbed_release),
    (FFSuppression, free_form_release),
    (SAGeneralization, personalized_release),
    (Mechanism, mechanism_release),
)
"""Kinds of methods, each with what makes a release by it; any other method generalizes."""


def make_release(dataset: Dataset, task: Task, progress: Progress = NO_PROGRESS) -> Release:
    """Return the release of a task, its records in published order. Its promises have not been checked."""
    release = _made(dataset, task, progress)
    published = release.publication
    if isinstance(published, GeneralizedTable) and not published.is_shuffled:
        published = replace(published, from_text=_from_text(dataset, published, release.levels))
    shuffled = in_published_order(replace(release, publication=published))
    return shuffled.disclosing_like(release)


def _from_text(dataset: Dataset, published: GeneralizedTable, levels: Mapping[str, int]) -> frozenset[str]:
    """Return the columns that are published as a text file had them: not generalized, and without a type."""
    if not dataset.is_text:
        return frozenset()
    generalizes = not published.made_by_chance and published.group_column is None
    general = {name for name in published.schema.quasi_identifiers if generalizes and levels.get(name) != 0}
    return frozenset(dataset.columns) - general


def _made(dataset: Dataset, task: Task, progress: Progress) -> Release:
    if task.is_about_several_tables:
        return related_release(dataset, task, progress)
    task = settled(dataset, task)
    for kind, make in WAYS:
        if isinstance(task.method, kind):
            return make(dataset, task, task.method, progress)
    return generalized_release(dataset, task, progress)
