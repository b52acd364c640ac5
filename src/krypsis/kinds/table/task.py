"""What is wanted of a table."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

from krypsis import registry
from krypsis.algorithms.tables.base import Bucketing, Method, Perturbation
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mechanisms.base import Mechanism
from krypsis.data.groups import Domain
from krypsis.data.hierarchies import HierarchySpec
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Role, Schema
from krypsis.errors import PrivacyWarning, UsageError, check_levels, check_mapping, column_not_found, did_you_mean
from krypsis.io.addresses import located
from krypsis.io.dataset import Dataset
from krypsis.io.engines.base import Suppressed
from krypsis.kinds.table.profile.published_risks import suspects
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.links import LinkModel
from krypsis.models.mechanisms import MethodModel
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.release import Release

M = TypeVar("M", bound=Method)

RECODING, LINKED = "recoding", "linked"
"""The families that make releases where no method is named, and of several tables."""


@dataclass(frozen=True, repr=False)
class TableTask:
    """A table and what is wanted of it: roles, hierarchies, promises, the metric to keep low, and the limits."""

    dataset: Dataset
    schema: Schema
    models: Sequence[PrivacyModel]
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    algorithm: object = "auto"
    metric: Metric = field(default_factory=lambda: registry.create("metric", "loss"))
    suppression: str | float | None = None
    suppressed: Suppressed = "remove"
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    population: object = field(default=None, repr=False)
    """All people whom the records may be about: a table in any form, or its path; ``None`` where nobody knows them."""
    key: str | None = None
    """The column that says whose row it is, where rows of several tables belong to the same subjects."""
    tables: "Mapping[str, RelatedTable]" = field(default_factory=dict)
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

    def method_of(self, family: type[M]) -> M:
        """Return the method, which its family makes releases by."""
        if not isinstance(self.method, family):
            raise UsageError(f"{self.method} is no method of the family {family.__name__}; choose another algorithm")
        return self.method

    @cached_property
    def people(self) -> Dataset | None:
        """The population as a table, where a promise compares with it."""
        if self.population is None or not any(model.needs_population for model in self.models):
            return None
        if isinstance(self.population, str | os.PathLike):
            return Dataset.of(located(os.fspath(self.population), self.folder or Path()))
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
    def family(self) -> str:
        """The family of methods that makes the release: one that generalizes, unless the method says otherwise."""
        if self.is_about_several_tables:
            return LINKED
        return RECODING if self.method is None else self.method.family

    def __repr__(self) -> str:
        """Name what is promised: records, items and seeds would end up in notebooks and logs."""
        return f"TableTask({self.dataset.rows} records; {', '.join(model.spec for model in self.models)})"

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release, in published order. Its promises have not been checked."""
        from krypsis.kinds.table.make import make_release  # noqa: PLC0415  which works on tasks

        return make_release(self, progress)

    def improved(self, release: Release) -> Release:
        """Return the release with what would lower its loss in its private record, where it is poor."""
        from krypsis.kinds.table.improvements import improvements  # noqa: PLC0415  which works on tasks

        found = improvements(release, self)
        if not found:
            return release
        parts = [one.parts() for one in found]
        return release.with_private({"improvements": [str(one) for one in found], "improvement_parts": parts})

    @property
    def needs_every_record(self) -> bool:
        """Whether a promise compares the published table with the original one, record by record."""
        return any(isinstance(model, LinkModel) for model in self.models)


def is_perturbation(algorithm: object) -> bool:
    """Say whether a spec names a method that may do without promises; of a name that is not known others show.

    Examples
    --------
    >>> is_perturbation("noise:share=0.2"), is_perturbation({"name": "datafly"})
    (True, False)
    """
    if isinstance(algorithm, Method):
        return isinstance(algorithm, Perturbation)
    spec = algorithm.get("name", "") if isinstance(algorithm, dict) else algorithm
    name = str(spec).partition(":")[0].strip()
    known = registry.classes("algorithm").values()
    return any(issubclass(cls, Perturbation) and name in (cls.name, *cls.aliases) for cls in known)


def settled(task: TableTask) -> TableTask:
    """Return the task with everything named that its promises leave to the data, and its metric to the promises."""
    task = replace(task, metric=task.metric.promised(task.models))
    if all(model.is_settled for model in task.models):
        return task
    known = [name for name in task.schema.sensitive if name in task.dataset.columns]
    domains = {name: Domain(tuple(task.dataset.engine.distinct(name)), None, name) for name in known}
    return replace(task, models=[one for model in task.models for one in model.settled(domains)])


