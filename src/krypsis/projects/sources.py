"""Where the data of a project comes from, besides an upload: this machine, a database, the demo."""

from __future__ import annotations

import shutil
from pathlib import Path

from krypsis.datasets.hospital import hospital, hospital_plan
from krypsis.errors import DataError
from krypsis.io.database import read_database
from krypsis.io.paths import usable_path
from krypsis.io.write import write_csv, write_parquet
from krypsis.plan.editing import with_value
from krypsis.projects.intake import take_in
from krypsis.projects.project import Project
from krypsis.projects.uploads import new_data

DEMO = "patients.csv"


def copy_in(project: Project, path: str) -> None:
    """Copy a file of this machine into a project."""
    source = usable_path(Path(path.strip()).expanduser())
    if not source.is_file():
        raise DataError(f"file {path} not found on the machine that runs the server")
    with new_data(project, source.name) as place:
        shutil.copyfile(source, place)


def fetch(project: Project, url: str, table: str) -> None:
    """Copy a table of a database into a project; the address is kept nowhere, for it may hold a password."""
    frame = read_database(url.strip(), table.strip())
    with new_data(project, f"{table.strip()}.parquet") as place:
        write_parquet(frame, place)


def fill_with_demo(project: Project) -> None:
    """Put the invented patients of the demo into a project, with the plan that was made for them."""
    with new_data(project, DEMO) as place:
        write_csv(hospital(), place)
    take_in(project)
    project.write_plan(with_value(hospital_plan(), ["data"], f"data/{DEMO}"))
