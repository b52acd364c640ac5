"""Releases of records that are sets of items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.base import SetMethod, SetTask
from krypsis.data.hierarchies import HierarchySpec
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.resolve import describe, follows_from_data
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.errors import DataError, UsageError
from krypsis.io.item_sets import ITEM
from krypsis.kinds.sets.measures import MEASURES, MeasuredFigure, about_task, all_metrics, measure_each, metrics_named
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.metrics.transactions.base import SetMetric
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SetsTask(SetTask):
    """Sets of items and what is wanted of them, with the method that makes the release."""

    method: SetMethod
    hierarchy_spec: HierarchySpec = None
    """What was said about the hierarchy of the items."""
    hides_constraints: bool = False
    """Whether the constraints of the method come from a file, which may name items that nobody has."""
    measures: tuple[SetMetric, ...] = ()
    """What is measured beyond the usual metrics, for the private record."""

    def __repr__(self) -> str:
        """Name what is promised: records, items and seeds would end up in notebooks and logs."""
        return f"SetsTask({len(self.transactions)} records; {', '.join(model.spec for model in self.models)})"

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release of the sets, in published order. Its promises have not been checked."""
        return sets_release(self, Run(progress, self.method.seed))

    def improved(self, release: Release) -> Release:
        """Return the release as it is: nothing is known yet that would lower the loss of sets."""
        return release


def sets_release(task: SetsTask, run: Run) -> Release:
    """Return the release of sets of items. Its promises have not been checked."""
    method = task.method
    method.check(task)
    _refuse_tree_of_data(task)
    hidden = list(_hidden(task.transactions))
    rng = run.random(hidden)
    with run.phase("search"):
        made = method.publish(task, rng, run.progress)
    with run.phase("recode"):
        published = _shuffled(made.published, rng)
    with run.phase("measure"):
        figures = measure_sets(task, made.published, run.random((b"metrics", *hidden)))
        requested = _requested(task, made.published, run)
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=_published_spec(task),
        scheme=method.scheme,
        guarantee=method.guarantee,
        hierarchies={} if task.hierarchy_spec is None else {ITEM: describe(task.hierarchy_spec)},
        rows_before=len(task.transactions),
        metrics=figures.published,
        rounded=figures.rounded,
        hides_figures=True,
    )
    return run.release(
        SetsPublication(published, task.sensitive, _published_hierarchy(published, task.hierarchy)),
        made_by,
        Before(sets=task.transactions),
        metrics=figures.kept,
        **requested,
        **made.private,
    )


def _published_spec(task: SetsTask) -> str:
    """Return the method as the release names it: sets from a file may name items that nobody has."""
    shown = task.method.model_copy(update={"constraints": ()}) if task.hides_constraints else task.method
    return shown.spec


def _refuse_tree_of_data(task: SetsTask) -> None:
    """Raise if the published hierarchy would list the items of the data, also those that no published set names."""
    if task.method.publishes_hierarchy and follows_from_data(task.hierarchy_spec, ITEM):
        raise UsageError(
            f"{task.method.spec} publishes which items may lie below a node, so these must be known without the data; "
            "give the items a hierarchy as a file or as a taxonomy, or use recoding=global, which publishes none"
        )


def _hidden(transactions: Transactions) -> Iterable[bytes]:
    """Yield which items stand together, which no release says."""
    yield repr(transactions.items).encode()
    yield transactions.codes.astype("<i4").tobytes()
    yield transactions.starts.astype("<i8").tobytes()


def _shuffled(published: PublishedSets, rng: np.random.Generator) -> PublishedSets:
    """Return the same in random order: the numbers of records and groups follow from it."""
    if isinstance(published, Disassociated):
        return published.shuffled(rng)
    order = rng.permutation(len(published))
    if isinstance(published, Transactions):
        return published.taken(order)
    number = rng.permutation(len(published.sizes))
    counts = published.counts.copy()
    counts[:, 0] = number[counts[:, 0]]
    counts = counts[np.lexsort((counts[:, 1], counts[:, 0]))]
    return GroupedSets(published.records.taken(order), number[published.groups[order]], published.sensitive, counts)


def _published_hierarchy(published: PublishedSets, hierarchy: Hierarchy | None) -> Hierarchy | None:
    """Return the part of the hierarchy that a reader needs to know which labels may stand for the same item.

    Where every item is published in one way only, nobody needs it.
    """
    if hierarchy is None or not isinstance(published, Transactions):
        return None
    shown = set(published.items)
    rows = [row for row in hierarchy.rows() if shown.intersection(map(str, row))]
    if all(len(shown.intersection(map(str, row))) == 1 for row in rows):
        return None
    if not rows:
        raise DataError("no published label stands in the hierarchy of the items")
    return Hierarchy.from_rows(rows, ITEM)


@dataclass(frozen=True)
class SetFigures:
    """Figures by name."""

    published: dict[str, float]
    rounded: frozenset[str]
    """Those of the published figures that depend on what is hidden, and so are not published."""
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
    shown = [metric for metric in fitting if metric.published]
    return SetFigures(
        published={metric.name: figures[metric.name] for metric in shown},
        rounded=frozenset(metric.name for metric in shown if metric.needs_original),
        kept={metric.name: figures[metric.name] for metric in fitting if not metric.published},
    )


def _requested(task: SetsTask, published: PublishedSets, run: Run) -> dict[str, Any]:
    """Return what the plan wants to know, for the private record; nothing of it is published."""
    if not task.measures:
        return {}
    metrics = about_task(task.measures, task, getattr(task.method, "constraints", ()))
    rng = run.random((b"measures", *_hidden(task.transactions)))
    found = measure_each(metrics, task.transactions, published, task.hierarchy, rng, in_order=True)
    return {MEASURES: [one.as_dict() for one in found]}


def measure_loaded(release: Release, task: SetsTask, specs: Sequence[str]) -> list[MeasuredFigure]:
    """Return figures of a release that was loaded; see :meth:`krypsis.kinds.base.Kind.measure`."""
    if not isinstance(release.publication, SetsPublication):
        raise UsageError(f"this release does not hold sets of items, as the plan says, but {release.kind}")
    wanted = metrics_named(specs) or task.measures or all_metrics()
    metrics = about_task(wanted, task, getattr(task.method, "constraints", ()))
    rng = Run(seed=task.method.seed).random((b"measures", *_hidden(task.transactions)))
    return measure_each(metrics, task.transactions, release.publication.sets, task.hierarchy, rng, in_order=False)


def _is_reported(cls: type[object]) -> bool:
    return issubclass(cls, SetMetric) and cls.reported
