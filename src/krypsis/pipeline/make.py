"""Choose the way in which a release is made."""

from __future__ import annotations

from krypsis.algorithms.base import Bucketing, Perturbation
from krypsis.algorithms.mechanisms.base import Mechanism
from krypsis.algorithms.tables.ff_suppression import FFSuppression
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.datasets.dataset import Dataset
from krypsis.pipeline.bucketized import bucketized_release
from krypsis.pipeline.free_form import free_form_release
from krypsis.pipeline.generalized import generalized_release
from krypsis.pipeline.mechanism import mechanism_release
from krypsis.pipeline.perturbed import perturbed_release
from krypsis.pipeline.related import related_release
from krypsis.pipeline.task import Task
from krypsis.release.release import Release


def make_release(dataset: Dataset, task: Task, watch: Watch = UNWATCHED) -> Release:
    """Return the release of a task. Its promises have not been checked."""
    if task.is_about_several_tables:
        return related_release(dataset, task, watch)
    match task.method:
        case Bucketing() as method:
            return bucketized_release(dataset, task, method, watch)
        case Perturbation() as method:
            return perturbed_release(dataset, task, method, watch)
        case FFSuppression() as method:
            return free_form_release(dataset, task, method, watch)
        case Mechanism() as method:
            return mechanism_release(dataset, task, method, watch)
        case _:
            return generalized_release(dataset, task, watch)
