"""The plan of a table with dependencies: its columns, the rules that everybody knows, and what is secret."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field, field_validator, model_validator

from krypsis import registry
from krypsis.algorithms.dependencies.minimal_blanking import MinimalBlanking
from krypsis.arrays import BoolArray
from krypsis.checker.base import Given
from krypsis.data.dependencies import (
    Condition,
    Dependency,
    FunctionalDependency,
    SecretCells,
    ValueRule,
    columns_of_rule,
    parse_dependency,
    parse_secret,
)
from krypsis.data.dependencies.cells import Cells, ColumnCells, secret_records, violations
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataWarning, PrivacyWarning, UsageError, column_not_found, did_you_mean, shorten
from krypsis.io.dataset import Dataset
from krypsis.io.frames import frame_of
from krypsis.io.read import read_table
from krypsis.io.texts import PLAIN, text_of
from krypsis.kinds.dependencies.make import DependencyReleaseTask
from krypsis.models.base import PrivacyModel
from krypsis.plan.plan import Plan, PlanPart, TableGiven

USUAL_METHOD = "minimal-blanking"
OWN_VALUE = (
    "the secret {secret!r} is chosen by its own value, so that a blank cell says what was in it; choose secret cells "
    "by other columns, or the whole column"
)
ONE_VALUE = (
    "all {records:,} records that the secret {secret!r} chooses have the same value, so that a blank cell says what "
    "was in it to whoever guesses why it is blank; choose more cells, or the whole column"
)
PlanRole = Annotated[Role, BeforeValidator(lambda text: Role.of(text) if isinstance(text, str) else text)]


class PlanRule(PlanPart):
    """A rule, with what everybody knows of the mapping."""

    rule: str = Field(description="such as zip -> city, or drug = insulin => diagnosis in E10, E11")
    public: TableGiven = Field(
        default=None,
        repr=False,
        description="of a rule such as zip -> city: a table with these columns that everybody knows, relative to the "
        "plan",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"rule": value} if isinstance(value, str) else value

    @field_validator("rule")
    @classmethod
    def _is_readable(cls, value: str) -> str:
        parse_dependency(value)
        return value

    def rules(self, folder: Path) -> tuple[Dependency, ...]:
        """Return the rules, with the public mapping read from its file."""
        found = parse_dependency(self.rule)
        if self.public is None:
            return found
        table = frame_of(folder / self.public if isinstance(self.public, str) else self.public, "the public mapping")
        return tuple(_with_mapping(rule, table) for rule in found)


def _with_mapping(rule: Dependency, table: pl.DataFrame) -> FunctionalDependency:
    if not isinstance(rule, FunctionalDependency):
        raise UsageError(f"{rule.text!r} has no mapping that could be public; leave 'public' out")
    names = columns_of_rule(rule)
    for name in names:
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    texts = pl.DataFrame(
        [text_of(table.get_column(name).rename(PLAIN)).rename(str(place)) for place, name in enumerate(names)]
    )
    return FunctionalDependency(rule.left, rule.right, tuple(texts.drop_nulls().unique().sort(pl.all()).iter_rows()))


class DependenciesPlan(Plan):
    """What is wanted of a table whose cells follow from others.

    Examples
    --------
    >>> table = pl.DataFrame({"drug": ["insulin", "aspirin"], "diagnosis": ["E10", "I10"]})
    >>> plan = DependenciesPlan(columns={"drug": "insensitive", "diagnosis": "sensitive"}, secrets=["diagnosis"],
    ...                         dependencies=["drug = insulin => diagnosis in E10, E11"])
    >>> sorted(plan.bind(table).release().table["drug"], key=str)
    [None, 'aspirin']
    """

    about: ClassVar[str] = "a table with dependencies"

    kind: Literal["dependencies"] = "dependencies"
    promises: tuple[Any, ...] = Field(default=("dependency-safety",), description="what the release keeps")
    columns: dict[str, PlanRole] = Field(
        default_factory=dict,
        description="the columns with their roles: sensitive for those with secrets, insensitive for others; "
        "identifiers and columns without a role are not published",
    )
    secrets: tuple[str, ...] = Field(
        default=(), description="columns, or cells of them such as diagnosis where ward = oncology"
    )
    dependencies: tuple[PlanRule, ...] = Field(
        default=(), description="rules by which cells follow from others: zip -> city"
    )
    weights: dict[str, float] = Field(
        default_factory=dict,
        description="column → what it costs to blank a cell of it; 1 for others, .inf where it has to be published",
    )

    @field_validator("secrets", "dependencies", mode="before")
    @classmethod
    def _one_alone(cls, value: object) -> object:
        if value is None or value == "":  # of a list whose entries are all comments
            return ()
        return (value,) if isinstance(value, str) else value

    @field_validator("secrets")
    @classmethod
    def _are_readable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for secret in value:
            parse_secret(secret)
        return value

    @field_validator("weights")
    @classmethod
    def _positive(cls, value: dict[str, float]) -> dict[str, float]:
        for name, weight in value.items():
            if np.isnan(weight) or weight <= 0:
                raise ValueError(f"the weight of {name!r} must be a number above 0, got {weight!r}")
        return value

    @classmethod
    def of_keywords(
        cls,
        *,
        roles: Mapping[str, str],
        promises: Sequence[Any] = (),
        secrets: Sequence[str] | str = (),
        dependencies: Sequence[Any] | str = (),
        weights: Mapping[str, float] | None = None,
        algorithm: Any = "auto",
        **of_others: object,
    ) -> Self:
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe.

        Raises
        ------
        UsageError
            if a keyword is given that has no meaning for tables with dependencies.
        """
        for name, value in of_others.items():
            if value:
                raise UsageError(f"{name} has no meaning for a table with dependencies; leave it out")
        return cls.of_objects(
            columns=Schema.of(roles).roles,
            promises=tuple(promises) or ("dependency-safety",),
            secrets=secrets,
            dependencies=dependencies,
            weights=dict(weights or {}),
            algorithm=algorithm,
        )

    @property
    def schema_of_columns(self) -> Schema:
        """The roles of the columns.

        Raises
        ------
        UsageError
            if there is a quasi-identifier.
        """
        schema = Schema.of(self.columns)
        if schema.quasi_identifiers:
            raise UsageError(
                f"{shorten(schema.quasi_identifiers)}: a quasi-identifier has no meaning for kind: dependencies, which "
                "hides nobody among others; call the column insensitive, or an identifier if it should not be published"
            )
        return schema

    def secret_cells(self) -> list[SecretCells]:
        """Return what is secret.

        Raises
        ------
        UsageError
            if nothing is, or if roles and secrets say different things.
        """
        if not self.secrets:
            raise UsageError(
                "no secret is named, so nothing would be protected; name a sensitive column, or some cells of it: "
                "secrets: ['diagnosis where ward = oncology']"
            )
        schema, found = self.schema_of_columns, [parse_secret(text) for text in self.secrets]
        for secret in found:
            schema.require(secret.column, Role.SENSITIVE)
        named = {secret.column for secret in found}
        if strange := [name for name in schema.sensitive if name not in named]:
            raise UsageError(
                f"{strange[0]!r} is sensitive and no secret names it; name it under 'secrets', or call it insensitive"
            )
        return found

    def rules(self) -> tuple[Dependency, ...]:
        """Return the rules, each once, with the mappings that are public.

        Raises
        ------
        UsageError
            if two of them contradict each other whatever the data is.
        """
        found = tuple(dict.fromkeys(rule for one in self.dependencies for rule in one.rules(self.folder)))
        values = [rule for rule in found if isinstance(rule, ValueRule)]
        for one, other in combinations(values, 2):
            is_same = {*one.conditions} == {*other.conditions} and one.concluded == other.concluded
            if is_same and not {*one.conclusion.values} & {*other.conclusion.values}:
                raise UsageError(
                    f"the rules {one.text!r} and {other.text!r} contradict each other; leave one of them out"
                )
        return found

    def check(self) -> None:
        """Raise where promises, algorithm, roles or rules are wrong in themselves."""
        self.models()
        self.method()
        self.secret_cells()
        self.rules()
        for name in self.weights:
            if self.columns.get(name, Role.IDENTIFIER) is Role.IDENTIFIER:
                published = [one for one, role in self.columns.items() if role is not Role.IDENTIFIER]
                raise UsageError(
                    f"weights: {name!r} is not published; columns: {shorten(published)}.{did_you_mean(name, published)}"
                )

    def read_data(self) -> Dataset:
        """Read the table."""
        path = self.data_path
        return Dataset(read_table(path, **self.read.model_dump()), path.name, path)

    def models(self) -> list[PrivacyModel]:
        """Return what is promised.

        Raises
        ------
        UsageError
            if a promise is not about tables with dependencies.
        """
        models = super().models()
        for model in models:
            if model.kind != self.kind:
                raise UsageError(
                    f"{model.spec} is not about tables with dependencies; the promise about them is dependency-safety"
                )
        return models

    def method(self) -> MinimalBlanking:
        """Return the method that was asked for, or the usual one."""
        found = registry.create("algorithm", USUAL_METHOD if self.algorithm == "auto" else self.algorithm)
        if not isinstance(found, MinimalBlanking):
            raise UsageError(f"{found.name} is not for tables with dependencies; the method for them: {USUAL_METHOD}")
        return found

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:  # noqa: ARG002
        """Return the sensitive columns, the cells that must be blank, and the rules."""
        sensitive = self.schema_of_columns.sensitive or None
        return Given(sensitive=sensitive, dependencies=self.rules(), secret_cells=self.secrets)

    def bind(self, data: Any) -> DependencyReleaseTask:
        """Return the plan together with a table."""
        self.check()
        dataset, schema, rules = Dataset.of(data), self.schema_of_columns, self.rules()
        schema.check_columns(dataset.columns)
        for name in _named(self.secret_cells()):
            if name not in dataset.columns:
                raise column_not_found(name, dataset.columns)
        _check_columns(rules, dataset.columns)
        table = dataset.collect([name for name in dataset.columns if schema.roles.get(name) in PUBLISHED])
        of_rules = {name for rule in rules for name in columns_of_rule(rule)}
        wanted = {*table.columns, *_named(self.secret_cells()), *of_rules}
        cells = {name: ColumnCells.of(dataset.collect_texts(name)) for name in dataset.columns if name in wanted}
        return DependencyReleaseTask(
            cells={name: cells[name] for name in table.columns},
            secret=_secret(self.secret_cells(), cells),
            rules=rules,
            weights=self.weights,
            models=self.models(),
            table=table,
            schema=Schema(roles={name: schema.roles[name] for name in table.columns}),
            method=self.method(),
            said=tuple(_said_of_rules(rules, cells)),
        )


