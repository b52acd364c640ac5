"""The pipeline: from a table and what is wanted of it to a release that still has to be checked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import floor
from numbers import Integral
from pathlib import Path
from time import perf_counter

from krypsis import registry
from krypsis.algorithms.base import Algorithm
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.tables.optimal import Optimal
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.datasets.dataset import Dataset
from krypsis.engines.base import Engine, Suppressed
from krypsis.engines.local import LocalEngine
from krypsis.errors import PrivacyWarning, SearchWarning, UsageError
from krypsis.frequency import FrequencySet, Grain
from krypsis.groups import Histogram
from krypsis.hierarchies import HierarchySpec, describe, resolve
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.outcome import outcome_of
from krypsis.recipe.written import write_down
from krypsis.release.evidence import Evidence
from krypsis.release.release import Release
from krypsis.schema import Role, Schema
from krypsis.schemes import levels_of

AUTO_WORK = 5_000_000_000
"""``auto`` searches for the optimum where nodes times distinct tuples are at most this, about a minute at worst."""

AUTO_SECONDS = 30
"""How long ``auto`` searches a lattice that is too large for that."""


@dataclass(frozen=True)
class Task:
    """What is wanted: roles, hierarchies, promises, the metric to keep low, and the limits."""

    schema: Schema
    models: Sequence[GroupModel]
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    algorithm: object = "auto"
    metric: Metric = field(default_factory=lambda: registry.create("metric", "loss"))
    suppression: str | float | None = None
    suppressed: Suppressed = "remove"
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    folder: Path | None = None
    """Where relative paths of hierarchies start."""


def make_release(dataset: Dataset, task: Task, watch: Watch = UNWATCHED) -> Release:
    """Return the release of a task. Its promises have not been checked."""
    clock = _Clock()
    with clock.time("encode"):
        watch.phase("encode")
        engine, frequency, limits = prepare(dataset, task)
    algorithm = choose_algorithm(task.algorithm, frequency, limits)
    watch.phase("search")
    with clock.time("search"):
        recoding = algorithm.search(frequency, task.models, task.metric, limits, watch)
    with clock.time("recode"):
        watch.phase("recode")
        table = engine.apply(recoding, task.suppressed)
    outcome = outcome_of(recoding, frequency)
    evidence = Evidence(frequency, recoding, outcome)
    return Release(
        table=table,
        schema=task.schema,
        promises=tuple(model.spec for model in task.models),
        algorithm=algorithm.name,
        scheme=algorithm.scheme,
        metric=task.metric.name,
        hierarchies={name: describe(task.hierarchies.get(name)) for name in task.schema.quasi_identifiers},
        levels=levels_of(recoding, frequency),
        heights=dict(zip(frequency.attributes, frequency.heights, strict=True)),
        score=task.metric.compute(outcome),
        lower_bound=recoding.lower_bound,
        suppressed=outcome.suppressed,
        suppression=task.suppressed,
        rows_before=frequency.rows,
        metrics={
            name: cls().compute(outcome)
            for name, cls in registry.classes("metric").items()
            if cls.reported and cls().applies_to(frequency)
        },
        rounded=frozenset(name for name, cls in registry.classes("metric").items() if cls.needs_original),
        reference=_reference(task, evidence),
        sensitive_hierarchies={
            name: histogram.domain.hierarchy
            for name, histogram in _compared(task, frequency).items()
            if histogram.domain.hierarchy is not None
        },
        private={
            "suppressed_rows": list(engine.suppressed_rows(recoding)),
            "seconds": clock.seconds,
            "recipe": write_down(task, evidence, table.columns),
        },
        evidence=evidence,
    )


def prepare(dataset: Dataset, task: Task) -> tuple[Engine, FrequencySet, Limits]:
    """Check a task and count the table: return what a search works on, and the engine that applies what it finds."""
    _check_task(dataset, task)
    engine = LocalEngine(dataset)
    grain: Grain = "tuple" if task.algorithm == "auto" else registry.create("algorithm", task.algorithm).grain
    frequency = engine.frequency_set(task.schema, _hierarchies(engine, task), grain)
    return engine, frequency, _limits(task, frequency)


def choose_algorithm(spec: object, frequency: FrequencySet, limits: Limits) -> Algorithm:
    """Return the algorithm; ``auto`` is the optimal search, limited in time where the lattice is too large."""
    if spec != "auto":
        algorithm: Algorithm = registry.create("algorithm", spec)
        return algorithm
    nodes = Lattice.of(frequency, limits).size
    if nodes * len(frequency.counts) <= AUTO_WORK:
        return Optimal()
    warnings.warn(
        f"the lattice has {nodes:.3g} nodes, too many to search them all; searching for {AUTO_SECONDS} seconds. The "
        "result keeps its promises, but a better one may exist: choose 'optimal:seconds=600' to search longer",
        SearchWarning,
        stacklevel=4,
    )
    return Optimal(seconds=AUTO_SECONDS)


def suppression_limit(limit: str | float, rows: int) -> int:
    """Return how many records may be suppressed: a share (``0.02``, ``"2%"``) or a count (``10``), inclusive.

    Examples
    --------
    >>> suppression_limit(0.02, 30162), suppression_limit("2%", 50), suppression_limit(10, 50)
    (603, 1, 10)
    """
    expected = f"suppression must be a share between 0 and 1 such as 0.02 or '2%', or a count of records, got {limit!r}"
    if isinstance(limit, bool):
        raise UsageError(expected)
    try:
        share, count = _share_or_count(limit)
    except (TypeError, ValueError):
        raise UsageError(expected) from None
    if share is not None:
        if not 0 <= share <= 1:
            raise UsageError(expected)
        return floor(share * rows + 1e-9)  # 0.07 * 100 is just below 7
    if count < 0:
        raise UsageError(expected)
    return min(count, rows)


def _share_or_count(limit: str | float) -> tuple[float | None, int]:
    if isinstance(limit, str):
        text = limit.strip()
        if text.endswith("%"):
            return float(text[:-1]) / 100, 0
        return (None, int(text)) if text.lstrip("-").isdigit() else (float(text), 0)
    return (None, int(limit)) if isinstance(limit, Integral) else (float(limit), 0)


def _check_task(dataset: Dataset, task: Task) -> None:
    task.schema.check_columns(dataset.frame.columns)
    if not task.schema.quasi_identifiers:
        raise UsageError(
            "no column has the role 'quasi-identifier'; give it to every column an attacker may know from elsewhere"
        )
    if not task.models:
        raise UsageError("no promise is given; name at least one model, such as 'k-anonymity:k=5'")
    for model in task.models:
        if model.needs_sensitive and not task.schema.sensitive:
            raise UsageError(
                f"{model.spec} is about a sensitive attribute; give at least one column the role 'sensitive'"
            )
        if (attribute := getattr(model, "attribute", None)) is not None:
            task.schema.require(attribute, Role.SENSITIVE)
    for name in task.hierarchies:
        if name not in (known := (*task.schema.quasi_identifiers, *task.schema.sensitive)):
            raise UsageError(
                f"a hierarchy is given for {name!r}, which is neither a quasi-identifier nor sensitive; those are: "
                + ", ".join(known)
            )


def _hierarchies(engine: Engine, task: Task) -> dict[str, Hierarchy]:
    names = [*task.schema.quasi_identifiers, *(name for name in task.schema.sensitive if name in task.hierarchies)]
    return {name: resolve(task.hierarchies.get(name), engine.distinct(name), name, task.folder) for name in names}


def _limits(task: Task, frequency: FrequencySet) -> Limits:
    for name in (*task.min_levels, *task.max_levels):
        task.schema.require(name, Role.QUASI_IDENTIFIER)
    return Limits(
        suppressed=None if task.suppression is None else suppression_limit(task.suppression, frequency.rows),
        keep=task.suppressed == "keep",
        lowest=tuple(task.min_levels.get(name, 0) for name in frequency.attributes),
        highest=tuple(
            task.max_levels.get(name, height)
            for name, height in zip(frequency.attributes, frequency.heights, strict=True)
        ),
    )


def _reference(task: Task, evidence: Evidence) -> dict[str, dict[Label, int]]:
    """Return the distributions that an outsider needs to check the promises and cannot see, because rows are gone."""
    compared = _compared(task, evidence.frequency)
    if not compared or not evidence.outcome.suppressed or task.suppressed == "keep":
        return {}
    _warn_of_residue(task, evidence)
    return {
        name: dict(zip(histogram.domain.values, histogram.whole.tolist(), strict=True))
        for name, histogram in compared.items()
    }


def _compared(task: Task, frequency: FrequencySet) -> dict[str, Histogram]:
    """Return the sensitive attributes that a promise compares with the whole table."""
    wanted = {getattr(model, "attribute", None) for model in task.models if model.compares_with_whole}
    return {name: found for name, found in frequency.sensitive.items() if name in wanted or None in wanted}


def _warn_of_residue(task: Task, evidence: Evidence) -> None:
    judge = Judge(evidence.frequency, task.models)
    node = judge.rollup.bottom()
    if not judge.residue_is_accepted(node, evidence.recoding.suppressed):
        warnings.warn(
            f"{evidence.outcome.suppressed} records are left out, and the release tells the distribution of sensitive "
            "values in the whole table, which the promise compares with; together they tell the sensitive values "
            "of the records left out, and as a group these do not keep the promises. Allow more suppression, or "
            "publish them with suppressed='keep'",
            PrivacyWarning,
            stacklevel=4,
        )


class _Clock:
    """Takes the time of each phase for the private record."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, phase: str) -> Iterator[None]:
        start = perf_counter()
        yield
        self.seconds[phase] = round(perf_counter() - start, 4)
