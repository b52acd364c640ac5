"""The format of a case: a folder with ``case.toml``, its tables as CSV and its hierarchies as ``;``-separated CSV.

::

    title = "what the example shows"
    source = "author, title, year; section, table"
    note = "what had to be decided to use it"            # optional
    [[errata]]                                           # optional: what is printed wrongly
    id = "E23"                                           # its number in the project's list, if it has one
    printed = "l ≤ 1.8"
    right = "l ≤ 1.7548"

    [tables.medical]
    file = "table_5_6.csv"
    repeat = "count"                                     # optional: the column that says how often a row stands
    quasi_identifiers = ["job", "age"]
    sensitive = ["disease"]                              # optional
    hierarchies = {job = "job.csv", age = "age.csv"}     # optional

    [[expect]]
    kind = "groups"                                      # groups, measure, check, nodes, intervals, release, metrics
    table = "medical"
    …                                                    # the fields of that kind, declared below
"""

import tomllib
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.csv import read_csv

FOLDER = Path(__file__).parent


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Groups(_Part):
    """The groups of the table have these sizes, in any order."""

    kind: Literal["groups"]
    table: str
    sizes: list[int]


class Measure(_Part):
    """The worst group of the table, or of its rows with the given values, achieves this level."""

    kind: Literal["measure"]
    table: str
    model: str
    achieved: float
    decimals: int = 12
    only: dict[str, str] = {}


class Check(_Part):
    """The table keeps the promise, or does not."""

    kind: Literal["check"]
    table: str
    model: str
    holds: bool


class Nodes(_Part):
    """These nodes of the lattice are minimal among those that keep the promise, and so many keep it."""

    kind: Literal["nodes"]
    table: str
    model: str
    quasi_identifiers: list[str] | None = None
    max_suppressed: int = 0
    minimal: list[list[int]]
    passing: int | None = None


class Intervals(_Part):
    """Where new intervals of an attribute start says which of its values look alike."""

    kind: Literal["intervals"]
    table: str
    attribute: str
    starts: list[str]
    intervals: list[list[str]]


class Step(_Part):
    """One step of an algorithm that explains itself."""

    levels: list[int]
    distinct: dict[str, int]
    undersized: int
    generalize: str | None = None


class Release(_Part):
    """The algorithm publishes this table; ``at`` allows one node only."""

    kind: Literal["release"]
    table: str
    algorithm: str = "optimal"
    metric: str = "loss"
    models: list[str]
    suppression: int | None = None
    at: list[int] | None = None
    levels: list[int]
    published: str
    suppressed: int = 0
    trace: list[Step] | None = None


class Metrics(_Part):
    """At a node of the lattice, or unchanged, the metrics have these values."""

    kind: Literal["metrics"]
    table: str
    model: str
    at: list[int]
    values: dict[str, float]


class Erratum(_Part):
    id: str | None = None
    printed: str
    right: str


class Table(_Part):
    file: str
    repeat: str | None = None
    quasi_identifiers: list[str]
    sensitive: list[str] = []
    hierarchies: dict[str, str] = {}


class Case(_Part):
    title: str
    source: str
    note: str = ""
    errata: list[Erratum] = []
    tables: dict[str, Table]
    expect: list[
        Annotated[Groups | Measure | Check | Nodes | Intervals | Release | Metrics, Field(discriminator="kind")]
    ]


class Example:
    """A case with its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.case = Case.model_validate(tomllib.loads((folder / "case.toml").read_text(encoding="utf-8")))

    def frame(self, name: str) -> pl.DataFrame:
        """One of the tables, all of it text."""
        table = self.case.tables[name]
        frame = self.csv(table.file)
        if table.repeat is None:
            return frame
        return frame.select(pl.exclude(table.repeat).repeat_by(pl.col(table.repeat).cast(pl.Int64)).explode())

    def csv(self, file: str) -> pl.DataFrame:
        return pl.read_csv(self.folder / file, infer_schema=False)

    def hierarchies(self, name: str) -> dict[str, Hierarchy]:
        files = self.case.tables[name].hierarchies
        return {attribute: read_csv(self.folder / file) for attribute, file in files.items()}

    @cached_property
    def used_files(self) -> set[str]:
        """Every file the case names."""
        tables = self.case.tables.values()
        hierarchies = {file for table in tables for file in table.hierarchies.values()}
        published = {wanted.published for wanted in self.case.expect if isinstance(wanted, Release)}
        return {"case.toml"} | {table.file for table in tables} | hierarchies | published


def rows(frame: pl.DataFrame) -> Counter[tuple[str | None, ...]]:
    """The rows in no order."""
    return Counter(frame.iter_rows())
