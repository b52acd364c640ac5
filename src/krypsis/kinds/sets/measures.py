"""Metrics of sets that are measured on request: what takes long, or needs a question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.disassociation.disassociation import wanted_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.base import SetMetric
from krypsis.metrics.transactions.counting import Sets
from krypsis.metrics.transactions.relative_error import MatchError

MEASURES = "measures"
"""Where the private record of a release has what was measured on request."""


@dataclass(frozen=True, repr=False)
class MeasuredFigure:
    """A figure, or why there is none, and the figures of single sets that it is the mean of, with their signs."""

    metric: str
    value: float | None
    reason: str = ""
    errors: Mapping[str, float | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show nothing but the name: the figure depends on the sets before."""
        return f"MeasuredFigure({self.metric.partition(':')[0]}; private)"

    def as_dict(self) -> dict[str, Any]:
        """Return what was measured, ready for JSON."""
        return asdict(self)

    def sentence(self) -> str:
        """Return the figure in one line."""
        return f"{self.metric}: {self.reason}" if self.value is None else f"{self.metric}: {self.value:.4g}"


def metrics_named(specs: Iterable[object]) -> tuple[SetMetric, ...]:
    """Return metrics of sets from what people write, such as ``tkd:top=100``.

    Raises
    ------
    UsageError
        if one of them is no metric of sets.

    Examples
    --------
    >>> [metric.spec for metric in metrics_named(["tkd:top=100", "re"])]
    ['tkd:top=100', 're']
    """
    found = [registry.create("metric", spec) for spec in specs]
    known = [name for name, cls in registry.classes("metric").items() if issubclass(cls, SetMetric)]
    for metric in found:
        if not isinstance(metric, SetMetric):
            raise UsageError(f"{metric.name} does not measure sets of items; these do: {', '.join(sorted(known))}")
    return tuple(found)


def all_metrics() -> tuple[SetMetric, ...]:
    """Return all metrics of sets as they usually are."""
    known = registry.classes("metric").values()
    return tuple(cls() for cls in known if issubclass(cls, SetMetric))


def about_task(metrics: Sequence[SetMetric], task: SetTask, constraints: str | Sets) -> tuple[SetMetric, ...]:
    """Return metrics with what the task says: the k of the promise, and the utility constraints as the sets wanted."""
    return tuple(_about(metric, task, constraints) for metric in metrics)


def _about(metric: SetMetric, task: SetTask, constraints: str | Sets) -> SetMetric:
    if isinstance(metric, MatchError) and not metric.sets and constraints:
        return metric.model_copy(update={"sets": wanted_sets(constraints, task.transactions, task.hierarchy)})
    is_as_usual = not metric.model_fields_set
    return type(metric).usual(task.models) if is_as_usual else metric


def measure_each(
    metrics: Sequence[SetMetric],
    original: Transactions,
    published: PublishedSets,
    hierarchy: Hierarchy | None,
    rng: np.random.Generator,
    *,
    in_order: bool,
) -> list[MeasuredFigure]:
    """Return the figure of each metric, or why there is none.

    Parameters
    ----------
    metrics, original, published, hierarchy, rng
        see :meth:`krypsis.metrics.transactions.base.SetMetric.measure`.
    in_order
        whether published records stand in the order of the original ones.
    """
    seeds = rng.integers(2**63, size=len(metrics)).tolist()
    return [
        _measured(metric, original, published, hierarchy, seed, in_order=in_order)
        for metric, seed in zip(metrics, seeds, strict=True)
    ]


def _measured(
    metric: SetMetric,
    original: Transactions,
    published: PublishedSets,
    hierarchy: Hierarchy | None,
    seed: int,
    *,
    in_order: bool,
) -> MeasuredFigure:
    name = metric.name if isinstance(metric, MatchError) else metric.spec  # its sets are listed with their errors
    if not metric.applies_to(published, hierarchy):
        return MeasuredFigure(name, None, "it does not measure what is published in this form, or needs a hierarchy")
    if metric.needs_order and not in_order:
        return MeasuredFigure(name, None, "it compares records one by one, and a release hides whose they are")
    try:
        value = metric.measure(original, published, hierarchy, np.random.default_rng(seed))
        errors = metric.errors(original, published, hierarchy, np.random.default_rng(seed))
    except UsageError as error:
        return MeasuredFigure(name, None, str(error))
    return MeasuredFigure(name, value, errors={", ".join(one): error for one, error in errors.items()})


LIMITS = (-0.25, -0.1, -0.05, -0.025, 0.0, 0.025, 0.05, 0.1, 0.25)
"""Where the ranges of errors begin and end: those of figures 4.13 to 4.15 of the thesis, and wider ones."""


def errors_by_range(errors: Iterable[float | None]) -> list[tuple[str, int]]:
    """Return how many errors lie in each range, lower end included; those that are not known are left out.

    Examples
    --------
    >>> [entry for entry in errors_by_range([-0.03, 0.0, 0.01, None, 0.6]) if entry[1]]
    [('-5% to -2.5%', 1), ('0% to 2.5%', 2), ('25% and above', 1)]
    """
    known = np.array([error for error in errors if error is not None])
    places = np.searchsorted(np.array(LIMITS), known, side="right")
    counted = np.bincount(places, minlength=len(LIMITS) + 1).tolist()
    ends = [f"{100 * limit:g}%" for limit in LIMITS]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return list(zip([f"below {ends[0]}", *between, f"{ends[-1]} and above"], counted, strict=True))