def with_rows_where_needed(task: TableTask) -> TableTask:
    """Return the task with the rows of its table in memory, where its method or a promise works on nothing else.

    Columns that are neither published nor looked at stay where they are, and so do people's names.

    Raises
    ------
    UsageError
        if they do not fit there.
    """
    if task.people is not None and task.people.engine.keeps_rows:
        # Promises compare with it group by group, also when they are checked.
        names = [name for name in task.schema.quasi_identifiers if name in task.people.columns]
        task = replace(task, population=task.people.in_memory("a promise about the population", names))
    if not task.dataset.engine.keeps_rows:
        return task
    if task.family != RECODING or getattr(task.method, "grain", "tuple") != "tuple":
        why = f"the algorithm {getattr(task.method, 'name', 'for several tables')}"
    elif task.unpublished:
        why = f"a promise that counts {task.unpublished[0]!r}, which is not published,"
    elif task.needs_every_record:
        why = "a promise that compares every record with the original ones"
    else:
        return task
    task.schema.check_columns(task.dataset.columns)
    needed = _looked_at(task)
    columns = [name for name in task.dataset.columns if name in needed]
    roles = {name: role for name, role in task.schema.roles.items() if name in needed}
    dataset = task.dataset.in_memory(why, columns)
    return replace(task, dataset=dataset, schema=task.schema.model_copy(update={"roles": roles}))


def _looked_at(task: TableTask) -> set[str]:
    """Return the columns that are published, and those that promises, the method or the key name."""
    published = {name for name, role in task.schema.roles.items() if role is not Role.IDENTIFIER}
    own = {name for one in (*task.models, task.method) if one is not None for name in _texts_in(vars(one))}
    return published | own | set(task.unpublished) | ({task.key} if task.key is not None else set())


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text in a parameter; one that happens to be called like a column does no harm."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for one in pair for text in _texts_in(one))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (text for one in value for text in _texts_in(one))


def check_task(task: TableTask) -> None:
    """Raise unless the task fits together and fits the table."""
    dataset = task.dataset
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
    check_hierarchies(task.hierarchies, task.schema)


def check_hierarchies(given: Iterable[str], schema: Schema) -> None:
    """Raise if a hierarchy is given for a column that is not published in groups."""
    known = (*schema.quasi_identifiers, *schema.sensitive)
    for name in given:
        if name not in known:
            raise UsageError(
                f"a hierarchy is given for {name!r}, which is neither a quasi-identifier nor sensitive; those are: "
                + ", ".join(known)
            )


def _check_combinations(dataset: Dataset, task: TableTask) -> None:
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


def _check_kind(task: TableTask) -> None:
    """Refuse promises about other data than one table, and several tables where one is expected."""
    for model in task.models:
        if model.kind in OTHER_KINDS:
            raise UsageError(
                f"{model.spec} is about {OTHER_KINDS[model.kind]}, and this is one table; promise something else"
                + ", or publish with 'krypsis history'" * (model.kind == "history")
            )
    if task.is_about_several_tables:
        raise UsageError("this works with one table; leave out 'key' and 'tables'")


def _check_population(task: TableTask, model: PrivacyModel) -> None:
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


def _warn_of_unknown_value(dataset: Dataset, task: TableTask, model: PrivacyModel) -> None:
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


def _warn_of_suspects(dataset: Dataset, task: TableTask) -> None:
    """Warn of columns that are published as they are and single people out."""
    if isinstance(task.method, Perturbation | Mechanism):
        return  # what they publish are not the original values
    is_bucketed = isinstance(task.method, Bucketing)  # then nobody sees which sensitive value stands in which record
    roles = {name: role for name, role in task.schema.roles.items() if not (is_bucketed and role is Role.SENSITIVE)}
    for one in suspects(dataset, Schema(roles=roles)):
        warnings.warn(PrivacyWarning(one.said(), {"el": one.said("el")}), stacklevel=5)


def _check_kept_by(task: TableTask) -> None:
    """Refuse a promise that only a method of its own can keep, where another is asked for."""
    for model in task.models:
        if isinstance(model, MethodModel) and not isinstance(model, getattr(task.method, "keeps", ())):
            raise UsageError(
                f"{model.spec} is not kept by searching among groups, but by a method of its own, such as the "
                f"algorithm {model.kept_by!r}; choose it, or 'auto', or promise something else"
            )


