"""One project: a folder that holds the data, the plan, the hierarchies, the releases and the jobs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, TypeAdapter

from krypsis.errors import PlanError, UsageError
from krypsis.io.addresses import is_address
from krypsis.io.private import write_private_files
from krypsis.io.yaml_file import parse_yaml
from krypsis.kinds.base import ProfileView
from krypsis.kinds.table.profile.column import Sketch
from krypsis.kinds.table.profile.table import Profile
from krypsis.plan import Plan
from krypsis.plan.plan import KEYS

if TYPE_CHECKING:
    from krypsis.io.dataset import Dataset
    from krypsis.kinds.table.plan import PlanColumn, TablePlan


BETWEEN = re.compile(r"[,=]")
"""What stands between the names and values of a parameter that is written in short."""


def check_places(text: str) -> None:
    r"""Raise if a plan names a place outside its folder, whatever for.

    Examples
    --------
    >>> check_places("data: data/patients.csv\ncolumns: {age: {role: QI, hierarchy: hierarchies/age.csv}}")
    >>> check_places("data: ../patients.csv")
    Traceback (most recent call last):
        ...
    krypsis.errors.PlanError: '../patients.csv' is outside the project; ...
    """
    content = parse_yaml(text, "the plan", KEYS, PlanError)
    _check_no_server(content)
    for value in _texts(content):
        for part in (value, *BETWEEN.split(value)):
            if _leads_out(part.strip()):
                raise PlanError(
                    f"{part.strip()[:100]!r} is outside the project; a plan in the browser works with files of its own "
                    "project: upload the file, and name it as the project shows it"
                )


OWN_ENGINES = (None, "memory", "duckdb")
"""The engines that work on files of a project."""


def _check_no_server(content: Mapping[str, Any]) -> None:
    """Raise if a plan reads from another server, or writes there: it would do so in the name of this one."""
    tables, output = content.get("tables"), content.get("output")
    further = [one.get("data") for one in tables.values() if isinstance(one, dict)] if isinstance(tables, dict) else []
    named = [content.get(name) for name in ("data", "population", "private_columns")]
    elsewhere = any(is_address(value) for value in (*named, *further))
    writes = isinstance(output, dict) and output.get("table") is not None
    if elsewhere or writes or content.get("engine") not in OWN_ENGINES:
        raise PlanError(
            "a plan in the browser works with files of its own project and not with databases or clusters; upload a "
            "file, or run the plan with 'krypsis run'"
        )


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value)
    elif content is not None:
        yield str(content)


def _leads_out(text: str) -> bool:
    windows = PureWindowsPath(text)
    is_elsewhere = text.startswith(("/", "~", "\\")) or bool(windows.drive)
    return is_elsewhere or ".." in PurePosixPath(text).parts or ".." in windows.parts


ABOUT = "project.json"
PLAN = "plan.yaml"
TABLE = "table.parquet"
PROFILE = "profile.json"
SKETCHES = "sketches.json"
VIEW = "view.json"
"""What was found in data that is no table."""


class ProjectDeleted(UsageError):  # noqa: N818  an event rather than a mistake
    """A project was deleted while something was done with it."""


class About(BaseModel):
    """What is known about a project besides its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    created: datetime


