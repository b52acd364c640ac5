"""The private state as files that other programs can read."""

from __future__ import annotations

import shutil
from pathlib import Path

from krypsis.errors import OutputError
from krypsis.history.state import TABLES, State


def export_state(state: State, folder: Path) -> Path:
    """Write one Parquet file per table of the state to a new folder; only the owner can read it.

    Raises
    ------
    OutputError
        if the folder is there already or cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(
            f"the state cannot be exported to {folder}: {error.strerror or error}; name a new folder"
        ) from error
    try:
        _write(state, folder)
    except BaseException as error:
        shutil.rmtree(folder)  # half of a state is of no use, and it tells who is who
        if isinstance(error, OSError):
            raise OutputError(f"the state cannot be exported to {folder}: {error.strerror or error}") from error
        raise
    return folder


def _write(state: State, folder: Path) -> None:
    for name in TABLES:
        path = folder / f"{name}.parquet"
        path.touch(mode=0o600)
        state.frame(f"SELECT * FROM {name}").write_parquet(path)  # noqa: S608  our names
