"""The parts of a plan."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from krypsis.schema import Role


class Part(BaseModel):
    """A part of a plan; keys beyond those declared are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(Part):
    """What a plan says about one column."""

    role: Annotated[Role, BeforeValidator(lambda text: Role.of(text) if isinstance(text, str) else text)] = Field(
        description="identifier, quasi-identifier, sensitive or insensitive"
    )
    hierarchy: str | dict[str, Any] | None = Field(default=None, description="a CSV file, or a kind with its options")
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


class Table(Part):
    """A further table, whose rows belong to the same subjects as those of the first."""

    data: str = Field(description="the table, relative to the plan")
    key: str | None = Field(
        default=None, description="the column that says whose row it is, if not called as in the first"
    )
    columns: dict[str, Column] = Field(min_length=1)


class Read(Part):
    """How to read the data where the usual guess fails."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    key: str | None = Field(default=None, description="for sets of items in a table: which record a row belongs to")
    item: str | None = Field(default=None, description="for sets of items in a table: the column of items, or of lists")


class Output(Part):
    """Where the release goes and in which forms."""

    folder: str = Field(default="release", description="the folder to publish, relative to the plan")
    formats: tuple[Literal["csv", "parquet"], ...] = Field(default=("csv",), min_length=1)
    report: bool = Field(default=True, description="whether to write the report beside the folder")


class Items(Part):
    """What a plan says about the items of sets."""

    hierarchy: str | dict[str, Any] | None = Field(default=None, description="a CSV file, or a kind with its options")
    sensitive: tuple[str, ...] = Field(default=(), description="items that nobody should be able to attach to a person")
    constraints: str | None = Field(
        default=None, description="a file with sets of items that analyses need together: JSON, or one set per line"
    )
