"""Paths that a file system can hold."""

from __future__ import annotations

import os
from pathlib import Path

from krypsis.errors import UsageError

LONGEST_SHOWN = 60


def usable_path(path: str | os.PathLike[str]) -> Path:
    """Return a path after making sure that asking the file system about it is not itself an error.

    Examples
    --------
    >>> usable_path("release/data.csv").name
    'data.csv'
    """
    shown = os.fspath(path)[:LONGEST_SHOWN]
    if "\0" in os.fspath(path):
        raise UsageError(f"{shown!r} is not a path: it holds a NUL character")
    try:
        Path(path).exists()
    except OSError as error:
        raise UsageError(f"{shown!r}… cannot be a path here: {error.strerror}") from None
    return Path(path)
