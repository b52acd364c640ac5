"""How much a packed file may unpack to: a few kilobytes can hold more than a machine can."""

from __future__ import annotations

import os

from krypsis.errors import TooLarge, UsageError

VARIABLE = "KRYPSIS_MOST_UNPACKED"
"""The environment variable that sets the limit, in MB."""
USUAL = 4096
MEGABYTE = 1024**2


def most_unpacked() -> int:
    """Return how many bytes a packed file may unpack to.

    Examples
    --------
    >>> most_unpacked() >= MEGABYTE
    True
    """
    written = os.environ.get(VARIABLE, "").strip() or str(USUAL)
    if not written.isdecimal() or not int(written):
        raise UsageError(f"{VARIABLE} must be a whole number of MB, such as {USUAL}; got {written[:40]!r}")
    return int(written) * MEGABYTE


def check_unpacked(size: int, name: str) -> None:
    """Raise if the content of a file takes more than it may."""
    if size > (most := most_unpacked()):
        raise TooLarge(
            f"{name} unpacks to more than {most // MEGABYTE:,} MB; if that is what you expect, and there is memory "
            f"for it, allow more: set the environment variable {VARIABLE} to the number of MB"
        )
