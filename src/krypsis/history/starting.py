"""Begin a history: its folder, and a state without versions."""

from __future__ import annotations

from pathlib import Path

from krypsis.errors import OutputError
from krypsis.history.settings import Settings
from krypsis.history.staging import Places
from krypsis.history.state import create_state


def begin(folder: Path, settings: Settings) -> Path:
    """Make the folder of a history and return it.

    Raises
    ------
    OutputError
        if there is something in the folder already.
    """
    places = Places(folder)
    if places.folder.exists() and (not places.folder.is_dir() or any(places.folder.iterdir())):
        raise OutputError(
            f"{places.folder} is there already; a history begins in a new folder. Name another one, or go on with the "
            "history that is there: 'krypsis history publish'"
        )
    places.private.mkdir(mode=0o700, parents=True)
    places.releases.mkdir()
    unfinished = places.state.with_suffix(".new")
    create_state(unfinished, settings)
    unfinished.rename(places.state)
    return places.folder
