"""The recipe of a release, and its application to new rows."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from krypsis import registry
from krypsis.algorithms.tables.fixed import Fixed
from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import TOP
from krypsis.data.hierarchies.resolve import HierarchySpec
from krypsis.data.recoding import CellRecoding, FrequencySet, FullDomain
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, Infeasible, UsageError, did_you_mean, first_problem
from krypsis.io.dataset import Dataset
from krypsis.io.engines.base import Suppressed
from krypsis.io.private import write_private_files
from krypsis.kinds.table.make import make_release
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.privacy_warnings import warn_of_disclosures
from krypsis.kinds.table.recipe.stored_hierarchy import Row, StoredHierarchy
from krypsis.kinds.table.task import TableTask, with_rows_where_needed
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.provenance import RecodingEvidence
from krypsis.release.release import Release
from krypsis.release.workshop import private_path, release_id_of
from krypsis.version import __version__

if TYPE_CHECKING:
    from krypsis.kinds.table.task import TableTask

FORMAT: Literal[1] = 1
"""The version of a recipe that is written, and the only one that is read."""

WHY_NONE = (
    "a recipe is kept of a table where the same value always becomes the same label; this release publishes sets of "
    "items, or the same value differently from record to record, or was made by a version that kept none"
)


class Recipe(BaseModel):
    """How a release was made, so that new rows can be made the same way: see :meth:`apply`.

    It knows the values of the original table, so it stays with the publisher: in the private record of the release, or
    in a file of its own. What is shown of it names none of them.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"age": ["31", "34"]}), {"age": "quasi-identifier"},
    ...                             hierarchies={"age": {"kind": "intervals", "width": 10}},
    ...                             models="k-anonymity:k=2")
    >>> recipe = Recipe.of(release)
    >>> recipe
    Recipe(columns=('age',), promises=('k-anonymity:k=2',), levels={'age': 1})
    >>> recipe.apply(pl.DataFrame({"age": ["35", "38"]})).table["age"].to_list()
    ['[30-40)', '[30-40)']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    tool: str = f"krypsis {__version__}"
    roles: dict[str, Role]
    weights: dict[str, float] = Field(default_factory=dict)
    quasi_identifier_sets: tuple[tuple[str, ...], ...] = ()
    columns: tuple[str, ...]
    """The published columns in their order."""
    promises: tuple[str, ...] = Field(min_length=1)
    metric: dict[str, Any]
    scheme: Literal["levels", "labels"] = "levels"
    """Whether every value of an attribute went to one level, or each value to a label of its own."""
    levels: dict[str, int]
    hierarchies: dict[str, StoredHierarchy]
    suppression: str | int | float | None = None
    """How many records may be suppressed: a share or a count."""
    suppressed: Suppressed = "remove"

    @classmethod
    def of(cls, release: Release) -> Self:
        """Return the recipe of a release that was made in this program.

        Raises
        ------
        UsageError
            if it has none: it was loaded from its published files, or the same value became different labels.
        """
        found = release.private.get("recipe")
        if found is None:
            raise UsageError(
                f"the release has no recipe: {WHY_NONE}. Of a release on disk, load it: Recipe.load(folder)"
            )
        return cls.model_validate(found)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a recipe from the folder of a release with its private record next to it, from that record or a file.

        Raises
        ------
        DataError
            if there is none, or none that this version can read.
        """
        place = Path(path)
        file = _private_record_of(place) if place.is_dir() else place
        content = _read_json(file)
        if "release_id" not in content:
            return cls._read(content, file)
        if content.get("recipe") is None:
            raise DataError(f"{file} holds no recipe: {WHY_NONE}")
        return cls._read(content["recipe"], file)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the recipe to a file that only its owner can read, in place of an older one."""
        place = Path(path)
        write_private_files({place: (self.model_dump_json(indent=1) + "\n").encode()})
        return place

    def apply(
        self,
        rows: Any,
        *,
        together_with: Release | str | os.PathLike[str] | None = None,
        suppression: str | float | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> Release:
        """Return a release of new rows, recoded as the earlier release was, that keeps the same promises.

        Parameters
        ----------
        rows
            the new rows, in any form that :func:`krypsis.anonymize` takes. Columns the recipe does not publish are left
            out. Rows that stay where they lie, as in a database, are published in parts.
        together_with
            an earlier release of the same recipe, or its folder. What is returned then holds its records as well, and
            the promises hold for both together; all records are brought into memory for that. Unless given, the new
            rows keep the promises by themselves.
        suppression
            how many of the new records may be suppressed; as many as the recipe says, unless given.
        progress
            follows the run.

        Raises
        ------
        HierarchyError
            if a new value has no place in its hierarchy.
        Infeasible
            if too many new records are in groups that the promises refuse.
        """
        found = Dataset.of(rows)
        return apply_recipe(self, found, together_with=together_with, suppression=suppression, progress=progress)

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Show what the release shows: hierarchies hold the values of the original table."""
        yield from (("columns", self.columns), ("promises", self.promises), ("levels", self.levels))

    @property
    def schema_of_rows(self) -> Schema:
        """The roles of the columns that new rows must have; identifiers are not needed."""
        return Schema.of({name: self.roles[name] for name in self.columns}, self.weights, self.quasi_identifier_sets)

    @classmethod
    def _read(cls, content: object, file: Path) -> Self:
        version = content.get("format") if isinstance(content, Mapping) else None
        if version != FORMAT:
            raise DataError(
                f"{file} is no recipe of format {FORMAT}, the one this version of krypsis reads; its format is "
                f"{version!r}. Give the folder of a release, or its private record"
            )
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise DataError(f"{file} is not a recipe: {first_problem(error)}") from None

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Raise unless the parts fit together."""
        if strangers := [name for name in self.columns if name not in self.roles]:
            raise UsageError(f"column {strangers[0]!r} has no role")
        if any(self.roles[name] is Role.IDENTIFIER for name in self.columns):
            raise UsageError("an identifier is among the published columns")
        attributes = self.schema_of_rows.quasi_identifiers
        if not attributes or set(attributes) != set(self.levels) or not set(attributes) <= set(self.hierarchies):
            raise UsageError("every quasi-identifier needs a level and a hierarchy, and nothing else a level")
        return self


def _private_record_of(folder: Path) -> Path:
    found = release_id_of(folder)
    if found is None:
        raise DataError(f"{folder} is not a release; give the folder of one, its private record or a recipe file")
    record = private_path(folder.resolve(), found)
    if not record.is_file():
        raise DataError(
            f"{folder} has no private record next to it: {record.name} is missing. It holds the recipe, which is never "
            "published; give the place where it lies"
        )
    return record


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise DataError(f"no file or folder {path}.{did_you_mean(path.name, names)}")
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}; give a private record or a recipe file") from None
    if not isinstance(content, dict):
        raise DataError(f"{path} must hold a JSON object, got {type(content).__name__}")
    return content


