"""A limit for the memory of a process, and the end of one that waits for memory for ever."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

FULL = 0.9
"""From this share of the limit on a process has used up its memory."""
LONGEST_WAIT = 10.0
"""Seconds after which a process that has used up its memory and computes nothing is waiting for ever."""
STANDSTILL = 0.1
"""Seconds of CPU time that looking at the job takes meanwhile, at most."""


def limit_memory(size: int) -> None:
    """Let this process take no more than so many bytes from now on; systems without such limits go without."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  there is none on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


class MemoryStall:
    """Notices that a process has used up its memory and computes nothing any more.

    Compiled libraries that cannot get memory raise, abort, or lose a thread that the others wait for. The last never
    ends by itself.

    Examples
    --------
    >>> size, seconds, now = [95], [0.0], [0.0]
    >>> stall = MemoryStall(100, size=lambda: size[0], spent=lambda: seconds[0], clock=lambda: now[0])
    >>> stall.is_certain()
    False
    >>> now[0] = 11.0
    >>> stall.is_certain()
    True
    """

    def __init__(
        self,
        limit: int,
        *,
        size: Callable[[], int] | None = None,
        spent: Callable[[], float] = time.process_time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._size, self._spent, self._clock = limit, size or _size, spent, clock
        self._worked, self._since = spent(), clock()

    def is_certain(self) -> bool:
        """Say whether the process has stood still for so long, with its memory used up, that it will not go on."""
        spent, now = self._spent(), self._clock()
        if spent > self._worked + STANDSTILL or self._size() < FULL * self._limit:
            self._worked, self._since = spent, now
        return now - self._since > LONGEST_WAIT


def _size() -> int:
    """Return the bytes of address space that this process has; 0 where the system does not say."""
    file = Path("/proc/self/statm")
    return int(file.read_text("ascii").split()[0]) * _page() if file.exists() else 0


def _page() -> int:
    import resource  # noqa: PLC0415  there is none on Windows

    return resource.getpagesize()
