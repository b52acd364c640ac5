"""New data of a project: complete or not at all, and never larger than allowed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from krypsis.errors import DataError, OutputError
from krypsis.projects.names import file_name
from krypsis.projects.project import PROFILE, TABLE, Project


@contextmanager
def new_data(project: Project, name: str) -> Iterator[Path]:
    """Give a place to write a file to; what is written there becomes the data of the project.

    If that fails, the project keeps the data it had. What was known about the earlier data is forgotten.
    """
    folder = project.inside("data")
    handle, beside = tempfile.mkstemp(dir=folder, prefix=".incoming-")  # only the owner can read it
    os.close(handle)
    place = Path(beside)
    try:
        yield place
        for outdated in (project.folder / PROFILE, project.folder / TABLE, *folder.glob("[!.]*")):
            outdated.unlink(missing_ok=True)
        place.replace(folder / file_name(name))
    except OSError as error:
        raise OutputError(f"{name} cannot be taken in: {error.strerror or error}") from error
    finally:
        place.unlink(missing_ok=True)


async def receive(project: Project, name: str, pieces: AsyncIterable[bytes], largest: int) -> Path:
    """Write an upload piece by piece as the data of a project, and return its place.

    Raises
    ------
    DataError
        as soon as it is larger than allowed; the project keeps the data it had.
    """
    size = 0
    with new_data(project, name) as place, place.open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > largest:
                raise DataError(
                    f"{file_name(name)} is larger than {largest / 1024**2:,.0f} MB, which this server takes"
                )
            file.write(piece)
        if not size:
            raise DataError(f"{file_name(name)} is empty; expected a table with a header and at least one record")
    return project.inside("data", file_name(name))
