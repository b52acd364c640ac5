"""Two ways of putting a folder in its place that no crash can leave half done."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

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
