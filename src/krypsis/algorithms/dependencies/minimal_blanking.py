"""Minimal blanking: the fewest cells by which no secret cell follows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.dependencies.cell_facts import (
    CellDerivations,
    CellFacts,
    Profiles,
    ValueSets,
    columns_of_rules,
    relevant_rules,
)
from krypsis.algorithms.dependencies.explanation import CellLeak, explained, words
from krypsis.algorithms.minimal_removal import Removal, remove_by_closed_sets
from krypsis.algorithms.minimal_removal.hitting_sets import joined_removals
from krypsis.algorithms.tables.base import Method
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.dependencies import Dependency
from krypsis.data.dependencies.cells import ColumnCells
from krypsis.errors import Infeasible, InternalError, UsageError, shorten
from krypsis.format.inference_guarantee import DEPENDENCY_GUARANTEE
from krypsis.models.base import PrivacyModel
from krypsis.models.dependency_safety import DependencySafety
from krypsis.progress import NO_PROGRESS, Progress

MOST_EXPLAINED = 20
"""Of more secret cells that followed, the first are explained."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DependencyTask:
    """What a method is given: the cells that are published, those that are secret, and the rules."""

    cells: Mapping[str, ColumnCells]
    """The columns that are published."""
    secret: Mapping[str, BoolArray]
    """Sensitive column → which of its cells are secret."""
    rules: Sequence[Dependency]
    weights: Mapping[str, float] = field(default_factory=dict)
    """What it costs to blank a cell of a column: 1 unless given; infinite where it has to be published."""
    models: Sequence[PrivacyModel] = (DependencySafety(),)

    def check(self) -> None:
        """Raise if parts of the task do not go together."""
        if not self.secret:
            raise UsageError("no cell is secret, so nothing would be protected; name at least one column")
        for name in self.secret:
            if name not in self.cells:
                raise UsageError(f"the secret column {name!r} is not among the columns: {shorten(self.cells)}")


@dataclass(frozen=True, eq=False)
class BlankedCells:
    """Which cells are blank, the secret ones not among them, and what stays with the publisher."""

    blanked: Mapping[str, BoolArray]
    """Column → its cells that are blank to protect others; columns without any are left out."""
    cost: float
    lower_bound: float
    is_optimal: bool
    gap: float
    followed: Mapping[str, int]
    """Sensitive column → how many of its secret cells followed before."""
    leaks: tuple[CellLeak, ...]
    """Some of these, explained."""
    said: tuple[str, ...]
    private: dict[str, float]


class MinimalBlanking(Method):
    """Blanks the cells of lowest cost by which no secret cell follows from the rest.

    Notes
    -----
    Records that agree in all columns that matter are treated alike. What follows from what is a graph of facts about
    their cells; one integer program for each independent part of it finds what to blank. Where the time limit ends
    the search, the result is safe and the gap to the optimum is stated.

    References
    ----------
    Su, Özsoyoglu, "Controlling FD and MVD inferences in multilevel relational database systems", IEEE Transactions on
    Knowledge and Data Engineering 3(4), 1991, who show that the smallest number of cells is hard to find.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.data.dependencies import parse_dependency
    >>> cells = {"drug": ColumnCells.of(pl.Series(["insulin", "aspirin"])),
    ...          "diagnosis": ColumnCells.of(pl.Series(["E10", "I10"]))}
    >>> task = DependencyTask(cells=cells, secret={"diagnosis": np.array([True, True])},
    ...                       rules=parse_dependency("drug = insulin => diagnosis in E10, E11"))
    >>> {name: blank.tolist() for name, blank in MinimalBlanking().publish(task).blanked.items()}
    {'drug': [True, False]}
    """

    name: ClassVar[str] = "minimal-blanking"
    kind: ClassVar[str] = "dependencies"
    scheme: ClassVar[str] = "cells"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (DependencySafety,)
    needs: ClassVar[tuple[type[PrivacyModel], ...]] = (DependencySafety,)
    guarantee: ClassVar[str] = DEPENDENCY_GUARANTEE
    reference: ClassVar[str] = (
        "Su, Özsoyoglu, Controlling FD and MVD inferences in multilevel relational database systems, IEEE Transactions "
        "on Knowledge and Data Engineering 3(4), 1991"
    )
    time_limit: float = Field(default=60.0, gt=0, description="seconds for the search; then the best so far is taken")

    def publish(self, task: DependencyTask, progress: Progress = NO_PROGRESS) -> BlankedCells:
        """Return which cells to blank.

        Raises
        ------
        Infeasible
            if secret cells follow from columns that have to be published as they are; with a derivation.
        """
        task.check()
        deadline = time.monotonic() + self.time_limit
        # Columns that no rule joins are looked at one group after the other: together they would have more profiles.
        each = [self._of_group(task, group, deadline, progress) for group in derivations_of(task)]
        removal = joined_removals([one for one, _ in each])
        cells = {name: blank for _, made in each for name, blank in made.blanked.items()}
        followed = {name: count for _, made in each for name, count in made.followed.items()}
        leaks = sorted((leak for _, made in each for leak in made.leaks), key=lambda leak: (leak.record, leak.column))
        return BlankedCells(
            blanked=cells,
            cost=removal.cost,
            lower_bound=removal.lower_bound,
            is_optimal=removal.is_optimal,
            gap=removal.gap,
            followed=followed,
            leaks=tuple(leaks[:MOST_EXPLAINED]),
            said=tuple(_said(task, cells, followed, removal)),
            private=sum_of_figures([made.figures for _, made in each]),
        )

    def _of_group(
        self, task: DependencyTask, derivations: CellDerivations, deadline: float, progress: Progress
    ) -> tuple[Removal, GroupResult]:
        """Decide about the columns that a group of rules joins."""
        goals, weights = derivations.goals(), derivations.weights(task.weights)
        try:
            removal = remove_by_closed_sets(
                derivations.graph,
                goals,
                weights,
                derivations.always,
                conditions=derivations.conditions(),
                time_limit=max(deadline - time.monotonic(), 0.0),
                progress=progress,
            )
        except Infeasible as failure:
            fixed = np.flatnonzero(np.isposinf(weights))
            raise _infeasible(derivations, fixed, failure.closest["goals"]) from None
        return removal, _result(derivations, goals, np.flatnonzero(~np.isnan(weights)), removal)


