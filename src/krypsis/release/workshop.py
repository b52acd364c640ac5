"""The workshop: a hidden folder next to the destination in which a release is built and swapped into place.

::

    parent/
        .krypsis-<destination>-<host>-<process>-<its start>-<release>.workshop/
            new/        the release being built; after the swap, the one it replaced
            old/        the replaced release, only where the system cannot swap in one step
        release/        the destination
        release.<release>.private.json

A killed process leaves its workshop behind. Its name contains the destination and the process, so the next ``save`` or
``load`` finds it, sees that the process is gone, and settles it: whatever was moved aside goes back if the destination
is empty, and the rest is removed.

Two ways of putting a folder in its place that no crash can leave half done.
"""

import ctypes
import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from krypsis.errors import DataError
from krypsis.format.claims import MANIFEST, read_json
from krypsis.io.private import MARK, is_alive, owner_mark, remove_parts, short_hash

AT_FDCWD = -100
RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2
UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""What the kernel or a file system answers that does not know the call or the flag."""


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; return whether this system can do it."""
    return _rename(one, other, RENAME_EXCHANGE)


def move_to_free_place(source: Path, destination: Path) -> None:
    """Rename a folder, and fail if something stands at the destination.

    Where the system has no such call, a rename still fails on a folder that holds something.
    """
    if not _rename(source, destination, RENAME_NOREPLACE):
        source.rename(destination)


def _rename(source: Path, destination: Path, flag: int) -> bool:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if call is None:
        return False
    if call(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(destination), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(destination))


def sync(path: Path) -> None:
    """Wait until a file or folder is safely on the disk."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return  # Windows keeps folders in order by itself and cannot open them
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


REPORTS = (".report.html", ".report.json", ".report.pdf")
"""How the names of the files go on that describe a release, next to its folder."""
SHORT = 8
"""How many characters of a release's id stand in file names."""


@dataclass(frozen=True)
class Workshop:
    """The place where one release for one destination is built."""

    folder: Path
    destination: Path

    @property
    def new(self) -> Path:
        """The release being built."""
        return self.folder / "new"

    @property
    def old(self) -> Path:
        """The release being replaced, while it stands aside."""
        return self.folder / "old"

    def put_in_place(self, *, replace: bool) -> None:
        """Move the new release to the destination; with ``replace``, what is there ends up in the workshop.

        The report on what was there goes first: after a crash, no report may lie next to a release it is not about.
        """
        for ending in REPORTS:
            self.destination.with_name(self.destination.name + ending).unlink(missing_ok=True)
        sync(self.destination.parent)
        if not replace:
            move_to_free_place(self.new, self.destination)
        elif not exchange(self.new, self.destination):
            self._put_in_place_in_two_steps()
        sync(self.destination.parent)

    def settle(self) -> None:
        """Remove the workshop, after bringing back a release that stands aside while its place is free."""
        if self.old.exists() and not self.destination.exists():
            self.old.rename(self.destination)
        self._remove_unused_record()
        # What cannot be removed now is found again by the next save to this destination.
        shutil.rmtree(self.folder, ignore_errors=True)

    def _put_in_place_in_two_steps(self) -> None:
        self.destination.rename(self.old)
        sync(self.folder)
        move_to_free_place(self.new, self.destination)

    def _remove_unused_record(self) -> None:
        """Remove the private record of a release that was built and never put in place."""
        short = self.folder.stem.rsplit("-", 1)[-1]
        if (built := release_id_of(self.new)) and built.startswith(short):
            private_path(self.destination, built).unlink(missing_ok=True)


@contextmanager
def open_workshop(destination: Path, release_id: str) -> Iterator[Workshop]:
    """Make a workshop next to the destination and leave no trace of it, whatever happens."""
    name = f"{_prefix(destination)}{owner_mark()}-{release_id[:SHORT]}.workshop"
    workshop = Workshop(destination.parent / name, destination)
    workshop.folder.mkdir(mode=0o700)  # nobody looks into a release before it is checked
    try:
        workshop.new.mkdir()
        yield workshop
    finally:
        workshop.settle()


def settle_abandoned(destination: Path) -> None:
    """Settle every workshop for this destination whose process is gone, and remove what it had not finished."""
    if not destination.parent.is_dir():
        return
    remove_parts(destination.parent)
    owned = re.compile(re.escape(_prefix(destination)) + MARK + r"-\w+\.workshop")
    for folder in destination.parent.iterdir():
        owner = owned.fullmatch(folder.name)
        if owner and not is_alive(owner):
            Workshop(folder, destination).settle()


def private_path(destination: Path, release_id: str) -> Path:
    """Return where the private record of a release lies: next to its folder, never inside."""
    return destination.parent / f"{destination.name}.{release_id[:SHORT]}.private.json"


def release_id_of(folder: Path) -> str | None:
    """Return the id of the release in a folder, or ``None`` if it does not hold one."""
    try:
        content = read_json(folder / MANIFEST)
    except DataError:
        return None
    found = content.get("release_id")
    return found if isinstance(found, str) and isinstance(content.get("format"), int) else None


def _prefix(destination: Path) -> str:
    return f".krypsis-{short_hash(destination.name)}-"
