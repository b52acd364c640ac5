"""Paths that a file system can hold."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from krypsis.errors import DataError, UsageError, shorten

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


def check_names(names: Sequence[str], where: str) -> None:
    """Raise unless every column has a name of its own.

    Examples
    --------
    >>> check_names(["age", "zip", "age"], "patients.csv")
    Traceback (most recent call last):
    ...
    krypsis.errors.DataError: patients.csv has columns with the same name: 'age' (2 times); give each its own name
    """
    if nameless := [position for position, name in enumerate(names, 1) if not name.strip()]:
        raise DataError(
            f"{where} has a column without a name: column {shorten(nameless)} of {len(names)}; "
            "give every column a name in the header"
        )
    if twice := [f"{name!r} ({count} times)" for name, count in Counter(names).items() if count > 1]:
        raise DataError(f"{where} has columns with the same name: {shorten(twice)}; give each its own name")