def write_down(task: "TableTask", evidence: RecodingEvidence, columns: Sequence[str]) -> dict[str, Any] | None:
    """Return the recipe of a run for its private record, or nothing where the same value becomes different labels.

    Without a limit for suppression, as many records may be suppressed as were.
    """
    frequency, recoding, specs = evidence.frequency, evidence.recoding, task.hierarchies
    hierarchies = _full_domain(specs, frequency) if isinstance(recoding, FullDomain) else _labels(recoding, frequency)
    if hierarchies is None:
        return None
    levels = recoding.levels if isinstance(recoding, FullDomain) else (1,) * len(frequency.attributes)
    recipe = Recipe(
        roles=task.schema.roles,
        weights=task.schema.weights,
        quasi_identifier_sets=task.schema.quasi_identifier_sets,
        columns=tuple(columns),
        promises=tuple(model.spec for model in task.models),
        metric={"name": task.metric.name, **task.metric.model_dump(mode="json")},
        scheme="levels" if isinstance(recoding, FullDomain) else "labels",
        levels=dict(zip(frequency.attributes, levels, strict=True)),
        hierarchies={**hierarchies, **_of_sensitive(specs, frequency)},
        suppression=evidence.outcome.suppressed if task.suppression is None else task.suppression,
        suppressed=task.suppressed,
    )
    return recipe.model_dump(mode="json")


def _full_domain(specs: Mapping[str, HierarchySpec], frequency: FrequencySet) -> dict[str, StoredHierarchy]:
    return {
        name: StoredHierarchy.of(specs.get(name), hierarchy, name)
        for name, hierarchy in zip(frequency.attributes, frequency.hierarchies, strict=True)
    }


