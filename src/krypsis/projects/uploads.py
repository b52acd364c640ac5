"""New data of a project: complete or not at all, and never larger than allowed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from krypsis.errors import DataError, OutputError, TooLarge
from krypsis.io.private import part_prefix
from krypsis.projects.names import file_name
from krypsis.projects.project import PROFILE, TABLE, Project


@contextmanager
def new_data(project: Project, name: str) -> Iterator[Path]:
    """Give a place to write a file to; what is written there becomes the data of the project.

    If that fails, the project keeps the data it had. What was known about the earlier data is forgotten.
    """
    outdated = [project.folder / PROFILE, project.folder / TABLE, *project.inside("data").glob("[!.]*")]
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
            raise DataError(f"{file_name(name)} is empty; expected a table with a header and at least one record")
    return project.inside(folder, file_name(name))


def check_size(name: str, size: int, largest: int) -> None:
    """Raise if a file is larger than a server takes."""
    if size > largest:
        raise TooLarge(f"{file_name(name)} is larger than {largest / 1024**2:,.0f} MB, which this server takes")
