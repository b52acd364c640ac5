"""The rules for the column names of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from krypsis.errors import DataError, shorten


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