def derivations_of(task: DependencyTask) -> Iterator[CellDerivations]:
    """Yield what follows from what in a table, for each group of columns that rules join."""
    for rules in relevant_rules(task.rules, list(task.secret)):
        columns = columns_of_rules(rules)
        values = {name: ValueSets(list(task.cells[name].values) if name in task.cells else []) for name in columns}
        profiles = Profiles.of(task.cells, task.secret, [name for name in columns if name in task.cells])
        sensitive = frozenset(name for name in task.secret if name in columns)
        yield CellDerivations(CellFacts(rules, profiles, values), sensitive)


@dataclass(frozen=True, eq=False)
class GroupResult:
    """What was found about the columns of one group of rules."""

    blanked: Mapping[str, BoolArray]
    followed: Mapping[str, int]
    leaks: tuple[CellLeak, ...]
    figures: dict[str, float]


def sum_of_figures(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return figures of several groups added up."""
    names = dict.fromkeys(name for figures in each for name in figures)
    return {name: sum(figures.get(name, 0) for figures in each) for name in names}


def _result(derivations: CellDerivations, goals: IntArray, given: IntArray, removal: Removal) -> GroupResult:
    graph, profiles, always = derivations.graph, derivations.found.profiles, derivations.always
    left = np.concatenate([np.setdiff1d(given, removal.removed), always])
    if graph.derivable(left)[goals].any():
        raise InternalError("a secret cell still follows after cells were blanked; please report this")
    leaked = goals[graph.derivable(np.concatenate([given, always]))[goals]]
    followed = _first_facts(derivations, leaked)
    counts: dict[str, int] = {}
    for column, profile in followed:
        counts[column] = counts.get(column, 0) + int(profiles.counts[profile])
    blanked: dict[str, BoolArray] = {}
    for statement in removal.removed.tolist():
        column, profile, _ = derivations.statements[statement]
        is_blank = blanked.setdefault(str(column), np.zeros(len(profiles), dtype=np.bool_))
        is_blank[profile] = True
    shown = list(followed.values())[:MOST_EXPLAINED]
    return GroupResult(
        {name: is_blank[profiles.of_record] for name, is_blank in blanked.items()},
        counts,
        tuple(explained(derivations, goal, removal.removed, given) for goal in shown),
        {"profiles": len(profiles), "facts": graph.statements, "firings": len(graph), **removal.figures},
    )


def _first_facts(derivations: CellDerivations, leaked: IntArray) -> dict[tuple[str, int], int]:
    """Return the cells that facts are about, in the order of records, each with one of the facts."""
    found: dict[tuple[str, int], int] = {}
    for statement in leaked.tolist():
        column, profile, _ = derivations.statements[statement]
        assert isinstance(column, str)
        assert isinstance(profile, int)
        found.setdefault((column, profile), statement)
    first = derivations.found.profiles.first_record
    return dict(sorted(found.items(), key=lambda item: int(first[item[0][1]])))


def _said(
    task: DependencyTask, blanked: Mapping[str, BoolArray], followed: Mapping[str, int], removal: Removal
) -> list[str]:
    secret = sum(int(cells.sum()) for cells in task.secret.values())
    total = sum(len(cells) for cells in task.cells.values())
    more = sum(int(cells.sum()) for cells in blanked.values())
    said = [
        f"{secret:,} secret cell(s) are blank; {sum(followed.values()):,} blank cell(s) followed from others.",
        f"{more:,} of {total:,} cells ({more / total:.2%}) were blanked in addition, so that none follows.",
    ]
    if not removal.is_optimal:
        said.append(f"A better choice may exist, and would cost at most {removal.gap:.1%} less.")
    return said


def _infeasible(derivations: CellDerivations, fixed: IntArray, goals: object) -> Infeasible:
    """Return the error for secrets that follow from what is not blanked, with a derivation of the first."""
    found = _first_facts(derivations, np.asarray(goals, dtype=np.int64))
    goal = next(iter(found.values()))
    leak = explained(derivations, goal, fixed[:0], fixed)
    names = sorted({column for column, _ in found})
    why = "; ".join(step.sentence for step in leak.steps)
    return Infeasible(
        f"secret cells of {shorten(map(repr, names))} follow from columns that have to be published as they are: "
        f"{words(derivations, derivations.statements[goal])}: {why}. Lower an infinite weight, or leave the rule out",
        {"columns": names},
    )
