"""The budget of a search: how long it may take and how many nodes it may judge."""

from __future__ import annotations

from time import monotonic

from krypsis.progress import JudgedNode, Progress


class SearchBudget:
    """Counts what a search spends, reports its progress, and says when to stop."""

    def __init__(self, progress: Progress, seconds: float | None = None, nodes: int | None = None) -> None:
        self._progress = progress
        self._end = None if seconds is None else monotonic() + seconds
        self._nodes = nodes
        self.judged = 0

    def spend(self, node: JudgedNode) -> None:
        """Record a node that was judged."""
        self.judged += 1
        self._progress.judged(node)

    def pass_over(self, nodes: int) -> None:
        """Count nodes that were settled without being judged."""
        self.judged += nodes

    def at_most(self, nodes: int) -> int:
        """Return how many of so many nodes may still be judged, at least one."""
        return nodes if self._nodes is None else max(min(nodes, self._nodes - self.judged), 1)

    def is_spent(self) -> bool:
        """Say whether the search must return what it has."""
        late = self._end is not None and monotonic() >= self._end
        enough = self._nodes is not None and self.judged >= self._nodes
        return late or enough or self._progress.wants_stop()

    def part(self, share: float) -> SearchBudget:
        """Return a budget of a share of what is left in time and nodes, reporting to the same listener."""
        seconds = None if self._end is None else max(self._end - monotonic(), 0) * share
        nodes = None if self._nodes is None else int((self._nodes - self.judged) * share)
        return SearchBudget(self._progress, seconds, nodes)


class Stopped(Exception):  # noqa: N818  an event rather than an error
    """The listener asks the search to stop; the search catches this and returns what it has."""


def stop_if_wanted(progress: Progress) -> None:
    """Raise if the listener asks the search to stop."""
    if progress.wants_stop():
        raise Stopped
