"""Leaving a search from wherever it is when its listener asks it to stop."""

from __future__ import annotations

from krypsis.progress import Progress


class Stopped(Exception):  # noqa: N818  an event rather than an error
    """The listener asks the search to stop; the search catches this and returns what it has."""


def stop_if_wanted(progress: Progress) -> None:
    """Raise if the listener asks the search to stop."""
    if progress.wants_stop():
        raise Stopped
