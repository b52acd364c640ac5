"""One process at a time works on a history."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from krypsis.errors import HistoryBusy, OutputError
from krypsis.io.lock import HELD, lock


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of a history; the system gives it back when the process ends, however it ends.

    Raises
    ------
    HistoryBusy
        if somebody else holds it.
    OutputError
        if the place knows no locks, as some network drives do.
    """
    with path.open("a+b") as stream:
        if not _is_free(stream, path):
            raise HistoryBusy(
                f"somebody else is working on this history{_holder(path)}; wait until that has ended and try again"
            )
        _write_holder(stream)
        yield


def _is_free(stream: IO[bytes], path: Path) -> bool:
    """Take the lock, and say whether it could be taken."""
    try:
        lock(stream)
    except HELD:
        return False
    except OSError as error:
        raise OutputError(
            f"{path} cannot be locked ({error.strerror}), so two programs could change the history at once; "
            "move it to a drive of this machine"
        ) from error
    return True


def _write_holder(stream: IO[bytes]) -> None:
    stream.truncate(0)
    stream.write(str(os.getpid()).encode())
    stream.flush()


def _holder(path: Path) -> str:
    number = path.read_bytes().decode("ascii", "replace").strip()
    return f" (process {number})" if number.isdigit() else ""
