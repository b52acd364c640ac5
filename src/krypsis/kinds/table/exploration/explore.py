"""Judging the nodes of a lattice.

A progress listener that remembers the nodes a search has judged.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial

import numpy as np
import polars as pl

from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, NodeGroups, Rollup
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Groups
from krypsis.data.hierarchies.base import TOP
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.kernels.rows import merge
from krypsis.kinds.table.exploration.exploration import ACHIEVED, METRIC, Exploration, examples_of, level_columns
from krypsis.kinds.table.families.divided import check_fits
from krypsis.kinds.table.families.recoding import choose_algorithm, models_for, prepare
from krypsis.kinds.table.task import RECODING, TableTask, settled, with_rows_where_needed
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress, TraceStep

MOST_RECORDED = 1_000_000


class Recorder(Progress):
    """Remembers every node that a search judges; hand it to :func:`krypsis.anonymize` as ``progress``.

    Parameters
    ----------
    most
        how many nodes it keeps. When there are more, the feasible ones with the lowest scores stay.
    also
        another listener that hears the same.

    Examples
    --------
    >>> import krypsis
    >>> recorder = Recorder()
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["F", "F", "M"]}), {"sex": "quasi-identifier"},
    ...                             models=["k-anonymity:k=2"], progress=recorder)
    >>> recorder.table(["sex"]).select("level:sex", "feasible", "suppressed", "groups").sort("level:sex").rows()
    [(0, False, 1, 1), (1, True, 0, 1)]
    """

    def __init__(self, most: int = MOST_RECORDED, also: Progress = NO_PROGRESS) -> None:
        self.seen = 0
        """How many nodes were judged, also those no longer kept."""
        self._most = most
        self._also = also
        self._nodes: list[JudgedNode] = []

    def phase(self, name: str) -> None:
        self._also.phase(name)

    def judged(self, node: JudgedNode) -> None:
        self.seen += 1
        self._nodes.append(node)
        if len(self._nodes) >= 2 * self._most:  # half of them leave at once, so that sorting costs little per node
            self._keep_best()
        self._also.judged(node)

    def wants_stop(self) -> bool:
        return self._also.wants_stop()

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return self._also.steps

    @property
    def keeps_steps(self) -> bool:
        return self._also.keeps_steps

    def step(self, make: Callable[[], TraceStep]) -> None:
        self._also.step(make)

    def each_step(self, make: Callable[[], Iterable[TraceStep]]) -> None:
        self._also.each_step(make)

    @property
    def nodes(self) -> tuple[JudgedNode, ...]:
        """The nodes in the order in which they were judged."""
        if len(self._nodes) > self._most:
            self._keep_best()
        return tuple(self._nodes)

    def table(self, attributes: Sequence[str]) -> pl.DataFrame:
        """Return one row per node: ``level:<attribute>``, ``feasible``, ``score``, ``suppressed`` and ``groups``.

        ``attributes`` are the quasi-identifiers in the order of the roles. Nodes over fewer attributes, which a
        search may judge on its way, are left out.
        """
        nodes = [node for node in self.nodes if len(node.levels) == len(attributes)]
        figures = {
            "feasible": pl.Series([node.feasible for node in nodes], dtype=pl.Boolean),
            "score": pl.Series([node.score for node in nodes], dtype=pl.Float64),
            "suppressed": pl.Series([node.suppressed for node in nodes], dtype=pl.Int64),
            "groups": pl.Series([node.groups for node in nodes], dtype=pl.Int64),
        }
        return pl.DataFrame({**level_columns(attributes, [node.levels for node in nodes]), **figures})

    def _keep_best(self) -> None:
        places = sorted(range(len(self._nodes)), key=lambda place: _rank(self._nodes[place]))[: self._most]
        self._nodes = [self._nodes[place] for place in sorted(places)]


def _rank(node: JudgedNode) -> tuple[bool, float, int]:
    return (not node.feasible, float("inf") if node.score is None else node.score, node.suppressed)


def with_minimal(nodes: pl.DataFrame, lattice: Lattice) -> pl.DataFrame:
    """Return a table of nodes, in the order of their levels, that says which are minimal.

    Of a lattice that was not judged as a whole nobody knows; then the column is empty.
    """
    complete = nodes.height == lattice.size
    found = minimal_nodes(lattice, nodes["feasible"].to_numpy()) if complete else [None] * nodes.height
    place = nodes.get_column_index("feasible") + 1
    return nodes.clone().insert_column(place, pl.Series("minimal", found, dtype=pl.Boolean))


def minimal_nodes(lattice: Lattice, feasible: BoolArray) -> BoolArray:
    """Say of every node of a lattice, in the order of their levels, whether it is feasible and no node below it is.

    With k-anonymity these are Samarati's k-minimal generalizations. Nothing is assumed about what lies above a
    feasible node.

    Examples
    --------
    >>> minimal_nodes(Lattice((0, 0), (1, 2)), np.array([False, False, True, False, True, True])).tolist()
    [False, False, True, False, True, False]
    """
    shape = [high - low + 1 for low, high in zip(lattice.lowest, lattice.highest, strict=True)]
    here = feasible.reshape(shape)
    at_or_below = here.copy()
    for axis in range(len(shape)):
        at_or_below = np.logical_or.accumulate(at_or_below, axis=axis)
    below = np.zeros_like(here)
    for axis in range(len(shape)):
        np.moveaxis(below, axis, 0)[1:] |= np.moveaxis(at_or_below, axis, 0)[:-1]
    answer: BoolArray = (here & ~below).ravel()
    return answer


def walk(rollup: Rollup, nodes: Iterable[Levels]) -> Iterator[NodeGroups]:
    """Yield the groups of each node.

    The nodes are taken in lexical order, attributes with most values first. Then the node before, or one of its
    ancestors, lies below the next one: over a whole lattice each node comes from a direct predecessor, one that
    differs in an attribute with few values and so has merged most of the groups already.

    Memory: the groups of one node per attribute, and those of the bottom.
    """
    order = _most_values_first(rollup)
    path = [rollup.bottom()]
    for levels in sorted(nodes, key=lambda levels: [levels[position] for position in order]):
        while not _lies_below(path[-1].levels, levels):
            path.pop()
        node, _ = rollup.coarsen(path[-1], levels)
        if _is_passed(path[-1].levels, levels, len(path)):
            path.pop()
        path.append(node)
        yield node


def _most_values_first(rollup: Rollup) -> list[int]:
    hierarchies = rollup.frequency.hierarchies
    return sorted(range(len(hierarchies)), key=lambda position: -len(hierarchies[position].values))


def _lies_below(finer: Levels, coarser: Levels) -> bool:
    return all(low <= high for low, high in zip(finer, coarser, strict=True))


def _is_passed(before: Levels, after: Levels, length: int) -> bool:
    """Say whether a node need not be kept: the next one differs in a single attribute that was raised before."""
    raised = [low for low, high in zip(before, after, strict=True) if low != high]
    return length > 1 and len(raised) == 1 and raised[0] > 0


Figure = float | int | bool | None


def figures_of(
    judge: Judge, node: NodeGroups, metrics: Mapping[str, Metric], limits: Limits, achieved: Sequence[GroupModel]
) -> tuple[JudgedNode, dict[str, Figure]]:
    """Return what a search would say about a node, and all its figures by the name of their column.

    The figures are those of the table with the refused groups suppressed, also where that is more than the limit
    allows: they show what a higher limit would give. With several quasi-identifier sets the worst counts. Where
    nothing would be published, risk and levels achieved are missing. ``achieved`` are the promises whose levels are
    wanted.
    """
    at_once = judge.refused(node, judge.models)
    judged = judge.assess(node, next(iter(metrics.values())), limits, at_once)
    refused = judge.left_out(node, at_once)
    outcome = judge.outcome(node, refused)
    groups_of = cache(partial(published_groups, judge, node, refused, keep=limits.keep))
    figures: dict[str, Figure] = {
        "feasible": judged.feasible,
        "suppressed": outcome.suppressed,
        "suppressed_share": outcome.suppressed / outcome.rows,
        "groups": outcome.group_count,
        **_risk([*map(groups_of, judge.frequency.attribute_sets)]),
        **{ACHIEVED + model.spec: _achieved(model, [*map(groups_of, judge.sets_of(model))]) for model in achieved},
        **{METRIC + name: metric.compute(outcome) for name, metric in metrics.items()},
    }
    return judged, figures


def published_groups(
    judge: Judge, node: NodeGroups, refused: BoolArray, columns: tuple[int, ...], *, keep: bool
) -> Groups:
    """Return the groups an attacker sees who knows the attributes at ``columns``.

    Suppressed records that are kept show the top in every attribute: they are a group of their own, together with
    published ones that show the same.
    """
    shown = node.part(~refused) if refused.any() else node
    shown = shown if keep else shown.alone()
    hidden = keep and refused.any()
    if len(columns) == len(node.levels) and not hidden:
        return shown.groups()
    numbers, first = judge.rollup.number(shown, node.levels, columns)
    people = None if node.population is None else _people(judge, node, columns)[~refused][first]
    if not hidden:
        return _merged(shown, numbers, len(first), people)
    alike = np.flatnonzero(_shows_top(judge, shown, columns))
    together = numbers[alike[0]] if len(alike) else len(first)
    everywhere = np.full(len(refused), together, dtype=np.int32)
    everywhere[~refused] = numbers
    if people is not None and node.population is not None:
        people = np.append(people, 0) if together == len(first) else people
        people[together] = node.population.sum()
    return _merged(node, everywhere, max(len(first), int(together) + 1), people)


def _people(judge: Judge, node: NodeGroups, columns: tuple[int, ...]) -> IntArray:
    """Return for each group how many people of the population look like it in some columns."""
    numbers, first = judge.rollup.number(node, node.levels, columns)
    counted = np.bincount(numbers, node.population, minlength=len(first)).astype(np.int64)
    return np.asarray(counted[numbers])


def _merged(node: NodeGroups, numbers: CodeArray, count: int, people: IntArray | None = None) -> Groups:
    sizes = np.bincount(numbers, node.sizes, minlength=count).astype(np.int64)
    combined = {names: merge(histogram, numbers) for names, histogram in node.combined.items()}
    return Groups(sizes, {name: merge(one, numbers) for name, one in node.sensitive.items()}, people, combined)


def _shows_top(judge: Judge, node: NodeGroups, columns: tuple[int, ...]) -> BoolArray:
    """Say which groups show in all columns what a suppressed record shows there."""
    frequency = judge.frequency
    answer = np.ones(len(node.sizes), dtype=np.bool_)
    for position in columns:
        hierarchy, level = frequency.hierarchies[position], node.levels[position]
        top = hierarchy.labels[-1][0] if hierarchy.height else TOP
        is_top = np.array([label == top for label in hierarchy.labels[level]], dtype=np.bool_)
        answer &= is_top[hierarchy.table[level][frequency.codes[node.tuples, position]]]
    return answer


def _risk(sets: Sequence[Groups]) -> dict[str, Figure]:
    """Return the size of the smallest group and the highest and average chance to pick the right record."""
    if not all(map(len, sets)):
        return {"smallest_group": None, "highest_risk": None, "average_risk": None}
    smallest = min(int(groups.sizes.min()) for groups in sets)
    average = max(len(groups) / groups.rows for groups in sets)
    return {"smallest_group": smallest, "highest_risk": 1 / smallest, "average_risk": average}


def _achieved(model: GroupModel, sets: Sequence[Groups]) -> float | None:
    if not all(map(len, sets)):
        return None
    levels = [model.measure(groups) for groups in sets]
    return min(levels) if model.better == "higher" else max(levels)


MOST_NODES = 50_000
"""A lattice of up to this many nodes is judged as a whole; of a larger one, the nodes that the search comes upon."""

FIGURES: Mapping[str, type[pl.DataType]] = {
    "feasible": pl.Boolean,
    "suppressed": pl.Int64,
    "suppressed_share": pl.Float64,
    "groups": pl.Int64,
    "smallest_group": pl.Int64,
    "highest_risk": pl.Float64,
    "average_risk": pl.Float64,
}


def explore_task(
    task: TableTask,
    *,
    metrics: Iterable[Metric] = (),
    most_nodes: int = MOST_NODES,
    progress: Progress = NO_PROGRESS,
) -> Exploration:
    """Return the solution space of a task; see :func:`krypsis.explore`."""
    if most_nodes < 1:
        raise UsageError(f"most_nodes must be at least 1, got {most_nodes}")
    task = settled(task)
    if task.family == RECODING:  # other methods have no levels to explore, which is said below
        task = with_rows_where_needed(task)
        check_fits(task, "the solution space")
    progress.phase("encode")
    counted, limits = prepare(task)
    frequency = counted.frequency
    lattice = Lattice.of(frequency, limits)
    progress.phase("search")
    nodes = lattice if lattice.size <= most_nodes else _met_by_the_search(task, frequency, limits, most_nodes, progress)
    measured = [metric.promised(task.models) for metric in metrics]
    chosen = {metric.spec: metric for metric in (*task.metric.criteria, *measured)}
    judge = Judge(frequency, task.group_models, limits)
    table = judge_all(judge, nodes, chosen, limits, NO_PROGRESS if nodes is not lattice else progress)
    return Exploration(
        nodes=with_minimal(table, lattice),
        attributes=frequency.attributes,
        heights=frequency.heights,
        promises=tuple(model.spec for model in task.group_models),
        criteria=tuple(metric.spec for metric in task.metric.criteria),
        rows=frequency.rows,
        limit=limits.suppressed or 0,
        size=lattice.size,
        examples=examples_of(frequency),
    )


def _met_by_the_search(
    task: TableTask, frequency: FrequencySet, limits: Limits, most: int, progress: Progress
) -> Sequence[Levels]:
    """Return the nodes that the algorithm of the task judges, the best of them where there are too many."""
    recorder = Recorder(most, progress)
    algorithm = choose_algorithm(task, frequency, limits)
    with suppress(Infeasible):  # then what was judged on the way is the answer: none of it is feasible
        algorithm.search(frequency, models_for(algorithm, task), task.metric, limits, recorder)
    nodes = {node.levels for node in recorder.nodes if len(node.levels) == len(frequency.attributes)}
    if not nodes:
        raise UsageError(
            f"{algorithm.name} does not go from node to node of a lattice, so there is nothing to explore; "
            "choose another algorithm, such as optimal, or allow more nodes"
        )
    return sorted(nodes)


def judge_all(
    judge: Judge,
    nodes: Iterable[Levels],
    metrics: Mapping[str, Metric],
    limits: Limits,
    progress: Progress,
    *,
    with_achieved: bool = True,
) -> pl.DataFrame:
    """Return the table of nodes, in the order of their levels; with the levels achieved of all promises or without."""
    achieved = judge.models if with_achieved else ()
    schema: dict[str, type[pl.DataType]] = {
        **FIGURES,
        **{ACHIEVED + model.spec: pl.Float64 for model in achieved},
        **{METRIC + name: pl.Float64 for name in metrics},
    }
    levels: list[Levels] = []
    figures: dict[str, list[Figure]] = {name: [] for name in schema}
    for node in walk(judge.rollup, nodes):
        judged, found = figures_of(judge, node, metrics, limits, achieved)
        levels.append(node.levels)
        for name, figure in found.items():
            figures[name].append(figure)
        progress.judged(judged)
        if progress.wants_stop():
            break
    table = level_columns(judge.frequency.attributes, levels)
    frame = pl.DataFrame({**table, **{name: pl.Series(figures[name], dtype=kind) for name, kind in schema.items()}})
    return frame.sort(list(table))
