"""Hierarchy files that lie with the data, by the names people give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from krypsis.data.hierarchies.base import Label
from krypsis.data.hierarchies.csv import read_csv
from krypsis.errors import HierarchyError

LARGEST = 20_000_000
"""How many bytes a file may have to be looked into."""


def find_hierarchy_file(data: Path, column: str, values: Sequence[Label]) -> Path | None:
    r"""Return the hierarchy file of a column, as a path from the folder of the data; nothing if none fits.

    Looked for are ``<data>_hierarchy_<column>.csv``, ``hierarchies/<column>.csv`` and ``<column>.csv``. A file fits if
    it is a hierarchy and holds all values.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people_hierarchy_job.csv").write_text("nurse;care;*\ncarer;care;*\ncook;food;*\n")
    ...     data = Path(folder, "people.csv")
    ...     find_hierarchy_file(data, "job", ["cook", "nurse"]), find_hierarchy_file(data, "job", ["pilot"])
    (PosixPath('people_hierarchy_job.csv'), None)
    """
    return next((path for path in _candidates(data, column) if _fits(data.parent / path, data, column, values)), None)


def _candidates(data: Path, column: str) -> Iterator[Path]:
    if not column or set(column) & set('/\\\0:*?"<>|'):
        return  # no such file can be meant
    stem = data.name.partition(".")[0]
    yield Path(f"{stem}_hierarchy_{column}.csv")
    yield Path("hierarchies", f"{stem}_hierarchy_{column}.csv")
    yield Path("hierarchies", f"{column}.csv")
    yield Path(f"{column}.csv")


def _fits(path: Path, data: Path, column: str, values: Sequence[Label]) -> bool:
    try:
        if not path.is_file() or path.resolve() == data.resolve() or path.stat().st_size > LARGEST:
            return False
        read_csv(path).covering(values, column)
    except (HierarchyError, OSError):
        return False
    return True
