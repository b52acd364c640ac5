"""Releases of tables with dependencies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.algorithms.dependencies.explanation import CellLeak
from krypsis.algorithms.dependencies.minimal_blanking import BlankedCells, DependencyTask, MinimalBlanking
from krypsis.arrays import BoolArray
from krypsis.data.random_order import random_order
from krypsis.data.schema import Schema
from krypsis.errors import UsageError
from krypsis.io.frames import worked_on
from krypsis.kinds.dependencies.publication import DependentTablePublication
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import SEED, in_published_order, private_record_of
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DependencyReleaseTask(DependencyTask):
    """A table and what is wanted of it, with the method that makes the release."""

    table: pl.DataFrame
    """The columns that are published, as they are."""
    schema: Schema
    method: MinimalBlanking
    said: Sequence[str] = ()
    """What was found about the rules."""

    def __repr__(self) -> str:
        """Name the size: values would end up in notebooks and logs."""
        return f"DependencyReleaseTask({self.table.height} records; {', '.join(model.spec for model in self.models)})"

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release of the table, in published order. Its promises have not been checked."""
        return in_published_order(dependency_release(self, Run(progress)))

    def improved(self, release: Release) -> Release:
        """Return the release as it is: where the choice is optimal nothing is better, else the gap is stated."""
        return release


def dependency_release(task: DependencyReleaseTask, run: Run) -> Release:
    """Return the release of a table with dependencies. Its promises have not been checked."""
    with run.phase("search"):
        made = task.method.publish(task, run.progress)
    with run.phase("recode"):
        blank = [
            [found for cells in (task.secret, made.blanked) if (found := cells.get(name)) is not None]
            for name in task.table.columns
        ]
        table = pl.DataFrame([_blanked(column, each) for column, each in zip(task.table, blank, strict=True)])
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=task.method.spec,
        scheme=task.method.scheme,
        guarantee=task.method.guarantee,
        rows_before=table.height,
        hides_figures=True,
    )
    return run.release(
        DependentTablePublication(table, task.schema, rules=tuple(task.rules)),
        made_by,
        Before(task.table, matches_rows=True),
        **_private(task, made),
    )


def _blanked(column: pl.Series, blank: Sequence[BoolArray]) -> pl.Series:
    """Return a column without the cells that are blank for some reason."""
    if not blank:
        return column
    rows = np.flatnonzero(np.logical_or.reduce(blank))
    return worked_on(column, lambda one: one.scatter(rows, None) if len(rows) else one)


def _private(task: DependencyReleaseTask, made: BlankedCells) -> dict[str, Any]:
    """Return what stays with the publisher: what was blanked, and why."""
    return {
        "said": [*task.said, *made.said],
        "secret_cells": {name: int(cells.sum()) for name, cells in task.secret.items()},
        "blanked_cells": {name: int(cells.sum()) for name, cells in made.blanked.items()},
        "followed": dict(made.followed),
        "cost": made.cost,
        "lower_bound": made.lower_bound,
        "optimal": made.is_optimal,
        "secrets": [_leak(one) for one in made.leaks],
        "figures_of_search": made.private,
    }


def _leak(leak: CellLeak) -> dict[str, Any]:
    alike = f", and {leak.records - 1:,} alike" if leak.records > 1 else ""
    return {
        "readable": f"{leak.column} of record {leak.record + 1}{alike}",
        "column": leak.column,
        "records": leak.records,
        "steps": [
            {"sentence": step.sentence, "conclusion": step.conclusion, "premises": list(step.premises)}
            for step in leak.steps
        ],
        "blanked": list(leak.blanked),
    }


def with_table_before(release: Release, folder: Path, table: pl.DataFrame) -> Release:
    """Return a release that was loaded from a folder, with the columns as they were.

    Raises
    ------
    UsageError
        if the private record does not lie next to the folder, or the plan is about other data.
    """
    record = private_record_of(folder)
    if SEED not in record or table.columns != release.table.columns or table.height != release.table.height:
        raise UsageError(
            f"{folder} was not made of the table that the plan names, or its private record does not lie next to it; "
            "give the plan that the release was made by"
        )
    before = Before(table[random_order(record[SEED], table.height)], matches_rows=True)
    return replace(release, before=before, private={**release.private, **record})