@dataclass(frozen=True, eq=False)
class Project:
    """A project in its folder. Everything in it stays with the publisher but what is downloaded.

    ``data/`` holds the file as it came, ``table.parquet`` the same as a table to turn pages in, ``profile.json`` what
    is known about it, or ``view.json`` about data that is no table, ``plan.yaml`` the plan, ``hierarchies/`` and
    ``files/`` the files that the plan names, ``releases/`` a folder per release with its report and private record next
    to it, ``jobs/`` what was done and is being done.
    """

    folder: Path

    @property
    def name(self) -> str:
        """The name in addresses."""
        return self.folder.name

    @cached_property
    def about(self) -> About:
        """The title and the day of creation."""
        return About.model_validate_json((self.folder / ABOUT).read_bytes())

    @property
    def is_there(self) -> bool:
        """Whether the project exists, and was not deleted meanwhile."""
        return (self.folder / ABOUT).is_file()

    def check_there(self) -> None:
        """Raise if the project was deleted meanwhile."""
        if not self.is_there:
            raise ProjectDeleted(f"project {self.name} was deleted; nothing was changed")

    def inside(self, *parts: str) -> Path:
        """Return a path in this project.

        Raises
        ------
        UsageError
            if it leads out of the folder, also by a link.
        """
        home = self.folder.resolve()
        if any("\0" in part for part in parts):
            raise UsageError("a path holds a NUL character; expected the name of a file in this project")
        path = home.joinpath(*parts).resolve()
        if not path.is_relative_to(home):
            raise UsageError(f"{'/'.join(parts)[:100]!r} is not in this project")
        return path

    @property
    def data_file(self) -> Path | None:
        """The file as it came, or nothing as long as there is none."""
        return next((path for path in sorted((self.folder / "data").glob("[!.]*"))), None)

    @property
    def has_table(self) -> bool:
        """Whether a table was read, so that there are a table, a profile and a plan."""
        return (self.folder / PROFILE).is_file()

    @property
    def is_read(self) -> bool:
        """Whether the data was read, table or not, so that there is a plan."""
        return self.has_table or (self.folder / VIEW).is_file()

    @property
    def read_at(self) -> int:
        """When the data was read, in nanoseconds."""
        return (self.folder / (TABLE if self.has_table else VIEW)).stat().st_mtime_ns

    @property
    def records(self) -> int | None:
        """The number of records, where that is known."""
        return self.profile.rows if self.has_table else self.view.records if self.is_read else None

    def rows(self, start: int, count: int) -> pl.DataFrame:
        """Return a page of the table, without reading the rest."""
        return pl.scan_parquet(self.folder / TABLE, glob=False).slice(start, count).collect()

    def dataset(self) -> "Dataset":
        """Return the table as a whole."""
        from krypsis.io.dataset import Dataset  # noqa: PLC0415

        return Dataset(pl.read_parquet(self.folder / TABLE, glob=False), self.profile.name, self.folder / TABLE)

    @cached_property
    def profile(self) -> Profile:
        """What is known about the table."""
        return TypeAdapter(Profile).validate_json((self.folder / PROFILE).read_bytes())

    @cached_property
    def view(self) -> ProfileView:
        """What is known about data that is no table."""
        return TypeAdapter(ProfileView).validate_json((self.folder / VIEW).read_bytes())

    @cached_property
    def sketches(self) -> dict[str, Sketch]:
        """How the values of each column are distributed."""
        return TypeAdapter(dict[str, Sketch]).validate_json((self.folder / SKETCHES).read_bytes())

    @property
    def plan_text(self) -> str:
        """The plan as YAML."""
        return (self.folder / PLAN).read_text("utf-8")

    def plan(self) -> Plan:
        """Return the plan.

        Raises
        ------
        PlanError
            with all that is wrong in it.
        """
        return _plan(self.folder / PLAN, _stamp(self.folder / PLAN))

    def table_plan(self) -> "TablePlan":
        """Return the plan, which must be about a table."""
        from krypsis.kinds.table.plan import TablePlan  # noqa: PLC0415

        return TablePlan.require(self.plan())

    @property
    def planned_columns(self) -> "Mapping[str, PlanColumn]":
        """What the plan says about the columns of the table, or about the attributes of vertices."""
        return self.table_plan().columns if self.has_table else self.plan().attribute_columns

    def write_plan(self, text: str) -> Plan:
        """Put a text in the place of the plan, if it is one.

        Raises
        ------
        PlanError
            with all that is wrong; the plan has not changed then.
        """
        check_places(text)
        plan = Plan.parse(text, self.folder)
        write_private_files({self.folder / PLAN: text.encode()})
        return plan

    @property
    def releases(self) -> tuple[int, ...]:
        """The numbers of the releases, the last one first."""
        folders = (self.folder / "releases").glob("[0-9]*")
        return tuple(
            sorted((int(path.name) for path in folders if path.is_dir() and path.name.isdigit()), reverse=True)
        )

    def release_folder(self, number: int) -> Path:
        """Return the folder of a release."""
        return self.inside("releases", str(number))


@lru_cache(maxsize=64)
def _plan(file: Path, stamp: tuple[int, ...]) -> Plan:  # noqa: ARG001  of what was read
    """Return the plan in a file; a page asks for it many times, and a long one takes a while to read."""
    return Plan.load(file)


def _stamp(file: Path) -> tuple[int, ...]:
    """Return numbers that change with a file."""
    if not file.is_file():
        return ()
    found = file.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size
