"""Releases of records that look alike: their quasi-identifiers are generalized, some records suppressed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm, Method
from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.checker.original import Original
from krypsis.datasets.dataset import Dataset
from krypsis.engines.base import CountedTable
from krypsis.errors import SearchWarning, UsageError
from krypsis.frequency import FrequencySet, Grain
from krypsis.hierarchies import describe, resolve
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.metrics.base import Metric
from krypsis.metrics.reported import reported_metrics
from krypsis.models.base import GroupModel, TableModel
from krypsis.outcome import Outcome, outcome_of
from krypsis.pipeline.automatic import Choice, chosen
from krypsis.pipeline.clock import Clock
from krypsis.pipeline.limits import limits_of
from krypsis.pipeline.public_labels import PublicLabels, private_figures, public_labels
from krypsis.pipeline.reference import told_hierarchies
from krypsis.pipeline.strangers import without_strangers
from krypsis.pipeline.task import Task, check_task
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.recipe.recipe import write_down
from krypsis.recoding import as_cells
from krypsis.release.before import Before, Evidence
from krypsis.release.made_by import MadeBy
from krypsis.release.release import Release

AUTO_WORK = 5_000_000_000
"""``auto`` searches for the optimum where nodes times distinct tuples are at most this, about a minute at worst."""

AUTO_SECONDS = 30
"""How long ``auto`` searches a lattice that is too large for that."""

MOST_WORK = 10 * AUTO_WORK
"""Where nodes times distinct tuples are more, a search is limited even if the optimum was asked for."""


def generalized_release(dataset: Dataset, task: Task, progress: Progress = NO_PROGRESS) -> Release:
    """Return the release of a task. Its promises have not been checked."""
    clock = Clock()
    with clock.time("encode"):
        progress.phase("encode")
        counted, limits = prepare(dataset, task)
        frequency = counted.frequency
    algorithm = choose_algorithm(task, frequency, limits)
    progress.phase("search")
    with clock.time("search"):
        recoding = algorithm.search(frequency, models_for(algorithm, task), task.metric, limits, progress)
        choice = chosen(task, frequency, limits, Choice(algorithm, recoding), progress)
        algorithm, recoding = choice.algorithm, choice.recoding
    with clock.time("recode"):
        progress.phase("recode")
        public = public_labels(task.hierarchies, frequency, recoding)
        table = counted.apply(as_cells(public.recoding, public.frequency), task.suppressed)
        suppressed_rows = counted.suppressed_rows(recoding)
    if frequency.population is not None:
        frequency, recoding = without_strangers(frequency, recoding)
        own = without_strangers(public.frequency, public.recoding)
        public = replace(public, frequency=own[0], recoding=own[1])
    outcome = outcome_of(recoding, frequency)
    evidence = _evidence(task, public, outcome, limits)
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=algorithm.spec,
        scheme=algorithm.scheme,
        metric=task.metric.spec,
        hierarchies={name: describe(task.hierarchies.get(name)) for name in task.schema.quasi_identifiers},
        levels=public.levels,
        heights=public.heights,
        score=task.metric.compute(outcome),
        lower_bound=recoding.lower_bound,
        suppressed=outcome.suppressed,
        suppression=task.suppressed,
        rows_before=frequency.rows,
        metrics={metric.name: metric.compute(outcome) for metric in _reported(task) if metric.applies_to(frequency)},
        rounded=_rounded(task, suppressed=outcome.suppressed > 0),
    )
    return Release(
        GeneralizedTable(table, task.schema, sensitive_hierarchies=told_hierarchies(task, frequency)),
        made_by,
        private={
            "suppressed_rows": suppressed_rows,
            "seconds": clock.seconds,
            "recipe": write_down(replace(task, hierarchies=public.specs), evidence, table.columns),
            **({"choice": choice.reason} if choice.reason else {}),
        },
        before=Before(
            dataset.collect(table.columns),
            evidence=evidence,
            private_columns=_private_columns(dataset, task, suppressed_rows),
        ),
    )


def _evidence(task: Task, public: PublicLabels, outcome: Outcome, limits: Limits) -> Evidence:
    frequency, recoding = public.frequency, public.recoding
    lowest, highest = limits.lowest or (0,) * len(frequency.attributes), limits.highest or frequency.heights
    allowed = tuple(zip(lowest, highest, strict=True))
    return Evidence(frequency, recoding, outcome, _population(task, frequency), limits.suppressed, allowed)


def _rounded(task: Task, *, suppressed: bool) -> frozenset[str]:
    # Nobody has tested what the metrics of others depend on, so they count as depending on original values.
    known = registry.classes("metric").items()
    needing = frozenset(name for name, cls in known if cls.needs_original or not registry.is_built_in(cls))
    specs = [task.hierarchies.get(name) for name in task.schema.quasi_identifiers]
    return needing | private_figures(specs) if suppressed else needing


def prepare(dataset: Dataset, task: Task) -> tuple[CountedTable, Limits]:
    """Check a task and count the table: return what a search works on and what applies the answer, and its limits."""
    check_task(dataset, task)
    grain: Grain = "tuple" if task.method is None else _recoding(task.method).grain
    population = None if task.people is None else task.people.engine
    hierarchies = hierarchies_of(dataset, task)
    counted = dataset.engine.count_tuples(task.schema, hierarchies, grain, population, task.combinations)
    return counted, limits_of(task, counted.frequency)


def choose_algorithm(task: Task, frequency: FrequencySet, limits: Limits) -> Algorithm:
    """Return the algorithm; ``auto`` is the optimal search, limited in time where the lattice is too large.

    The optimal search without a limit of its own is limited, too, where nobody could wait for its end.
    """
    nodes = Lattice.of(frequency, limits).size
    if task.method is not None:
        algorithm = _recoding(task.method)
        endless = isinstance(algorithm, Optimal) and algorithm.seconds is None and algorithm.nodes is None
        work = nodes * len(frequency.counts)
        return _limited(algorithm, nodes) if endless and work > MOST_WORK else algorithm
    return Optimal() if nodes * len(frequency.counts) <= AUTO_WORK else _limited(Optimal(), nodes)


def _limited(algorithm: Algorithm, nodes: int) -> Algorithm:
    """Say that a search is limited, and limit it."""
    warning = SearchWarning(
        f"the lattice has {nodes:.3g} nodes, too many to search them all; searching for {AUTO_SECONDS} seconds. The "
        "result keeps its promises, but a better one may exist: choose 'optimal:seconds=600' to search longer",
        {
            "el": f"Το πλέγμα έχει {nodes:.3g} κόμβους, πάρα πολλούς για να εξεταστούν όλοι· η αναζήτηση διαρκεί "
            f"{AUTO_SECONDS} δευτερόλεπτα. Το αποτέλεσμα τηρεί τις εγγυήσεις, αλλά ίσως υπάρχει καλύτερο: επιλέξτε "
            "'optimal:seconds=600' για μεγαλύτερη αναζήτηση"
        },
    )
    warnings.warn(warning, stacklevel=6)
    return algorithm.model_copy(update={"seconds": AUTO_SECONDS})


def _recoding(method: Method) -> Algorithm:
    if not isinstance(method, Algorithm):
        raise UsageError(
            f"{method.name} does not search among levels, so there are none to choose among; "
            "choose an algorithm that does, such as the algorithm 'optimal'"
        )
    return method


def _reported(task: Task) -> list[Metric]:
    """Return the metrics that every release is measured by, as they are meant for the promises of this one."""
    return [cls().promised(task.models) for cls in reported_metrics()]


def models_for(algorithm: Algorithm, task: Task) -> Sequence[Any]:
    """Return the promises as an algorithm knows them: those of its kind, or promises about groups that imply them."""
    if algorithm.promises_about == "links":
        return task.models
    for model in task.group_models:
        if not algorithm.judges_all and _is_special(model, task, algorithm):
            raise UsageError(
                f"{algorithm.name} looks at groups one by one, which does not decide {model.spec}. "
                "Use algorithm 'optimal', which judges the table as a whole"
            )
        together = isinstance(model, TableModel) or model.judges_absent
        if (together and len(task.schema.sets) > 1) or (
            (together or model.needs_disjoint) and task.suppressed == "keep"
        ):
            raise UsageError(
                f"{model.spec} is about all groups together; it needs one set of quasi-identifiers and suppressed "
                "records that are removed. Use algorithm 'optimal' with suppressed: remove and without further sets"
            )
    return task.group_models


def _is_special(model: GroupModel, task: Task, algorithm: Algorithm) -> bool:
    own_sets = model.sets_of(task.schema.quasi_identifiers) is not None
    counts_more = any(names in task.combinations for names in model.combinations(task.schema.sensitive))
    counts_more = counts_more and not algorithm.counts_combined
    return model.needs_population or own_sets or counts_more or isinstance(model, TableModel)


def _private_columns(dataset: Dataset, task: Task, suppressed_rows: Sequence[int]) -> pl.DataFrame | None:
    """Return the columns that a promise counts and that are not published, at the records that are."""
    if not task.unpublished:
        return None
    columns = dataset.collect(task.unpublished)
    if task.suppressed == "keep" or not suppressed_rows:
        return columns
    shown = np.ones(columns.height, dtype=np.bool_)
    shown[suppressed_rows] = False
    return columns.filter(pl.Series(shown))


def hierarchies_of(dataset: Dataset, task: Task) -> dict[str, Hierarchy]:
    """Return the hierarchies of the quasi-identifiers, and those that are given for sensitive attributes."""
    names = [*task.schema.quasi_identifiers, *(name for name in task.schema.sensitive if name in task.hierarchies)]
    return {
        name: resolve(task.hierarchies.get(name), _values(dataset, task, name), name, task.folder) for name in names
    }


def _values(dataset: Dataset, task: Task, name: str) -> list[Label]:
    """Return the values of a column, with those of the population."""
    own = dataset.engine.distinct(name)
    if task.people is None or name not in task.people.columns:
        return own
    return list(dict.fromkeys([*own, *task.people.engine.distinct(name)]))


def _population(task: Task, frequency: FrequencySet) -> Original | None:
    if task.people is None:
        return None
    hierarchies = dict(zip(frequency.attributes, frequency.hierarchies, strict=True))
    return Original(task.people.collect(frequency.attributes), hierarchies)