PUBLISHED = (Role.SENSITIVE, Role.INSENSITIVE)


def _check_columns(rules: Sequence[Dependency], columns: Sequence[str]) -> None:
    """Raise if a rule names a column that neither the data nor a public mapping has."""
    mapped = [rule for rule in rules if isinstance(rule, FunctionalDependency) and rule.mapping]
    known = {*columns, *(name for rule in mapped for name in columns_of_rule(rule))}
    for rule in rules:
        if strange := [name for name in columns_of_rule(rule) if name not in known]:
            raise UsageError(f"the rule {rule.text!r}: {column_not_found(strange[0], columns)}")


def _named(secrets: Sequence[SecretCells]) -> Iterator[str]:
    for secret in secrets:
        yield secret.column
        yield from (one.column for one in secret.conditions)


def _secret(secrets: Sequence[SecretCells], cells: Cells) -> dict[str, BoolArray]:
    """Return which cells of each sensitive column are secret."""
    found: dict[str, BoolArray] = {}
    for secret in secrets:
        records = secret_records(secret, cells)
        if not records.any():
            raise UsageError(f"no record is meant by the secret {secret.text!r}{_not_there(secret.conditions, cells)}")
        if secret.names_own_value:
            warnings.warn(OWN_VALUE.format(secret=secret.text), PrivacyWarning, stacklevel=3)
        elif secret.conditions and records.sum() > 1 and len(np.unique(cells[secret.column].codes[records])) == 1:
            said = ONE_VALUE.format(secret=secret.text, records=int(records.sum()))
            warnings.warn(said, PrivacyWarning, stacklevel=3)
        found[secret.column] = records | found.get(secret.column, False)
    return found


def _not_there(conditions: Sequence[Condition], cells: Cells) -> str:
    """Return a value of conditions that no record has, as a sentence."""
    for one in conditions:
        if one.column in cells and not cells[one.column].are(one.values).any():
            known = cells[one.column].values
            return (
                f": no record has {one.text}; values of {one.column!r}: {shorten(known)}."
                f"{did_you_mean(one.values[0], known)}"
            )
    return ""


def _said_of_rules(rules: Sequence[Dependency], cells: Cells) -> Iterator[str]:
    """Yield what the publisher should know about the rules, and warn of it."""
    for rule in rules:
        said = ""
        if count := violations(rule, cells):
            said = (
                f"{count:,} record(s) contradict the rule {rule.text!r}; what somebody who believes the rule would "
                "conclude is prevented, also where it is not true"
            )
        elif isinstance(rule, ValueRule) and (why := _not_there(rule.conditions, cells)):
            said = f"the rule {rule.text!r} says nothing about any record{why}"
        if said:
            warnings.warn(said, DataWarning, stacklevel=3)
            yield f"{said[0].upper()}{said[1:]}."
