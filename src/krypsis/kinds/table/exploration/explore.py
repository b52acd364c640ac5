"""Judging the nodes of a lattice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import polars as pl

from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.data.frequency import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.kinds.table.exploration.columns import ACHIEVED, METRIC, level_columns
from krypsis.kinds.table.exploration.examples import examples_of
from krypsis.kinds.table.exploration.exploration import Exploration
from krypsis.kinds.table.exploration.figures import Figure, figures_of
from krypsis.kinds.table.exploration.minimal_nodes import with_minimal
from krypsis.kinds.table.exploration.recorder import Recorder
from krypsis.kinds.table.exploration.walk import walk
from krypsis.kinds.table.families.recoding import choose_algorithm, models_for, prepare
from krypsis.kinds.table.task import TableTask, settled
from krypsis.metrics.base import Metric
from krypsis.progress import NO_PROGRESS, Progress

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
