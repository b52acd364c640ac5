"""Taking a file into a project: read it, profile it, and draft a plan."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from krypsis.errors import DataError, UsageError
from krypsis.io.database import read_database
from krypsis.io.dataset import Dataset
from krypsis.io.paths import usable_path
from krypsis.io.private import part_prefix, write_private_files
from krypsis.io.read import read_table
from krypsis.io.write import write_csv, write_parquet
from krypsis.kinds.base import kind_of_file
from krypsis.kinds.table.demo import hospital, hospital_plan
from krypsis.kinds.table.profile.column import Sketch, sketch_column
from krypsis.kinds.table.profile.plan_file import plan_text, reading_of
from krypsis.kinds.table.profile.table import Profile, profile_table
from krypsis.plan.plan_text import PlanText
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.projects.project import PLAN, PROFILE, SKETCHES, TABLE, Project
from krypsis.projects.uploads import new_data


@dataclass(frozen=True)
class Reading:
    """How to read a file where the usual guess fails."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


def take_in(project: Project, reading: Reading = Reading(), progress: Progress = NO_PROGRESS) -> Profile:  # noqa: B008  frozen
    """Read the data file of a project and put the table, its profile and a first plan next to it.

    Raises
    ------
    UsageError
        if there is no file yet, or if it holds no table; nothing has changed then.
    """
    file = project.data_file
    if file is None:
        raise UsageError(f"project {project.name} has no data yet; upload a file first")
    progress.phase("read")
    if reading.delimiter is None and not (kind := kind_of_file(file)).reads_like_table:
        raise UsageError(
            f"{file.name} looks like {kind.title}, and not like a table; such data is anonymized on the command line: "
            f"krypsis init {file.name} --kind {kind.name}"
        )
    dataset = Dataset(read_table(file, **asdict(reading)), file.name, file)
    progress.phase("profile")
    profile = profile_table(dataset)
    text = plan_text(profile, dataset, f"data/{file.name}", reading_of(file, **asdict(reading)))
    sketches = {column.name: sketch_column(dataset.collect_texts(column.name), column) for column in profile.columns}
    _put_table(dataset, project.folder / TABLE)
    write_private_files(
        {
            project.folder / SKETCHES: TypeAdapter(dict[str, Sketch]).dump_json(sketches),
            project.folder / PLAN: text.encode(),
            project.folder / PROFILE: TypeAdapter(Profile).dump_json(profile),  # the last: all is there now
        }
    )
    return profile


def _put_table(dataset: Dataset, path: Path) -> None:
    """Write the table as a whole or not at all."""
    part = path.with_name(part_prefix() + path.name)
    try:
        write_parquet(dataset.collect(), part)
        part.chmod(0o600)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
    project.write_plan(str(PlanText(hospital_plan()).set(["data"], f"data/{DEMO}")))
