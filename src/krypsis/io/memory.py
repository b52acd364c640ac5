"""How much memory there is, amounts of it as people write them, and errors that come from a lack of it."""

import errno
import os
import re
import sys
from pathlib import Path

from krypsis.errors import KrypsisError, UsageError

if sys.platform != "win32":
    import resource  # loaded now: where there is no memory left, nothing can be loaded

UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", re.IGNORECASE)
GROUPS = Path("/sys/fs/cgroup")
MEASURES = Path("/proc/meminfo")
AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


def bytes_of(amount: str | int) -> int:
    """Return an amount of memory in bytes.

    Raises
    ------
    UsageError
        if it is none.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(4096)
    (2147483648, 1572864, 4096)
    """
    found = AMOUNT.fullmatch(str(amount))
    number = 0 if found is None else int(float(found[1]) * UNITS[found[2].upper()])
    if not number:
        raise UsageError(f"memory must be an amount such as 2GB or 500MB, got {amount!r:.40}")
    return number


def shown_bytes(number: float) -> str:
    """Return an amount of memory as people read it.

    Examples
    --------
    >>> shown_bytes(2147483648), shown_bytes(1572864), shown_bytes(0)
    ('2.0 GB', '1.5 MB', '0 bytes')
    """
    for unit in ("T", "G", "M", "K"):
        if number >= UNITS[unit]:
            return f"{number / UNITS[unit]:.1f} {unit}B"
    return f"{number:.0f} bytes"


def available_memory() -> int:
    """Return how many bytes this process may still take: what the machine has, its container, and its own limit."""
    found = [_of_machine(), _of_container(), _of_process()]
    return max(min(one for one in found if one is not None), 0)


def _of_machine() -> int | None:
    if MEASURES.is_file() and (found := AVAILABLE.search(MEASURES.read_text(encoding="ascii"))):
        return int(found[1]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 2 * UNITS["G"]


def _of_container() -> int | None:
    """Return what a control group leaves, in either version of them."""
    for most, used in (
        (GROUPS / "memory.max", GROUPS / "memory.current"),
        (GROUPS / "memory/memory.limit_in_bytes", GROUPS / "memory/memory.usage_in_bytes"),
    ):
        if most.is_file() and used.is_file():
            limit = most.read_text(encoding="ascii").strip()
            return None if limit == "max" else int(limit) - int(used.read_text(encoding="ascii"))
    return None


def _of_process() -> int | None:
    most = memory_limit()
    return None if most is None else most // 2


def memory_limit() -> int | None:
    """Return how many bytes this process may take at most, or nothing if there is no limit."""
    if sys.platform == "win32":
        return None
    limits = [resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((one for one in limits if one != resource.RLIM_INFINITY), default=None)


SAYS_SO = re.compile(
    r"start new thread|spawn.* thread|failed to map segment|annot allocate memory|out of memory|"
    r"memory allocation|bad_alloc|allocation failed|background thread creation failed|"
    r"Resource temporarily unavailable",
    re.IGNORECASE,
)
"""What libraries say when they get no memory, which for most of them is no MemoryError."""
STATUS = Path("/proc/self/status")
AT_ONCE = 64 * 1024**2
"""Bytes that allocators and stacks of threads ask for at once: so much may be left when they get nothing."""


def is_lack_of_memory(error: BaseException) -> bool:
    """Say whether an error came from too little memory, also for threads and libraries that could not start.

    Examples
    --------
    >>> is_lack_of_memory(MemoryError()), is_lack_of_memory(RuntimeError("can't start new thread"))
    (True, True)
    >>> is_lack_of_memory(UsageError("out of memory is a disease in this table"))
    False
    """
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, KrypsisError):  # its words may quote the data
        return False
    if isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN):
        return True
    return SAYS_SO.search(str(error)) is not None


def limit_was_reached() -> bool:
    """Say whether the process has ever taken about all the memory that it may.

    Libraries that get no more then fail in ways of their own, such as ``SystemError``.
    """
    limit = memory_limit()
    if limit is None or not STATUS.exists():
        return False
    peak = re.search(r"VmPeak:\s*(\d+) kB", STATUS.read_text("ascii", "replace"))
    return peak is not None and int(peak[1]) * 1024 > limit - AT_ONCE
