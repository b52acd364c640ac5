"""Folders for files that nobody needs once a run is over, however it ends."""

from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import IO
from weakref import finalize

from krypsis.io.private import HELD, lock

PREFIX = "krypsis-"
LOCK = ".in-use"
"""The file that the owner of a folder holds locked; the system lets go of it when the process ends, also by a kill."""


class ScratchFolder:
    """A folder of ours for files that nobody needs once it is forgotten; where it lies, ``TMPDIR`` says.

    A killed process cannot remove its folder: the next one that makes a folder in the same place does.

    Examples
    --------
    >>> scratch = ScratchFolder()
    >>> path = scratch.path
    >>> del scratch
    >>> path.exists()
    False
    """

    def __init__(self, parent: Path | None = None) -> None:
        place = Path(gettempdir()) if parent is None else parent
        remove_abandoned(place)
        self.path, held = _made(place)
        """The folder; only its owner may look into it."""
        finalize(self, _remove, self.path, held)


@cache  # once in the life of a process is enough
def remove_abandoned(parent: Path) -> None:
    """Remove the scratch folders of processes that are gone; those of living ones, and of other users, stay."""
    for mark in parent.glob(f"{PREFIX}*/{LOCK}"):
        try:
            held = mark.open("rb+")
        except OSError:  # somebody else's, or just removed
            continue
        try:
            lock(held)
        except HELD:
            held.close()
        else:
            _remove(mark.parent, held)


def _made(parent: Path) -> tuple[Path, IO[bytes]]:
    """Return a new folder and the lock of its owner."""
    while True:
        path = Path(mkdtemp(prefix=PREFIX, dir=parent))
        held = (path / LOCK).open("xb")
        try:
            lock(held)
        except HELD:  # somebody clears up and has found it between these two lines
            held.close()
            continue
        if (path / LOCK).exists():
            return path, held
        held.close()


def _remove(path: Path, held: IO[bytes]) -> None:
    held.close()  # first, where open files cannot be removed
    rmtree(path, ignore_errors=True)
