"""The plan of a table: its columns with their roles, the limits, and what is kept low.

Columns that lie in a table of their own, such as what each person wants to keep private: put at their records.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import polars as pl
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from krypsis import registry
from krypsis.checker.base import Given
from krypsis.data.hierarchies.resolve import follows_from_data, resolve
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, check_choice, check_levels, check_mapping, did_you_mean, shorten
from krypsis.io.addresses import is_address, located, refuse_password
from krypsis.io.dataset import Dataset
from krypsis.io.engines import engine_for, find_engine
from krypsis.io.engines.base import Suppressed
from krypsis.io.frames import frame_of, worked_on
from krypsis.io.memory import bytes_of
from krypsis.io.targets import TableTarget
from krypsis.io.texts import distinct_texts
from krypsis.kinds.table.check import LINKED
from krypsis.kinds.table.privacy_warnings import warn_of_disclosures, warn_of_inferences
from krypsis.kinds.table.task import RelatedTable, TableTask, check_hierarchies, is_perturbation
from krypsis.models.base import PrivacyModel
from krypsis.plan.plan import HierarchyGiven, MetricSpec, Output, Plan, PlanPart, TableGiven, spec_of
from krypsis.release.release import Release
from krypsis.texts.cards import Card, CardRows

NAMES = {"original": "the original table", "population": "the population"}
"""What private tables are called in messages."""


def with_private_columns(dataset: Dataset, private: Any) -> Dataset:
    """Return the dataset with the further columns of a private table.

    Columns that both tables have say whose record it is: of everybody the private table has one record at most, and who
    is not in it has missing values. Without such a column it has one record for each of the dataset, in the same order.

    Raises
    ------
    DataError
        if it has no further column, several records for a person, or one for somebody who is not in the dataset; or if
        it has another number of records and no column that says whose they are.

    Examples
    --------
    >>> patients = Dataset.of(pl.DataFrame({"id": [7, 8, 9], "disease": ["flu", "hiv", "flu"]}))
    >>> guarded = with_private_columns(patients, pl.DataFrame({"id": ["8"], "hides": ["virus"]}))
    >>> guarded.collect_column("hides").to_list()
    [None, 'virus', None]
    """
    further = Dataset.of(private, "the table of private columns")
    names = [name for name in further.columns if name not in dataset.columns]
    keys = [name for name in further.columns if name in dataset.columns]
    if not names:
        raise DataError(
            f"{further.name} has no column that the data does not have; its columns: {shorten(keys)}. "
            "Give a column with what else is known of each record"
        )
    found = _by_key(dataset, further, keys) if keys else _by_place(dataset, further)
    columns = [worked_on(further.collect_column(name), lambda one: one.gather(found)) for name in names]
    return dataset.with_rows(dataset.collect().hstack(columns))


def _by_place(dataset: Dataset, further: Dataset) -> pl.Series:
    if further.rows != dataset.rows:
        raise DataError(
            f"{further.name} has {further.rows} records and the data {dataset.rows}, "
            f"and no column says whose they are; give a column of the data as well: {shorten(dataset.columns)}"
        )
    return pl.int_range(further.rows, eager=True)


def _by_key(dataset: Dataset, further: Dataset, keys: Sequence[str]) -> pl.Series:
    """Return for each record of the dataset the number of its private record, missing where there is none."""
    ours, theirs = (_as_text(one, keys) for one in (dataset, further))
    on = ours.columns
    if (twice := theirs.filter(theirs.is_duplicated())).height:
        raise DataError(f"{further.name} has several records for {_named(twice, keys)}; give one for each person")
    # A misspelt name must not mean that somebody's wish is forgotten.
    if (strangers := theirs.join(ours, on=on, how="anti", nulls_equal=True)).height:
        raise DataError(
            f"{further.name} has {strangers.height} record(s) of persons who are not in the data, such "
            f"as {_named(strangers, keys)}; correct or remove them"
        )
    numbered = theirs.with_columns(place=pl.int_range(theirs.height))
    return ours.join(numbered, on=on, how="left", nulls_equal=True, maintain_order="left").get_column("place")


def _as_text(dataset: Dataset, keys: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame([dataset.collect_texts(key).rename(f"key{place}") for place, key in enumerate(keys)])


def _named(records: pl.DataFrame, keys: Sequence[str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in zip(keys, records.row(0), strict=True))


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


class TableOutput(Output):
    """Where the release of a table goes: always to a folder, and to a table of a database as well."""

    table: str | None = Field(
        default=None,
        description="a table to write the records to, too: its name where the data lies in a database, or its address",
    )

    @field_validator("table")
    @classmethod
    def _has_no_password(cls, value: str | None) -> str | None:
        refuse_password(value)
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
    engine: str | None = Field(
        default=None,
        description="what works on the data where it lies: memory, duckdb for files larger than memory, postgresql, or "
        "spark; chosen by where the data lies and how large it is unless given",
    )
    memory: str | None = Field(
        default=None, description="how much memory that may take, such as 2GB; half of what there is unless given"
    )
    output: TableOutput = TableOutput()
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

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:
        """Return the quasi-identifiers and the sensitive columns, of several tables with the column that links them."""
        schema, linked = self.schema_of_columns, any(model.kind == LINKED for model in models) and not is_release
        further = [f"{name}.{one}" for name, table in self.tables.items() for one in _known(table.columns)]
        sets = [[*names, *(further if linked else ())] for names in schema.sets]
        return Given(sets or None, schema.sensitive, key=self.key if linked else None)

    def private_inputs(self, models: Sequence[PrivacyModel], given: Given) -> dict[str, Any]:
        """Return original table, population and hierarchies, as far as promises need them."""
        compares = any(model.needs_original or model.needs_population for model in models)
        follow_from_data = [name for name, spec in self.hierarchies.items() if follows_from_data(spec, name)]
        needs_values = any(name in follow_from_data for name in self.schema_of_columns.sensitive)
        measures = needs_values and any(model.needs_sensitive for model in models)
        original, people = given.original, given.population
        if original is None and self.data is not None and (compares or measures or self.in_doubt):
            original = self._in_memory(self.bind(self.read_data()).dataset, NAMES["original"])
        if people is None and self.population is not None and compares:
            where = located(self.population, self.folder) if isinstance(self.population, str) else self.population
            people = Dataset.of(where, memory=self._bytes()) if isinstance(where, str) else Dataset.of(where)
            people = self._in_memory(people, NAMES["population"])
        tables = {"original": original, "population": people}
        frames = {name: frame_of(table, NAMES[name]) for name, table in tables.items() if table is not None}
        hierarchies = {}
        for name, spec in self.hierarchies.items():
            columns = [frame.get_column(name) for frame in frames.values() if name in frame.columns]
            if columns or name not in follow_from_data:
                values = dict.fromkeys(value for column in columns for value in distinct_texts(column))
                hierarchies[name] = resolve(spec, list(values), name, self.folder)
        return {**frames, "hierarchies": hierarchies or None}

    def _in_memory(self, dataset: Dataset, what: str) -> pl.DataFrame:
        """Return the rows that a check compares with what is published; names of people stay where they are."""
        roles = self.schema_of_columns.roles
        names = [name for name in dataset.columns if roles.get(name) is not Role.IDENTIFIER or name == self.key]
        return dataset.in_memory(f"comparing with {what}", names, "check where there is some").collect(names)

    def specs(self) -> tuple[object, ...]:
        """Return everything that names a model, an algorithm or a metric."""
        return (*super().specs(), self.metric)

    def check(self) -> None:
        """Raise where roles, promises, algorithm, metric or engine are wrong in themselves."""
        self._objects()
        self._bytes()
        if self.engine is not None:
            find_engine(self.engine)

    @property
    def source(self) -> Path | str:
        """What the data is read from; a table that the engine knows by its name does not depend on the plan's place."""
        source = super().source
        if isinstance(source, str) or self.engine is None or source.exists():
            return source
        is_name = find_engine(self.engine).knows_by_name(str(self.data))
        return str(self.data) if is_name else source

    def table_target(self) -> TableTarget | None:
        """Return the table that the release is written to, too."""
        table = self.output.table
        if table is None:
            return None
        if is_address(table):
            return engine_for(table).target(table, None)
        engine = engine_for(self.source, self._bytes()) if self.engine is None else find_engine(self.engine)
        return engine.target(table, self.source)

    def read_data(self) -> Dataset:
        """Read the table."""
        return Dataset.of(self.source, engine=self.engine, memory=self._bytes(), reading=self.read.model_dump())

    def _bytes(self) -> int | None:
        return None if self.memory is None else bytes_of(self.memory)

    def bind(self, data: Any) -> TableTask:
        """Return the plan together with a table."""
        dataset = Dataset.of(data, engine=self.engine, memory=self._bytes())
        if self.private_columns is not None:
            given = (
                located(self.private_columns, self.folder)
                if isinstance(self.private_columns, str)
                else self.private_columns
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


def _known(columns: Mapping[str, PlanColumn]) -> list[str]:
    return [name for name, column in columns.items() if column.role is Role.QUASI_IDENTIFIER]


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