def _check_promised(task: TableTask) -> None:
    if not task.schema.quasi_identifiers and not isinstance(task.method, Mechanism):
        raise UsageError(
            "no column has the role 'quasi-identifier'; give it to every column an attacker may know from elsewhere"
        )
    if not task.models:
        raise UsageError("no promise is given; name at least one model, such as 'k-anonymity:k=5'")


@dataclass(frozen=True)
class RelatedTable:
    """What is wanted of a further table: its data, the key that links it, roles, hierarchies and limits."""

    data: object = field(repr=False)
    schema: Schema
    key: str | None = None
    """The column that says whose row it is; that of the first table unless given."""
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, given: object) -> "RelatedTable":
        """Return the table that a program describes: ``data`` and ``roles``, and what else it wants to say.

        Examples
        --------
        >>> RelatedTable.of("visits", {"data": "visits.csv", "roles": {"year": "quasi-identifier"}}).schema.roles
        {'year': <Role.QUASI_IDENTIFIER: 'quasi-identifier'>}
        """
        if isinstance(given, RelatedTable):
            return given
        known = ("data", "roles", "key", "hierarchies", "weights", "min_levels", "max_levels")
        if not isinstance(given, Mapping) or not {"data", "roles"} <= set(given):
            raise UsageError(f"table {name!r} must be a mapping with 'data' and 'roles'; got {given!r:.60}")
        if strangers := [str(key) for key in given if key not in known]:
            hint = did_you_mean(strangers[0], known)
            raise UsageError(f"table {name!r} has no {strangers[0]!r}; it may have: {', '.join(known)}.{hint}")
        options: dict[str, Any] = dict(given)
        return cls(
            data=options["data"],
            schema=Schema.of(options["roles"], options.get("weights")),
            key=options.get("key"),
            hierarchies=check_mapping(options.get("hierarchies", {}), "hierarchies", "{'year': 'year.csv'}"),
            min_levels=check_levels(options.get("min_levels", {}), "min_levels"),
            max_levels=check_levels(options.get("max_levels", {}), "max_levels"),
        )

    def dataset(self, folder: Path | None) -> Dataset:
        """Return the table; a relative path starts at the folder."""
        if isinstance(self.data, str | os.PathLike):
            return Dataset.of(located(os.fspath(self.data), folder or Path()))
        return Dataset.of(self.data)


def limits_of(task: TableTask, frequency: FrequencySet) -> Limits:
    """Return how many records may be suppressed and how far attributes may be generalized."""
    for name in (*task.min_levels, *task.max_levels):
        task.schema.require(name, Role.QUASI_IDENTIFIER)
    return Limits(
        suppressed=_suppressed(task, frequency.rows),
        keep=task.suppressed == "keep",
        lowest=tuple(task.min_levels.get(name, 0) for name in frequency.attributes),
        highest=tuple(
            task.max_levels.get(name, height)
            for name, height in zip(frequency.attributes, frequency.heights, strict=True)
        ),
    )


def _suppressed(task: TableTask, rows: int) -> int | None:
    given = None if task.suppression is None else suppression_limit(task.suppression, rows)
    if not task.needs_every_record or task.suppressed == "keep":
        return given
    if given:
        raise UsageError(
            "a promise about who could be who, such as kk-anonymity, compares all original records with all published "
            "ones, so none may be removed; allow no suppression, or keep suppressed records with suppressed='keep'"
        )
    return 0


def suppression_limit(limit: str | float, rows: int) -> int:
    """Return how many records may be suppressed: a share (``0.02``, ``"2%"``) or a count (``10``), inclusive.

    Examples
    --------
    >>> suppression_limit(0.02, 30162), suppression_limit("2%", 50), suppression_limit(10, 50)
    (603, 1, 10)
    """
    expected = f"suppression must be a share between 0 and 1 such as 0.02 or '2%', or a count of records, got {limit!r}"
    if isinstance(limit, bool):
        raise UsageError(expected)
    try:
        share, count = _share_or_count(limit)
    except (TypeError, ValueError):
        raise UsageError(expected) from None
    if share is not None:
        if not 0 <= share <= 1:
            raise UsageError(expected)
        return floor(share * rows + 1e-9)  # 0.07 * 100 is just below 7
    if count < 0:
        raise UsageError(expected)
    return min(count, rows)


def _share_or_count(limit: str | float) -> tuple[float | None, int]:
    if isinstance(limit, str):
        text = limit.strip()
        if text.endswith("%"):
            return float(text[:-1]) / 100, 0
        return (None, int(text)) if text.lstrip("-").isdigit() else (float(text), 0)
    return (None, int(limit)) if isinstance(limit, Integral) else (float(limit), 0)
