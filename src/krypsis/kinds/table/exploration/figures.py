"""The figures of a node: what would be published there, how safe it is and what it has lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.rollup import NodeGroups
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Groups
from krypsis.data.hierarchies.base import TOP
from krypsis.kernels.rows import merge
from krypsis.kinds.table.exploration.columns import ACHIEVED, METRIC
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import JudgedNode

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
