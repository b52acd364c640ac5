"""Names of unfinished files that say which process works on them, so that what a killed process left can be removed."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from pathlib import Path

PART = ".krypsis-part-"
"""How the name of an unfinished file begins."""
MARK = r"(?P<host>[0-9a-f]{10})-(?P<process>\d+)-(?P<start>\w+)"


def owner_mark() -> str:
    """Return the mark of this process: its machine, its number and the moment of its start.

    Examples
    --------
    >>> is_alive(re.fullmatch(MARK, owner_mark()))
    True
    """
    return f"{short_hash(platform.node())}-{os.getpid()}-{_start_of(os.getpid())}"


def is_alive(mark: re.Match[str]) -> bool:
    """Say whether the process of a mark may still work; of processes on other machines nobody here knows."""
    # A process number comes back one day, in containers at once; the moment of its start does not.
    return mark["host"] != short_hash(platform.node()) or _start_of(int(mark["process"])) == mark["start"]


def short_hash(text: str) -> str:
    """Return a short name made of any text, without signs of its own."""
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:10]


def part_prefix() -> str:
    """Return how the name of a file begins that this process has not finished."""
    return f"{PART}{owner_mark()}-"


def remove_parts(folder: Path) -> None:
    """Remove the unfinished files of processes that are gone from a folder; those of living ones stay."""
    of_somebody = re.compile(re.escape(PART) + MARK + "-.*")
    for entry in list(folder.iterdir()) if folder.is_dir() else []:
        mark = of_somebody.fullmatch(entry.name)
        if mark and not is_alive(mark) and not entry.is_dir():
            entry.unlink(missing_ok=True)


def _start_of(process: int) -> str:
    """Return when a process started, as the system counts; ``unknown`` where it does not tell, ``gone`` if it ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        pass  # it runs, under another user
    status = Path(f"/proc/{process}/stat")
    if not status.exists():
        return "unknown"
    state, *numbers = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return "gone" if state in "ZX" else numbers[18]