def _labels(recoding: CellRecoding, frequency: FrequencySet) -> dict[str, StoredHierarchy] | None:
    """Return the label of each value as a hierarchy of one level below the top."""
    rows = {name: _label_rows(recoding, frequency, position) for position, name in enumerate(frequency.attributes)}
    if any(found is None for found in rows.values()):
        return None
    return {name: StoredHierarchy(name="labels", rows=found) for name, found in rows.items() if found is not None}


def _label_rows(recoding: CellRecoding, frequency: FrequencySet, position: int) -> tuple[Row, ...] | None:
    kept = ~recoding.suppressed
    # A value whose records are all suppressed has its label, too, unless suppressed records went another way.
    pairs = _pairs(recoding, frequency, position, np.ones_like(kept))
    pairs = _pairs(recoding, frequency, position, kept) if pairs is None else pairs
    if pairs is None or not kept.any():
        return None
    hierarchy, labels = frequency.hierarchies[position], recoding.codebooks[position].labels
    top = hierarchy.labels[-1][0] if hierarchy.height else TOP
    return tuple((hierarchy.values[code], labels[label], top) for code, label in pairs.T.tolist())


def _pairs(
    recoding: CellRecoding, frequency: FrequencySet, position: int, chosen: BoolArray
) -> npt.NDArray[np.int32] | None:
    """Return the codes of values and of their labels in the chosen tuples, or nothing if a value has several."""
    codes, released = frequency.codes[chosen, position], recoding.released[chosen, position]
    label_of = np.full(len(frequency.hierarchies[position].values), -1, dtype=np.int32)
    label_of[codes] = released
    occurring = np.flatnonzero(label_of >= 0).astype(np.int32)
    return np.stack([occurring, label_of[occurring]]) if (label_of[codes] == released).all() else None


def _of_sensitive(specs: Mapping[str, HierarchySpec], frequency: FrequencySet) -> dict[str, StoredHierarchy]:
    return {
        name: StoredHierarchy.of(specs[name], histogram.domain.hierarchy, name)
        for name, histogram in frequency.sensitive.items()
        if histogram.domain.hierarchy is not None
    }


def apply_recipe(
    recipe: Recipe,
    dataset: Dataset,
    *,
    together_with: Release | str | os.PathLike[str] | None = None,
    suppression: str | float | None = None,
    progress: Progress = NO_PROGRESS,
) -> Release:
    """Return the release of new rows; see :meth:`krypsis.Recipe.apply`."""
    task = with_rows_where_needed(task_of(recipe, dataset, suppression))
    columns = [*recipe.columns, *(name for name in task.unpublished if name in dataset.columns)]
    if together_with is not None:
        why = "publishing new rows together with an earlier release"
        task = replace(task, dataset=task.dataset.in_memory(why, columns))
    if not task.dataset.engine.keeps_rows:
        task = replace(task, dataset=dataset.with_rows(task.dataset.collect(columns)))
    from krypsis.kinds.table.families.divided import check_fits  # noqa: PLC0415  which writes recipes

    check_fits(task, "publishing new rows by a recipe")
    if together_with is None:
        return warn_of_disclosures(_alone(recipe, task, progress))
    earlier = together_with if isinstance(together_with, Release) else Release.load(Path(together_with))
    from krypsis.kinds.table.recipe.joint_release import publish_together  # noqa: PLC0415  it knows recipes

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
    published = release.publication
    if isinstance(published, PartedTable) and published.columns != list(recipe.columns):
        release = replace(release, publication=published.with_columns_in_order(recipe.columns))
    return _described_by(recipe, release).checked()


def _described_by(recipe: Recipe, release: Release) -> Release:
    """Return a release of new rows that names the hierarchies and levels of its recipe, and keeps the recipe."""
    names = {name: recipe.hierarchies[name].name for name in release.hierarchies}
    levels = release.levels if recipe.scheme == "levels" else {}
    kept = release.with_private({"recipe": recipe.model_dump(mode="json")})
    made_by = replace(kept.made_by, hierarchies=names, levels=levels, hides_figures=True)
    return replace(kept, made_by=made_by)
