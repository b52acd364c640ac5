"""Tables of databases that a release is written to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from krypsis.errors import OutputError

Frames = Callable[[], Iterator[pl.DataFrame]]
"""Yields the published rows in published order, one part at a time; may be asked several times."""
MARK = "published by krypsis: release "
"""How the comment of a table begins that holds a release: only such a table is ever replaced."""


class TableTarget(ABC):
    """A table that does not exist yet, or holds a release that may be replaced.

    Rows are written under another name and compared with what they should be before the table gets its own. Whoever
    reads the table meanwhile sees what was there before.
    """

    name: str
    """How messages call it; it shows no password."""

    @abstractmethod
    def check_free(self, *, force: bool) -> None:
        """Raise unless the table may be written; ``force`` says that one which holds a release may be replaced.

        Raises
        ------
        OutputError
            if it exists, or the user may not create it.
        """

    @abstractmethod
    def put(self, types: Mapping[str, pl.DataType], frames: Frames, release_id: str, *, force: bool) -> None:
        """Write rows, in their order, and give the table its name once they are known to be there as they are.

        Raises
        ------
        OutputError
            if the table cannot be written; what was there before has not changed then.
        """


def taken(name: str) -> OutputError:
    """Return the error for a table that may be replaced, and was not asked to be."""
    return OutputError(f"the table {name} exists; choose another name, or replace it: --force")


def not_ours(name: str) -> OutputError:
    """Return the error for a table that is never replaced."""
    return OutputError(
        f"the table {name} exists and holds no release; only a release is replaced: choose another name, or drop the "
        "table first"
    )


def differs(name: str) -> OutputError:
    """Return the error for a table whose rows are not those that were written."""
    return OutputError(f"the table {name} would not hold what is published: its rows differ from the files")
