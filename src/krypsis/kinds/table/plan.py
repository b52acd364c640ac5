"""The plan of a table: its columns with their roles, the limits, and what is kept low."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from krypsis import registry
from krypsis.data.schema import Role, Schema
from krypsis.errors import check_choice, check_levels, check_mapping, did_you_mean
from krypsis.io.dataset import Dataset
from krypsis.io.engines.base import Suppressed
from krypsis.io.private_columns import with_private_columns
from krypsis.kinds.table.privacy_warnings import warn_of_disclosures, warn_of_inferences
from krypsis.kinds.table.task import RelatedTable, TableTask, check_hierarchies, is_perturbation
from krypsis.plan.parts import HierarchyGiven, MetricSpec, PlanPart, TableGiven
from krypsis.plan.plan import Plan, spec_of
from krypsis.release.release import Release
from krypsis.texts.cards import Card, CardRows


class PlanColumn(PlanPart):
    """What a plan says about one column."""

    role: Annotated[Role, BeforeValidator(lambda text: Role.of(text) if isinstance(text, str) else text)] = Field(
        description="identifier, quasi-identifier, sensitive or insensitive"
    )
    hierarchy: HierarchyGiven = Field(default=None, description="a CSV file, or a kind with its options")
    weight: float = Field(default=1.0, ge=0, description="how much its loss counts in the metric")
    min_level: int | None = Field(default=None, ge=0, description="the least level it is generalized to")
    max_level: int | None = Field(default=None, ge=0, description="the highest level it may be generalized to")

    in_doubt: bool = Field(
        default=False,
        description="whether nobody knows if a quasi-identifier is known to others; a run then warns if the other "
        "columns of a person give it away",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"role": value} if isinstance(value, str) else value


class PlanTable(PlanPart):
    """A further table, whose rows belong to the same subjects as those of the first."""

    data: TableGiven = Field(repr=False, description="the table, relative to the plan")
    key: str | None = Field(
        default=None, description="the column that says whose row it is, if not called as in the first"
    )
    columns: dict[str, PlanColumn]

    @field_validator("columns")
    @classmethod
    def _names_some(cls, value: dict[str, PlanColumn], info: ValidationInfo) -> dict[str, PlanColumn]:
        if not value and info.context is not None:  # of files; what a program gives is refused with its table
            raise PydanticKnownError("too_short", {"field_type": "Dictionary", "min_length": 1, "actual_length": 0})
        return value


class TablePlan(Plan):
    """What is wanted of a table.

    Examples
    --------
    >>> import polars as pl
    >>> plan = TablePlan(columns={"age": "QI"}, promises=["k-anonymity:k=2"])
    >>> plan.bind(pl.DataFrame({"age": [30, 30]})).release().records
    2
    """

    about: ClassVar[str] = "the columns of a table"

    kind: Literal["table"] = "table"
    population: TableGiven = Field(
        default=None,
        repr=False,
        description="the table of all people whom the records may be about, relative to the plan",
    )
    private_columns: TableGiven = Field(
        default=None,
        repr=False,
        description="a table with columns that promises look at and nobody publishes, such as guarding nodes, relative "
        "to the plan; a column that the data has, too, says whose record it is",
    )
    key: str | None = Field(
        default=None, description="the column that says whose row it is, for promises that count subjects"
    )
    columns: dict[str, PlanColumn] = Field(default_factory=dict, description="the columns of a table with their roles")
    tables: dict[str, PlanTable] = Field(
        default_factory=dict, description="further tables by name, linked to the first by the key"
    )
    quasi_identifier_sets: tuple[tuple[str, ...], ...] = ()
    metric: MetricSpec = "loss"
    suppression: Any = Field(default=None, description="a share such as 2% or 0.02, or a count of records")
    suppressed: Suppressed = "remove"

    @model_validator(mode="before")
    @classmethod
    def _perturbations_need_no_promise(cls, value: object) -> object:
        if isinstance(value, dict) and "promises" not in value and is_perturbation(value.get("algorithm")):
            return {**value, "promises": ()}
        return value

    @field_validator("suppression")
    @classmethod
    def _is_share_or_count(cls, value: object, info: ValidationInfo) -> object:
        if isinstance(value, dict | list | tuple) and info.context is not None:  # of files; others are refused later
            raise PydanticKnownError("string_type")
        return value

    @field_validator("promises")
    @classmethod
    def _all_others_do(cls, value: tuple[object, ...], info: ValidationInfo) -> tuple[object, ...]:
        if not value and info.context is not None and not is_perturbation(info.data.get("algorithm")):
            raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
        return value

    @model_validator(mode="after")
    def _has_columns(self, info: ValidationInfo) -> Self:
        if not self.columns and info.context is not None:
            raise PydanticCustomError("no_columns", "columns: must name at least one column with its role")
        return self

    @classmethod
    def of_roles(
        cls,
        roles: Mapping[str, str],
        *,
        hierarchies: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        quasi_identifier_sets: Iterable[Iterable[str]] = (),
        min_levels: Mapping[str, int] | None = None,
        max_levels: Mapping[str, int] | None = None,
        tables: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Self:
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe.

        Examples
        --------
        >>> plan = TablePlan.of_roles({"age": "QI"}, min_levels={"age": 1}, promises=["k-anonymity:k=2"])
        >>> plan.columns["age"].min_level
        1
        """
        schema = Schema.of(roles, weights, quasi_identifier_sets)
        given = {
            "hierarchy": check_mapping(hierarchies or {}, "hierarchies", "{'age': {'kind': 'intervals', 'width': 5}}"),
            "weight": schema.weights,
            "min_level": check_levels(min_levels or {}, "min_levels"),
            "max_level": check_levels(max_levels or {}, "max_levels"),
        }
        further = check_mapping(tables or {}, "tables", "{'visits': {'data': …, 'roles': …}}")
        if "suppressed" in fields:
            check_choice(fields["suppressed"], "suppressed", get_args(Suppressed))
        check_hierarchies(given["hierarchy"], schema)
        for name in (*given["min_level"], *given["max_level"]):
            schema.require(name, Role.QUASI_IDENTIFIER)
        columns = {
            name: {"role": role, **{key: known[name] for key, known in given.items() if name in known}}
            for name, role in schema.roles.items()
        }
        if unknown := [name for name in fields if name not in cls.model_fields]:
            raise TypeError(f"unexpected keyword {unknown[0]!r}.{did_you_mean(unknown[0], cls.model_fields)}")
        return cls.of_objects(
            columns=columns,
            quasi_identifier_sets=schema.quasi_identifier_sets,
            tables={name: _table_of(name, one) for name, one in further.items()},
            **fields,
        )

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from super().__repr_args__()
        yield "columns", {name: column.role.value for name, column in self.columns.items()}

    def _card(self) -> Card:
        card = super()._card()
        facts = {**card.facts, "minimized": spec_of(self.metric), "suppression": str(self.suppression or "")}
        roles = [(name, column.role.value) for name, column in self.columns.items()]
        return replace(card, facts=facts, tables=[CardRows(("column", "role"), roles, "Columns")] if roles else ())

    @property
    def schema_of_columns(self) -> Schema:
        """The roles of the columns, with their weights and the sets of quasi-identifiers."""
        schema: Schema = _wanted(self.columns, self.quasi_identifier_sets)["schema"]
        return schema

    @property
    def hierarchies(self) -> dict[str, Any]:
        """What is said about the hierarchies of columns."""
        return {name: column.hierarchy for name, column in self.columns.items() if column.hierarchy is not None}

    @property
    def in_doubt(self) -> tuple[str, ...]:
        """The quasi-identifiers of which nobody knows whether others know them."""
        return tuple(
            name for name, column in self.columns.items() if column.in_doubt and column.role is Role.QUASI_IDENTIFIER
        )

    def specs(self) -> tuple[object, ...]:
        """Return everything that names a model, an algorithm or a metric."""
        return (*super().specs(), self.metric)

    def check(self) -> None:
        """Raise where roles, promises, algorithm or metric are wrong in themselves."""
        self._objects()

    def read_data(self) -> Dataset:
        """Read the table."""
        from krypsis.io.read import read_table  # noqa: PLC0415

        path = self.data_path
        return Dataset(read_table(path, **self.read.model_dump()), path.name, path)

    def bind(self, data: Any) -> TableTask:
        """Return the plan together with a table."""
        dataset = Dataset.of(data)
        if self.private_columns is not None:
            given = (
                self.folder / self.private_columns if isinstance(self.private_columns, str) else self.private_columns
            )
            dataset = with_private_columns(dataset, given)
        return TableTask(
            dataset,
            **_wanted(self.columns, self.quasi_identifier_sets),
            **self._objects(),
            suppression=self.suppression,
            suppressed=self.suppressed,
            population=self.population,
            key=self.key,
            tables={
                name: RelatedTable(data=table.data, key=table.key, **_wanted(table.columns))
                for name, table in self.tables.items()
            },
            folder=self.folder,
        )

    def _objects(self) -> dict[str, Any]:
        """Return what is named by specs."""
        return {
            "models": self.models(),
            "algorithm": self.algorithm if self.algorithm == "auto" else registry.create("algorithm", self.algorithm),
            "metric": registry.create("metric", self.metric),
        }

    def warned(self, release: Release) -> Release:
        """Return the release, after warnings of what its groups disclose and of what others can infer."""
        return warn_of_inferences(warn_of_disclosures(release), self.in_doubt)


def _table_of(name: str, given: Any) -> PlanTable:
    """Return a further table as the keywords of :func:`krypsis.anonymize` describe it."""
    table = RelatedTable.of(name, given)
    of_column = {"hierarchy": table.hierarchies, "min_level": table.min_levels, "max_level": table.max_levels}
    columns = {
        column: {
            "role": role,
            "weight": table.schema.weight(column),
            **{key: known[column] for key, known in of_column.items() if column in known},
        }
        for column, role in table.schema.roles.items()
    }
    return PlanTable(data=table.data, key=table.key, columns=columns)


def _wanted(columns: Mapping[str, PlanColumn], sets: tuple[tuple[str, ...], ...] = ()) -> dict[str, Any]:
    """Return what the columns of a table say: roles, hierarchies and limits."""
    schema = Schema.of(
        {name: column.role for name, column in columns.items()},
        {name: column.weight for name, column in columns.items() if column.weight != 1},
        sets,
    )
    return {
        "schema": schema,
        "hierarchies": {name: one.hierarchy for name, one in columns.items() if one.hierarchy is not None},
        "min_levels": {name: one.min_level for name, one in columns.items() if one.min_level is not None},
        "max_levels": {name: one.max_level for name, one in columns.items() if one.max_level is not None},
    }
