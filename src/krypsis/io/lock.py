"""Locks that the system gives back when a process ends, however it ends."""

from __future__ import annotations

import os
from typing import IO

if os.name == "nt":
    import msvcrt

    def lock(stream: IO[bytes]) -> None:
        """Hold the lock of an open file until it is closed; ``OSError`` if somebody else holds it."""
        stream.seek(1 << 30)  # beyond what is written, so that others can read who holds it
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def lock(stream: IO[bytes]) -> None:
        """Hold the lock of an open file until it is closed; ``OSError`` if somebody else holds it."""
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


HELD = (BlockingIOError, PermissionError)
"""What is raised where somebody else holds a lock; the second is what Windows calls it."""
