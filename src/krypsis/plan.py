"""A plan declares a run: data, roles, hierarchies, promises, objective, limits, outputs."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticKnownError

from krypsis import registry
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.checker.files import fingerprint
from krypsis.datasets.dataset import Dataset
from krypsis.dossier import Dossier, read_dossier, refuse_broken_rules
from krypsis.engines.base import Suppressed
from krypsis.errors import PlanError
from krypsis.explanation import explain
from krypsis.io.paths import usable_path
from krypsis.io.yaml_file import read_yaml
from krypsis.kernels.warm import load_kernels
from krypsis.pipeline import RelatedTable, Task, is_perturbation, make_release
from krypsis.release.release import Release
from krypsis.schema import Role, Schema


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(_Part):
    """What a plan says about one column."""

    role: Annotated[Role, BeforeValidator(lambda text: Role.of(text) if isinstance(text, str) else text)] = Field(
        description="identifier, quasi-identifier, sensitive or insensitive"
    )
    hierarchy: str | dict[str, Any] | None = Field(default=None, description="a CSV file, or a kind with its options")
    weight: float = Field(default=1.0, ge=0, description="how much its loss counts in the metric")
    min_level: int | None = Field(default=None, ge=0, description="the least level it is generalized to")
    max_level: int | None = Field(default=None, ge=0, description="the highest level it may be generalized to")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"role": value} if isinstance(value, str) else value


class Table(_Part):
    """A further table, whose rows belong to the same subjects as those of the first."""

    data: str = Field(description="the table, relative to the plan")
    key: str | None = Field(
        default=None, description="the column that says whose row it is, if not called as in the first"
    )
    columns: dict[str, Column] = Field(min_length=1)


class Read(_Part):
    """How to read the data where the usual guess fails."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


class Output(_Part):
    """Where the release goes and in which forms."""

    folder: str = Field(default="release", description="the folder to publish, relative to the plan")
    formats: tuple[Literal["csv", "parquet"], ...] = Field(default=("csv",), min_length=1)
    report: bool = Field(default=True, description="whether to write the report beside the folder")


class Plan(_Part):
    """Everything a run needs; :meth:`load` reads it from a YAML file.

    Examples
    --------
    >>> plan = Plan.of({"data": "p.csv", "columns": {"age": "QI"}, "promises": ["k-anonymity:k=5"]})
    >>> plan.columns["age"].role.value, plan.metric
    ('quasi-identifier', 'loss')
    """

    data: str = Field(description="the table, relative to the plan")
    read: Read = Read()
    population: str | None = Field(
        default=None, description="the table of all people whom the records may be about, relative to the plan"
    )
    key: str | None = Field(
        default=None, description="the column that says whose row it is, for promises that count subjects"
    )
    columns: dict[str, Column] = Field(min_length=1)
    tables: dict[str, Table] = Field(
        default_factory=dict, description="further tables by name, linked to the first by the key"
    )
    quasi_identifier_sets: tuple[tuple[str, ...], ...] = ()
    algorithm: str | dict[str, Any] = "auto"
    promises: tuple[str | dict[str, Any], ...] = Field(description="what the release keeps; a perturbation needs none")
    metric: str = "loss"
    suppression: str | None = Field(default=None, description="a share such as 2% or 0.02, or a count of records")
    suppressed: Suppressed = "remove"
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

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a YAML file."""
        path = usable_path(path)
        return cls.of(_content(path), folder=path.resolve().parent, name=path.name)

    @classmethod
    def of(cls, content: Mapping[str, Any], folder: Path = Path(), name: str = "plan") -> Plan:
        """Build a plan from nested mappings, with every problem named in one message."""
        if "folder" in content:
            raise PlanError(f"{name}: unknown key 'folder'; the release folder is 'folder' under 'output'")
        try:
            return cls(**content, folder=folder)
        except ValidationError as error:
            raise PlanError(f"{name}: " + explain(error, cls)) from None

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

    def task(self) -> Task:
        """Return what the pipeline needs to know."""
        return Task(
            **_wanted(self.columns, self.quasi_identifier_sets),
            models=[registry.create("model", promise) for promise in self.promises],
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

    def dataset(self) -> Dataset:
        """Read the table this plan is about."""
        from krypsis.io.read import read_table  # noqa: PLC0415

        path = self.folder / self.data
        return Dataset(read_table(path, **self.read.model_dump()), path.name, path)

    def run(self, watch: Watch = UNWATCHED) -> Release:
        """Return the release this plan describes. It is checked when it is saved."""
        task = self.task()  # a mistake in the plan is told before a large file is read
        path = self.folder / self.data
        watch.phase("read")
        with ThreadPoolExecutor() as beside:
            loading = beside.submit(load_kernels)
            dataset = self.dataset()
            checksum = beside.submit(fingerprint, path)
            release = make_release(dataset, task, watch)
            loading.result()
            return release.with_private({"input": path.name, "input_sha256": checksum.result().sha256})


def _content(path: Path) -> Mapping[str, Any]:
    return read_yaml(path, "plan", "the keys data, columns and promises", "'krypsis init FILE' writes one", PlanError)


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
