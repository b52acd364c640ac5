"""What is wanted of a table."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from krypsis import registry
from krypsis.algorithms.tables.base import Bucketing, Method, Perturbation
from krypsis.algorithms.tables.mechanisms.base import Mechanism
from krypsis.datasets.dataset import Dataset
from krypsis.engines.base import Suppressed
from krypsis.errors import PrivacyWarning, UsageError, column_not_found, did_you_mean
from krypsis.groups import Domain
from krypsis.hierarchies import HierarchySpec
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.links import LinkModel
from krypsis.models.mechanisms import MethodModel
from krypsis.pipeline.related_table import RelatedTable
from krypsis.profile.published_columns import suspects
from krypsis.schema import Role, Schema


@dataclass(frozen=True)
class Task:
    """What is wanted: roles, hierarchies, promises, the metric to keep low, and the limits."""

    schema: Schema
    models: Sequence[PrivacyModel]
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    algorithm: object = "auto"
    metric: Metric = field(default_factory=lambda: registry.create("metric", "loss"))
    suppression: str | float | None = None
    suppressed: Suppressed = "remove"
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    population: object = None
    """All people whom the records may be about: a table in any form, or its path; ``None`` where nobody knows them."""
    key: str | None = None
    """The column that says whose row it is, where rows of several tables belong to the same subjects."""
    tables: Mapping[str, RelatedTable] = field(default_factory=dict)
    """Further tables by name, linked to the first by that key."""
    folder: Path | None = None
    """Where relative paths of hierarchies, and of the population, start."""

    @cached_property
    def method(self) -> Method | None:
        """The method that was asked for, or the only one that keeps a promise; ``None`` where the tool is to choose."""
        if self.algorithm != "auto":
            return registry.create("algorithm", self.algorithm)  # type: ignore[no-any-return]
        own = next((model.kept_by for model in self.models if isinstance(model, MethodModel)), None)
        return None if own is None else registry.create("algorithm", own)

    @cached_property
    def people(self) -> Dataset | None:
        """The population as a table, where a promise compares with it."""
        if self.population is None or not any(model.needs_population for model in self.models):
            return None
        if isinstance(self.population, str | os.PathLike):
            return Dataset.of((self.folder or Path()) / self.population)
        return Dataset.of(self.population, "the population")

    @cached_property
    def group_models(self) -> list[GroupModel]:
        """The promises about groups; for one about links, a promise about groups that implies it."""
        implied = [model.sufficient() if isinstance(model, LinkModel) else model for model in self.models]
        return [model for model in implied if isinstance(model, GroupModel)]

    @cached_property
    def combinations(self) -> tuple[tuple[str, ...], ...]:
        """The columns whose values promises count together, besides single sensitive attributes."""
        asked = [names for model in self.group_models for names in model.combinations(self.schema.sensitive)]
        counted_anyway = {(name,) for name in self.schema.sensitive}
        return tuple(names for names in dict.fromkeys(asked) if names not in counted_anyway)

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns among these that are not published."""
        roles = self.schema.roles
        names = dict.fromkeys(name for names in self.combinations for name in names)
        return tuple(name for name in names if roles.get(name, Role.IDENTIFIER) is Role.IDENTIFIER)

    @property
    def is_about_several_tables(self) -> bool:
        """Whether tables are linked by the subject of their rows."""
        return self.key is not None or bool(self.tables) or any(model.kind == "tables" for model in self.models)

    @property
    def needs_every_record(self) -> bool:
        """Whether a promise compares the published table with the original one, record by record."""
        return any(isinstance(model, LinkModel) for model in self.models)


def is_perturbation(algorithm: object) -> bool:
    """Say whether a spec names a method that may do without promises; of a name that is not known others tell.

    Examples
    --------
    >>> is_perturbation("noise:share=0.2"), is_perturbation({"name": "datafly"})
    (True, False)
    """
    spec = algorithm.get("name", "") if isinstance(algorithm, dict) else algorithm
    name = str(spec).partition(":")[0].strip()
    known = registry.classes("algorithm").values()
    return any(issubclass(cls, Perturbation) and name in (cls.name, *cls.aliases) for cls in known)


def settled(dataset: Dataset, task: Task) -> Task:
    """Return the task with everything named that its promises leave to the data, and its metric to the promises."""
    task = replace(task, metric=task.metric.promised(task.models))
    if all(model.is_settled for model in task.models):
        return task
    known = [name for name in task.schema.sensitive if name in dataset.columns]
    domains = {name: Domain(tuple(dataset.engine.distinct(name)), None, name) for name in known}
    return replace(task, models=[one for model in task.models for one in model.settled(domains)])


