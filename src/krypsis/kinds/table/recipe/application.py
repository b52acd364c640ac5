"""Applying a recipe to new rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from krypsis import registry
from krypsis.algorithms.tables.fixed import Fixed
from krypsis.errors import Infeasible, UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.make import make_release
from krypsis.kinds.table.privacy_warnings import warn_of_disclosures
from krypsis.kinds.table.recipe.joint_release import publish_together
from krypsis.kinds.table.recipe.recipe import Recipe
from krypsis.kinds.table.task import TableTask
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.release import Release


def apply_recipe(
    recipe: Recipe,
    dataset: Dataset,
    *,
    together_with: Release | str | os.PathLike[str] | None = None,
    suppression: str | float | None = None,
    progress: Progress = NO_PROGRESS,
) -> Release:
    """Return the release of new rows; see :meth:`krypsis.Recipe.apply`."""
    task = task_of(recipe, dataset, suppression)
    needed = [name for name in task.unpublished if name in dataset.columns]
    rows = dataset.with_rows(dataset.collect([*recipe.columns, *needed]))
    task = replace(task, dataset=rows)
    if together_with is None:
        return warn_of_disclosures(_alone(recipe, task, progress))
    earlier = together_with if isinstance(together_with, Release) else Release.load(Path(together_with))
    return warn_of_disclosures(publish_together(recipe, task, earlier, progress))


def task_of(recipe: Recipe, dataset: Dataset, suppression: str | float | None = None) -> TableTask:
    """Return what is wanted of new rows: the levels, promises and limits of the recipe.

    Raises
    ------
    ColumnError
        if a column is missing.
    HierarchyError
        if a new value has no place in its hierarchy.
    """
    schema = recipe.schema_of_rows
    schema.check_columns(dataset.columns)
    models = [registry.create("model", promise) for promise in recipe.promises]
    _refuse_population(models)
    return TableTask(
        dataset,
        schema,
        models=models,
        hierarchies={
            name: stored.taking_in(dataset.engine.distinct(name), name, recipe.levels.get(name, 0))
            for name, stored in recipe.hierarchies.items()
        },
        algorithm=Fixed(levels=recipe.levels),
        metric=registry.create("metric", recipe.metric),
        suppression=recipe.suppression if suppression is None else suppression,
        suppressed=recipe.suppressed,
    )


def _refuse_population(models: Sequence[PrivacyModel]) -> None:
    for model in models:
        if model.needs_population:
            raise UsageError(
                f"{model.spec} compares with the population that the records come from, and new rows come from another "
                "one; give both in a plan of their own and run it with the levels of the release: krypsis run "
                "new-plan.yaml --levels …"
            )


def _alone(recipe: Recipe, task: TableTask, progress: Progress) -> Release:
    try:
        release = make_release(task, progress)
    except Infeasible as error:
        raise Infeasible(
            f"the new rows do not keep the promises by themselves: {error}. Or wait for more rows, or publish them "
            "together with the earlier release (--with, together_with in Python)",
            error.closest,
        ) from None
    return _described_by(recipe, release).checked()


def _described_by(recipe: Recipe, release: Release) -> Release:
    """Return a release of new rows that names the hierarchies and levels of its recipe, and keeps the recipe."""
    names = {name: recipe.hierarchies[name].name for name in release.hierarchies}
    levels = release.levels if recipe.scheme == "levels" else {}
    kept = release.with_private({"recipe": recipe.model_dump(mode="json")})
    made_by = replace(kept.made_by, hierarchies=names, levels=levels, hides_figures=True)
    return replace(kept, made_by=made_by)
