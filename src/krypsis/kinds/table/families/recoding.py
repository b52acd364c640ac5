"""Releases of records that look alike: their quasi-identifiers are generalized, some records suppressed."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.algorithms.tables.base import Algorithm, Method
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.checker.evidence import Original
from krypsis.data.groups import Domain
from krypsis.data.hierarchies import describe, resolve
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.recoding import CellRecoding, FrequencySet, Grain, Outcome, Recoding, as_cells, outcome_of
from krypsis.errors import Infeasible, SearchWarning, UsageError
from krypsis.io.engines.base import CountedElsewhere, CountedTable, in_memory
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.profile.published_risks import MOST_ROWS
from krypsis.kinds.table.public_labels import PublicLabels, private_figures, public_labels
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.kinds.table.recipe.recipe import write_down
from krypsis.kinds.table.task import TableTask, check_task, limits_of
from krypsis.metrics.base import Metric, reported_metrics
from krypsis.models.base import GroupModel, PrivacyModel, TableModel
from krypsis.progress import Progress
from krypsis.release.order import SEED, new_seed
from krypsis.release.provenance import Before, MadeBy, RecodingEvidence
from krypsis.release.publication import Publication
from krypsis.release.release import Release
from krypsis.release.run import Run

if TYPE_CHECKING:
    from krypsis.kinds.table.task import TableTask


AUTO_WORK = 5_000_000_000
"""``auto`` searches for the optimum where nodes times distinct tuples are at most this, about a minute at worst."""

AUTO_SECONDS = 30
"""How long ``auto`` searches a lattice that is too large for that."""

MOST_WORK = 10 * AUTO_WORK
"""Where nodes times distinct tuples are more, a search is limited even if the optimum was asked for."""


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task. Its promises have not been checked."""
    with run.phase("encode"):
        counted, limits = prepare(task)
        frequency = counted.frequency
    algorithm = choose_algorithm(task, frequency, limits)
    with run.phase("search"):
        recoding = algorithm.search(frequency, models_for(algorithm, task), task.metric, limits, run.progress)
        choice = chosen(task, frequency, limits, ChosenRecoding(algorithm, recoding), run.progress)
        algorithm, recoding = choice.algorithm, choice.recoding
    with run.phase("recode"):
        public = public_labels(task.hierarchies, frequency, recoding)
        cells = as_cells(public.recoding, public.frequency)
        hierarchies = published_hierarchies(task, frequency)
        recoded = (
            _in_parts(task, counted, cells, hierarchies)
            if isinstance(counted, CountedElsewhere)
            else _in_memory(task, counted, cells, hierarchies)
        )
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
        metrics={metric.name: metric.compute(outcome) for metric in reported_by(task) if metric.applies_to(frequency)},
        rounded=rounded_figures(task, suppressed=outcome.suppressed > 0),
    )
    made = run.release(
        recoded.publication,
        made_by,
        replace(recoded.before, evidence=evidence),
        recipe=write_down(replace(task, hierarchies=public.specs), evidence, recoded.columns),
        **recoded.private,
    )
    return made.with_private({"choice": choice.reason}) if choice.reason else made


@dataclass(frozen=True, eq=False)
class _Recoded:
    """The records as they are published, what they were before, and what only the publisher may know of them."""

    publication: Publication
    columns: Sequence[str]
    before: Before
    private: Mapping[str, Any]


def _in_memory(
    task: TableTask, counted: CountedTable, cells: CellRecoding, hierarchies: Mapping[str, Hierarchy]
) -> _Recoded:
    """Recode rows that are in memory."""
    rows = in_memory(counted)
    table, suppressed_rows = rows.apply(cells, task.suppressed), rows.suppressed_rows(cells)
    before = Before(
        partial(task.dataset.collect, table.columns), private_columns=_private_columns(task, suppressed_rows)
    )
    publication = GeneralizedTable(table, task.schema, sensitive_hierarchies=hierarchies)
    return _Recoded(publication, table.columns, before, {"suppressed_rows": suppressed_rows})


def _in_parts(
    task: TableTask, counted: CountedElsewhere, cells: CellRecoding, hierarchies: Mapping[str, Hierarchy]
) -> _Recoded:
    """Recode rows where they lie; they come in published order, part by part."""
    seed = new_seed()
    parts = counted.publish(cells, task.suppressed, seed)
    publication = PartedTable(parts, task.schema, sensitive_hierarchies=hierarchies)
    untouched = [name for name in parts.columns if name not in counted.frequency.attributes]
    # What two columns reveal about each other is counted where one is a quasi-identifier and the other one, too, or
    # sensitive. For all others some records are kept; they were looked at before.
    sample = task.dataset.sampled(MOST_ROWS, parts.columns).collect() if untouched else None
    return _Recoded(
        publication, parts.columns, Before(sample=sample), {SEED: seed, "sample_seed": task.dataset.sample_seed}
    )


def _evidence(task: TableTask, public: PublicLabels, outcome: Outcome, limits: Limits) -> RecodingEvidence:
    frequency, recoding = public.frequency, public.recoding
    lowest, highest = limits.lowest or (0,) * len(frequency.attributes), limits.highest or frequency.heights
    allowed = tuple(zip(lowest, highest, strict=True))
    return RecodingEvidence(frequency, recoding, outcome, _population(task, frequency), limits.suppressed, allowed)