def check_task(dataset: Dataset, task: Task) -> None:
    """Raise unless the task fits together and fits the table."""
    task.schema.check_columns(dataset.columns)
    _check_kind(task)
    if not isinstance(task.method, Perturbation):
        _check_promised(task)
    _check_kept_by(task)
    for model in task.models:
        if model.needs_sensitive and not task.schema.sensitive:
            raise UsageError(
                f"{model.spec} is about a sensitive attribute; give at least one column the role 'sensitive'"
            )
        if (attribute := getattr(model, "attribute", None)) is not None:
            task.schema.require(attribute, Role.SENSITIVE)
        _warn_of_unknown_value(dataset, task, model)
        _check_population(task, model)
    _check_combinations(dataset, task)
    _warn_of_suspects(dataset, task)
    for name in task.hierarchies:
        if name not in (known := (*task.schema.quasi_identifiers, *task.schema.sensitive)):
            raise UsageError(
                f"a hierarchy is given for {name!r}, which is neither a quasi-identifier nor sensitive; those are: "
                + ", ".join(known)
            )


def _check_combinations(dataset: Dataset, task: Task) -> None:
    for name in dict.fromkeys(name for names in task.combinations for name in names):
        if name not in dataset.columns:
            raise column_not_found(name, dataset.columns)
        if name in task.schema.quasi_identifiers:
            raise UsageError(
                f"a promise counts the values of {name!r}, which is a quasi-identifier and may be generalized; it must "
                "be a column that stays as it is, or one that is not published"
            )


OTHER_KINDS = {
    "tables": "several tables",
    "transactions": "records that are sets of items",
    "history": "several releases of a table that changes",
}


def _check_kind(task: Task) -> None:
    """Refuse promises about other data than one table, and several tables where one is expected."""
    for model in task.models:
        if model.kind in OTHER_KINDS:
            raise UsageError(
                f"{model.spec} is about {OTHER_KINDS[model.kind]}, and this is one table; promise something else"
                + ", or publish with 'krypsis history'" * (model.kind == "history")
            )
    if task.is_about_several_tables:
        raise UsageError("this works with one table; leave out 'key' and 'tables'")


def _check_population(task: Task, model: PrivacyModel) -> None:
    if not model.needs_population:
        return
    if task.people is None:
        raise UsageError(
            f"{model.spec} compares with the population that the records come from and none is given; give its table: "
            "population: people.csv in the plan, population=… in Python"
        )
    for name in task.schema.quasi_identifiers:
        if name not in task.people.columns:
            raise column_not_found(name, task.people.columns)


def _warn_of_unknown_value(dataset: Dataset, task: Task, model: PrivacyModel) -> None:
    """Warn of a promise about a sensitive value that no record has: it is kept by anything, and often misspelt."""
    wanted, attribute = getattr(model, "value", None), getattr(model, "attribute", None)
    if wanted is None:
        return
    names = task.schema.sensitive if attribute is None else (attribute,)
    known = {value for name in names for value in dataset.engine.distinct(name) if value is not None}
    if wanted not in known:
        warnings.warn(
            f"{model.spec} protects the value {wanted!r}, which no record has as {' or '.join(names)}."
            f"{did_you_mean(wanted, known)}",
            PrivacyWarning,
            stacklevel=5,
        )


def _warn_of_suspects(dataset: Dataset, task: Task) -> None:
    """Warn of columns that are published as they are and single people out."""
    if isinstance(task.method, Perturbation | Mechanism):
        return  # what they publish are not the original values
    apart = isinstance(task.method, Bucketing)  # then nobody sees which sensitive value stands in which record
    roles = {name: role for name, role in task.schema.roles.items() if not (apart and role is Role.SENSITIVE)}
    for one in suspects(dataset, Schema(roles=roles)):
        warnings.warn(PrivacyWarning(one.said(), {"el": one.said("el")}), stacklevel=5)


def _check_kept_by(task: Task) -> None:
    """Refuse a promise that only a method of its own can keep, where another is asked for."""
    for model in task.models:
        if isinstance(model, MethodModel) and not isinstance(model, getattr(task.method, "keeps", ())):
            raise UsageError(
                f"{model.spec} is not kept by searching among groups, but by a method of its own, such as the "
                f"algorithm {model.kept_by!r}; choose it, or 'auto', or promise something else"
            )


def _check_promised(task: Task) -> None:
    if not task.schema.quasi_identifiers and not isinstance(task.method, Mechanism):
        raise UsageError(
            "no column has the role 'quasi-identifier'; give it to every column an attacker may know from elsewhere"
        )
    if not task.models:
        raise UsageError("no promise is given; name at least one model, such as 'k-anonymity:k=5'")
