"""New data of a project: received complete or not at all, read, profiled, and given a first plan."""

import os
import re
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from krypsis.errors import DataError, DataWarning, OutputError, PlanError, TooLarge, UsageError
from krypsis.io.database import read_database
from krypsis.io.dataset import Dataset
from krypsis.io.paths import usable_path
from krypsis.io.private import part_prefix, write_private_files
from krypsis.io.read import read_table
from krypsis.io.write import write_parquet
from krypsis.io.yaml_file import parse_yaml
from krypsis.kinds.base import PLAN as DEMO_PLAN
from krypsis.kinds.base import Kind, ProfileView, kind_named, kind_of_file
from krypsis.kinds.table.profile.column import Sketch, sketch_column
from krypsis.kinds.table.profile.plan_file import plan_text, reading_of
from krypsis.kinds.table.profile.table import Profile, profile_table
from krypsis.plan.plan import KEYS
from krypsis.plan.plan_text import PlanText
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.projects.project import PLAN, PROFILE, SKETCHES, TABLE, VIEW, Project
from krypsis.projects.safe_paths import file_name
from krypsis.registry import USUAL_KIND


@contextmanager
def new_data(project: Project, name: str) -> Iterator[Path]:
    """Give a place to write a file to; what is written there becomes the data of the project.

    If that fails, the project keeps the data it had. What was known about the earlier data is forgotten.
    """
    known = (project.folder / name for name in (PROFILE, TABLE, VIEW))
    outdated = [*known, *project.inside("data").glob("[!.]*")]
    with new_file(project, "data", name) as place:
        yield place
        for path in outdated:
            path.unlink(missing_ok=True)


@contextmanager
def new_file(project: Project, folder: str, name: str) -> Iterator[Path]:
    """Give a place to write a file to; what is written there becomes a file in a folder of the project."""
    home, place = project.inside(folder), None
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=home, prefix=part_prefix())
        os.close(handle)
        place = Path(part)
        yield place
        place.replace(home / file_name(name))
    except OSError as error:
        project.check_there()
        raise OutputError(f"{file_name(name)} cannot be taken in: {error.strerror or error}") from error
    finally:
        if place is not None:
            place.unlink(missing_ok=True)


async def receive(
    project: Project, name: str, pieces: AsyncIterable[bytes], largest: int, folder: str = "data"
) -> Path:
    """Write an upload piece by piece as the data of a project, or into another folder, and return its place.

    Raises
    ------
    TooLarge
        as soon as it is larger than allowed; the project keeps the data it had.
    """
    size = 0
    placing = new_data(project, name) if folder == "data" else new_file(project, folder, name)
    with placing as place, place.open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            check_size(name, size, largest)
            file.write(piece)
        if not size:
            raise DataError(f"{file_name(name)} is empty; expected data, such as a table with a header and records")
    return project.inside(folder, file_name(name))


def check_size(name: str, size: int, largest: int) -> None:
    """Raise if a file is larger than a server takes."""
    if size > largest:
        raise TooLarge(f"{file_name(name)} is larger than {largest / 1024**2:,.0f} MB, which this server takes")


