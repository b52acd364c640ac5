"""Leaving a search from wherever it is when its watch wants it to stop."""

from __future__ import annotations

from krypsis.algorithms.watch import Watch


class Stopped(Exception):  # noqa: N818  an event rather than an error
    """The watch wants the search to stop; the search catches it and returns what it has."""


def stop_if_wanted(watch: Watch) -> None:
    """Raise if the watch wants the search to stop."""
    if watch.wants_stop():
        raise Stopped
