"""Progress of a run: a listener hears of every phase and every judged node, and may ask the search to stop."""

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgedNode:
    """What a search found out about one node of the lattice."""

    levels: tuple[int, ...]
    feasible: bool
    """Whether it keeps all promises within the limits."""
    score: float | None
    """Of a feasible node."""
    suppressed: int
    groups: int
    """How many groups are kept."""
    scores: tuple[float, ...] = ()
    """Of a feasible node, one number per criterion of the metric."""


class Interrupted(Exception):  # noqa: N818  what happened, not what went wrong
    """The work was stopped by the wish of its user and brought to an orderly end."""


class Progress:
    """Follows nothing and never stops a search; subclasses report progress, record nodes or set a limit."""

    def phase(self, name: str) -> None:
        """Hear that a phase of the run begins: read, encode, complete, search, recode, check, report."""

    def judged(self, node: JudgedNode) -> None:
        """Hear about a node that was judged."""

    def remaining(self, vertices: int) -> None:
        """Hear how many vertices of a graph still break a promise."""

    def wants_stop(self) -> bool:
        """Say whether the search should return the best it has found so far."""
        return False


NO_PROGRESS = Progress()