@dataclass(frozen=True)
class Reading:
    """How to read a file where the usual guess fails."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    kind: str | None = None
    """What kind of data it is."""
    key: str | None = None
    item: str | None = None
    """Of sets in a table, the columns of records and of items."""
    vertices: str | None = None
    """Of a graph, the table of its vertices: a file of the project, such as ``files/people.csv``."""
    source: str | None = None
    target: str | None = None
    type: str | None = None
    """Of edges in a table, the columns of their ends and of their types."""
    public: str | None = None
    """Of an ontology, another one that everybody knows: a file of the project."""

    def of_kind(self, kind: Kind) -> dict[str, str | None]:
        """Return what is said about reading data of a kind.

        Raises
        ------
        UsageError
            if something is said that has a meaning for other kinds only.
        """
        given = {name: value for name, value in asdict(self).items() if name != "kind"}
        for name, value in given.items():
            if value is not None and name not in kind.reading:
                raise UsageError(f"{name} has no meaning for {kind.title}; leave it out")
        return {name: given[name] for name in kind.reading}


def take_in(
    project: Project,
    reading: Reading = Reading(),  # noqa: B008  frozen
    progress: Progress = NO_PROGRESS,
) -> Profile | ProfileView:
    """Read the data file of a project and put what is known about it and a first plan next to it; a table, too.

    Raises
    ------
    UsageError
        if there is no file yet, or if it cannot be read; nothing has changed then.
    """
    file = project.data_file
    if file is None:
        raise UsageError(f"project {project.name} has no data yet; upload a file first")
    progress.phase("read")
    kind = _kind(file, reading)
    given = reading.of_kind(kind)
    if not kind.reads_like_table:
        return _propose(project, file, kind, given)
    return _take_in_table(project, file, given, progress)


def _kind(file: Path, reading: Reading) -> Kind:
    """Return the kind that was named; who says what stands between the fields, and no kind, means a table."""
    if reading.kind is None:
        return kind_named(USUAL_KIND) if reading.delimiter is not None else kind_of_file(file)
    kind = kind_named(reading.kind)
    if kind.planned_as:
        raise UsageError(f"{kind.title} is published on the command line: {kind.planned_as}")
    return kind


def _propose(project: Project, file: Path, kind: Kind, reading: Mapping[str, str | None]) -> ProfileView:
    """Put what is known about data that is no table into a project, and the plan that its kind proposes."""
    given = dict(reading)
    named = {name: place for name in kind.reading_files if (place := given[name]) is not None}
    for name, place in named.items():
        if not (path := project.inside(place)).is_file():
            raise UsageError(f"there is no file {place[:100]!r} in this project; upload it first")
        given[name] = str(path)
    proposed = kind.propose(file, f"data/{file.name}", given)
    text = PlanText(proposed.text)
    for name, place in named.items():  # as seen from the plan
        text = text.set([name], place)
    for warning in proposed.warnings:
        if not any(warning in note for note in proposed.profile.notes):
            warnings.warn(warning, DataWarning, stacklevel=2)
    for name in (PROFILE, TABLE, SKETCHES):
        (project.folder / name).unlink(missing_ok=True)
    write_private_files(
        {
            project.folder / PLAN: str(text).encode(),
            project.folder / VIEW: TypeAdapter(ProfileView).dump_json(proposed.profile),
        }
    )
    return proposed.profile


def _take_in_table(project: Project, file: Path, reading: Mapping[str, str | None], progress: Progress) -> Profile:
    dataset = Dataset(read_table(file, **reading), file.name, file)
    progress.phase("profile")
    profile = profile_table(dataset)
    text = plan_text(profile, dataset, f"data/{file.name}", reading_of(file, **reading))
    sketches = {column.name: sketch_column(dataset.collect_texts(column.name), column) for column in profile.columns}
    _put_table(dataset, project.folder / TABLE)
    write_private_files(
        {
            project.folder / SKETCHES: TypeAdapter(dict[str, Sketch]).dump_json(sketches),
            project.folder / PLAN: text.encode(),
            project.folder / PROFILE: TypeAdapter(Profile).dump_json(profile),  # the last: all is there now
        }
    )
    (project.folder / VIEW).unlink(missing_ok=True)
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


def fill_with_demo(project: Project, kind: str = USUAL_KIND) -> None:
    """Put the built-in data of a kind into a project, with the plan that was made for it."""
    demo = kind_named(kind).demo()
    name, *others = (name for name in demo.files if name != DEMO_PLAN)
    with new_data(project, name) as place:
        place.write_text(demo.files[name], encoding="utf-8")
    for other in others:
        with new_file(project, "files", other) as place:
            place.write_text(demo.files[other], encoding="utf-8")
    plan = _with_places(demo.files[DEMO_PLAN], {name: f"data/{name}", **{one: f"files/{one}" for one in others}})
    content = parse_yaml(plan, "the plan", KEYS, PlanError)
    named = {key: str(content[key]) for key in kind_named(kind).reading_files if key in content}
    take_in(project, Reading(kind=kind, **named))
    project.write_plan(plan)


def _with_places(plan: str, places: Mapping[str, str]) -> str:
    """Return a plan in which each file that it names lies where the project keeps it."""
    for name, place in places.items():
        plan = re.sub(rf"(?<![\w/.-]){re.escape(name)}\b", place, plan)
    return plan
