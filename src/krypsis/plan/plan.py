"""The plan as a whole, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from krypsis import registry
from krypsis.cards import Card, Rows
from krypsis.datasets.dataset import Dataset
from krypsis.datasets.private_columns import with_private_columns
from krypsis.dossier import Dossier, read_dossier, refuse_broken_rules
from krypsis.engines.base import Suppressed
from krypsis.errors import PlanError, UsageError
from krypsis.explanation import explain
from krypsis.format.files import fingerprint
from krypsis.io.item_sets import read_item_sets
from krypsis.io.paths import usable_path
from krypsis.io.yaml_file import parse_yaml, read_yaml
from krypsis.kernels.warm import load_kernels
from krypsis.pipeline import (
    RelatedTable,
    SetPlan,
    Task,
    is_perturbation,
    make_release,
    sets_release,
    warn_of_disclosures,
    warn_of_inferences,
)
from krypsis.plan.parts import Column, Items, Output, Part, Read, Table
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.made_by import without_seed
from krypsis.release.release import Release
from krypsis.schema import Role, Schema
from krypsis.specs import write_spec

if TYPE_CHECKING:
    from krypsis.models.base import PrivacyModel
    from krypsis.transactions import Transactions


OF_TABLES = {
    "columns",
    "tables",
    "key",
    "population",
    "beside",
    "quasi_identifier_sets",
    "suppression",
    "suppressed",
    "metric",
}
"""What plans say about tables only."""

KEYS = "the keys data, columns and promises"
"""What a plan should have, in messages."""


class Plan(Part):
    """Everything a run needs; :meth:`load` reads it from a YAML file.

    Examples
    --------
    >>> plan = Plan.of({"data": "p.csv", "columns": {"age": "QI"}, "promises": ["k-anonymity:k=5"]})
    >>> plan.columns["age"].role.value, plan.metric
    ('quasi-identifier', 'loss')
    """

    kind: Literal["table", "transactions"] = Field(
        default="table", description="'transactions' where every record is a set of items"
    )
    data: str = Field(description="the table, or the sets of items, relative to the plan")
    read: Read = Read()
    items: Items = Field(default=Items(), description="what is known about the items of transactions")
    population: str | None = Field(
        default=None, description="the table of all people whom the records may be about, relative to the plan"
    )
    beside: str | None = Field(
        default=None,
        description="a table with columns that promises look at and nobody publishes, such as guarding nodes, relative "
        "to the plan; a column that the data has, too, says whose record it is",
    )
    key: str | None = Field(
        default=None, description="the column that says whose row it is, for promises that count subjects"
    )
    columns: dict[str, Column] = Field(default_factory=dict, description="the columns of a table with their roles")
    tables: dict[str, Table] = Field(
        default_factory=dict, description="further tables by name, linked to the first by the key"
    )
    quasi_identifier_sets: tuple[tuple[str, ...], ...] = ()
    algorithm: str | dict[str, Any] = "auto"
    promises: tuple[str | dict[str, Any], ...] = Field(description="what the release keeps; a perturbation needs none")
    metric: str = "loss"
    suppression: str | None = Field(default=None, description="a share such as 2% or 0.02, or a count of records")
    suppressed: Suppressed = "remove"
    strict: bool = Field(
        default=False, description="refuse to publish, instead of warning, where something beside the promises is risky"
    )
    output: Output = Output()
    dossier: str | dict[str, Any] | None = Field(
        default=None, description="what is documented about the release: a file relative to the plan, or its content"
    )
    folder: Path = Field(default=Path(), exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _perturbations_need_no_promise(cls, value: object) -> object:
        if isinstance(value, dict) and "promises" not in value and is_perturbation(value.get("algorithm")):
            return {**value, "promises": ()}
        return value

    @field_validator("promises")
    @classmethod
    def _all_others_do(cls, value: tuple[object, ...], info: ValidationInfo) -> tuple[object, ...]:
        if not value and not is_perturbation(info.data.get("algorithm")):
            raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
        return value

    @model_validator(mode="after")
    def _says_what_its_kind_needs(self) -> Plan:
        if self.kind == "table" and not self.columns:
            raise PydanticCustomError("no_columns", "columns: must name at least one column with its role")
        if given := sorted(self.model_fields_set & OF_TABLES if self.kind == "transactions" else self._of_sets()):
            raise PydanticCustomError(
                "other_kind",
                "{names}: has no meaning for kind: {kind}; leave it out",
                {"names": given[0], "kind": self.kind},
            )
        return self

    def _of_sets(self) -> set[str]:
        """Return what the plan says that has a meaning for sets of items only."""
        return (self.model_fields_set & {"items"}) | {
            f"read.{name}" for name in self.read.model_fields_set & {"key", "item"}
        }

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a YAML file."""
        path = usable_path(path)
        return cls.of(_content(path), folder=path.resolve().parent, name=path.name)

    @classmethod
    def parse(cls, text: str, folder: Path) -> Plan:
        """Read a plan from YAML; its paths are relative to the folder."""
        return cls.of(parse_yaml(text, "the plan", KEYS, PlanError), folder=folder)

    @classmethod
    def of(cls, content: Mapping[str, Any], folder: Path = Path(), name: str = "plan") -> Plan:
        """Build a plan from nested mappings, with every problem named in one message."""
        if "folder" in content:
            raise PlanError(f"{name}: unknown key 'folder'; the release folder is 'folder' under 'output'")
        try:
            return cls(**content, folder=folder)
        except ValidationError as error:
            raise PlanError(f"{name}: " + explain(error, cls)) from None

    def _repr_html_(self) -> str:
        """Show in a notebook what is wanted; a seed is left out, for it undoes random choices."""
        facts = {
            "data": self.data,
            "promises": ", ".join(map(_spec, self.promises)),
            "algorithm": without_seed(_spec(self.algorithm)),
            "minimized": self.metric if self.kind == "table" else "",
            "suppression": self.suppression or "",
            "output": self.output.folder,
        }
        roles = [(name, column.role.value) for name, column in self.columns.items()]
        return Card("Plan", facts, tables=[Rows(("column", "role"), roles, "Columns")] if roles else ()).html()

    @property
    def output_folder(self) -> Path:
        """The folder to publish."""
        return self.folder / self.output.folder

    def checked_dossier(self) -> Dossier | None:
        """Return the dossier, if there is one, after making sure that it keeps the rules of its legal profile.

        Raises
        ------
        DossierRefused
            with every rule that is broken; what the run fills in is not asked for.
        """
        if self.dossier is None:
            return None
        found = read_dossier(self.dossier, self.folder)
        name = f"dossier {self.dossier}" if isinstance(self.dossier, str) else "dossier"
        refuse_broken_rules(found, name=name, before_run=True)
        return found

    def models(self) -> list[PrivacyModel]:
        """Return what is promised."""
        return [registry.create("model", promise) for promise in self.promises]

    def task(self) -> Task:
        """Return what the pipeline needs to know."""
        return Task(
            **_wanted(self.columns, self.quasi_identifier_sets),
            models=self.models(),
            algorithm=self.algorithm if self.algorithm == "auto" else registry.create("algorithm", self.algorithm),
            metric=registry.create("metric", self.metric),
            suppression=self.suppression,
            suppressed=self.suppressed,
            population=self.population,
            key=self.key,
            tables={
                name: RelatedTable(data=one.data, key=one.key, **_wanted(one.columns))
                for name, one in self.tables.items()
            },
            folder=self.folder,
        )

    def set_task(self) -> SetPlan:
        """Return what the pipeline needs to know about sets of items."""
        return SetPlan(
            models=self.models(),
            algorithm=self.algorithm,
            hierarchy=self.items.hierarchy,
            sensitive=self.items.sensitive,
            constraints=() if self.items.constraints is None else read_item_sets(self.folder / self.items.constraints),
            folder=self.folder,
        )

    def dataset(self) -> Dataset:
        """Read the table this plan is about."""
        from krypsis.io.read import read_table  # noqa: PLC0415

        if self.kind != "table":
            raise UsageError(
                "this works with the columns of a table, and the plan is about sets of items (kind: transactions); "
                "'krypsis run' and 'krypsis check' work with these"
            )
        path = self.folder / self.data
        reading = self.read.model_dump(exclude={"key", "item"})
        dataset = Dataset(read_table(path, **reading), path.name, path)
        return dataset if self.beside is None else with_private_columns(dataset, self.folder / self.beside)

    def transactions(self) -> Transactions:
        """Read the sets of items this plan is about."""
        from krypsis.datasets.baskets import transactions_of  # noqa: PLC0415

        return transactions_of(self.folder / self.data, **self.read.model_dump())

    def run(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release this plan describes. It is checked when it is saved."""
        make = self._maker(progress)  # a mistake in the plan is told before a large file is read
        path = self.folder / self.data
        progress.phase("read")
        with ThreadPoolExecutor() as beside:
            loading = beside.submit(load_kernels)
            data = self.dataset() if self.kind == "table" else self.transactions()
            checksum = beside.submit(fingerprint, path)
            release = make(data)
            loading.result()
            return release.with_private({"input": path.name, "input_sha256": checksum.result().sha256})

    def _maker(self, progress: Progress) -> Callable[[Any], Release]:
        """Return what makes the release of the data."""
        if self.kind == "transactions":
            wanted = self.set_task()
            wanted.method  # noqa: B018  a mistake in it is told now
            return lambda transactions: sets_release(transactions, wanted, progress)
        task = self.task()
        return lambda dataset: warn_of_inferences(
            warn_of_disclosures(make_release(dataset, task, progress)), self.in_doubt
        )

    @property
    def in_doubt(self) -> tuple[str, ...]:
        """The quasi-identifiers of which nobody knows whether others know them."""
        return tuple(
            name for name, column in self.columns.items() if column.in_doubt and column.role is Role.QUASI_IDENTIFIER
        )


def _spec(given: str | Mapping[str, Any]) -> str:
    """Return a promise or an algorithm as one word."""
    if isinstance(given, str):
        return given
    return write_spec(str(given.get("name", "")), {name: value for name, value in given.items() if name != "name"})


def _content(path: Path) -> Mapping[str, Any]:
    return read_yaml(path, "plan", KEYS, "'krypsis init FILE' writes one", PlanError)


def _wanted(columns: Mapping[str, Column], sets: tuple[tuple[str, ...], ...] = ()) -> dict[str, Any]:
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