def rounded_figures(task: TableTask, *, suppressed: bool) -> frozenset[str]:
    """Return the metrics that are published rounded, because they depend on what cannot be seen in the release."""
    # Nobody has tested what the metrics of others depend on, so they count as depending on original values.
    known = registry.classes("metric").items()
    needing = frozenset(name for name, cls in known if cls.needs_original or not registry.is_built_in(cls))
    specs = [task.hierarchies.get(name) for name in task.schema.quasi_identifiers]
    return needing | private_figures(specs) if suppressed else needing


def prepare(task: TableTask) -> tuple[CountedTable, Limits]:
    """Check a task and count the table: return what a search works on and what applies the answer, and its limits."""
    check_task(task)
    grain: Grain = "tuple" if task.method is None else _recoding(task.method).grain
    population = None if task.people is None else task.people.engine
    counted = task.dataset.engine.count_tuples(task.schema, hierarchies_of(task), grain, population, task.combinations)
    return counted, limits_of(task, counted.frequency)


def choose_algorithm(task: TableTask, frequency: FrequencySet, limits: Limits) -> Algorithm:
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


def reported_by(task: TableTask) -> list[Metric]:
    """Return the metrics that every release is measured by, as they are meant for the promises of this one."""
    return [cls().promised(task.models) for cls in reported_metrics()]


def models_for(algorithm: Algorithm, task: TableTask) -> Sequence[Any]:
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


def _is_special(model: GroupModel, task: TableTask, algorithm: Algorithm) -> bool:
    own_sets = model.sets_of(task.schema.quasi_identifiers) is not None
    counts_more = any(names in task.combinations for names in model.combinations(task.schema.sensitive))
    counts_more = counts_more and not algorithm.counts_combined
    return model.needs_population or own_sets or counts_more or isinstance(model, TableModel)


def _private_columns(task: TableTask, suppressed_rows: Sequence[int]) -> pl.DataFrame | None:
    """Return the columns that a promise counts and that are not published, at the records that are."""
    if not task.unpublished:
        return None
    columns = task.dataset.collect(task.unpublished)
    if task.suppressed == "keep" or not suppressed_rows:
        return columns
    shown = np.ones(columns.height, dtype=np.bool_)
    shown[suppressed_rows] = False
    return columns.filter(pl.Series(shown))


def hierarchies_of(task: TableTask) -> dict[str, Hierarchy]:
    """Return the hierarchies of the quasi-identifiers, and those that are given for sensitive attributes."""
    names = [*task.schema.quasi_identifiers, *(name for name in task.schema.sensitive if name in task.hierarchies)]
    return {name: resolve(task.hierarchies.get(name), _values(task, name), name, task.folder) for name in names}


def _values(task: TableTask, name: str) -> list[Label]:
    """Return the values of a column, with those of the population."""
    own = task.dataset.engine.distinct(name)
    if task.people is None or name not in task.people.columns:
        return own
    return list(dict.fromkeys([*own, *task.people.engine.distinct(name)]))


def _population(task: TableTask, frequency: FrequencySet) -> Original | None:
    if task.people is None:
        return None
    hierarchies = dict(zip(frequency.attributes, frequency.hierarchies, strict=True))
    return Original(task.people.collect(frequency.attributes), hierarchies)


LOW = 0.2
"""Up to this loss, the same levels for all records are kept: they are easier to analyze."""
WORTHWHILE = 0.75
"""Ranges for each group must have at most this part of that loss."""
FEWEST_RECORDS = 100
"""In a smaller table, ranges that begin and end at values of records reveal too much about them."""
COMPARED = ("loss", "ncp", "generalized-loss")
"""Metrics that mean the same for levels and for ranges."""


@dataclass(frozen=True, eq=False)
class ChosenRecoding:
    """What was searched with, what was found, and why."""

    algorithm: Algorithm
    recoding: Recoding
    reason: str = ""


def chosen(
    task: TableTask, frequency: FrequencySet, limits: Limits, full: ChosenRecoding, progress: Progress
) -> ChosenRecoding:
    """Return the best levels for all records, or local recoding where ``auto`` may choose it and it keeps much more."""
    if task.method is not None or task.metric.name not in COMPARED or frequency.rows < FEWEST_RECORDS:
        return full
    score = task.metric.compute(outcome_of(full.recoding, frequency))
    if score <= LOW or progress.wants_stop():
        return full
    local = Mondrian()
    try:
        recoding = local.search(frequency, task.group_models, task.metric, limits, progress)
    except (Infeasible, UsageError):  # it does not keep every promise that levels can
        return full
    lower = task.metric.compute(outcome_of(recoding, frequency))
    if lower > WORTHWHILE * score:
        return full
    return ChosenRecoding(local, recoding, _reason(task.metric.name, score, lower))


def _reason(metric: str, score: float, lower: float) -> str:
    return (
        f"auto chose mondrian, which gives each group ranges of its own: {metric} {lower:.3g}, where the best levels "
        f"for all records have {score:.3g}. New records cannot be published with these ranges by 'krypsis apply'; "
        "write 'algorithm: optimal' to have the same levels for all records"
    )


def without_strangers(frequency: FrequencySet, recoding: Recoding) -> tuple[FrequencySet, Recoding]:
    """Return both without the tuples that no record has."""
    present = len(frequency.own.counts)
    if isinstance(recoding, CellRecoding):
        recoding = replace(recoding, released=recoding.released[:present])
    return frequency.own, replace(recoding, suppressed=recoding.suppressed[:present])


def published_hierarchies(task: TableTask, frequency: FrequencySet) -> dict[str, Hierarchy]:
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
