"""A progress listener that remembers the nodes a search has judged."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from krypsis.kinds.table.exploration.exploration import level_columns
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress

MOST_RECORDED = 1_000_000


class Recorder(Progress):
    """Remembers every node that a search judges; hand it to :func:`krypsis.anonymize` as ``progress``.

    Parameters
    ----------
    most
        how many nodes it keeps. When there are more, the feasible ones with the lowest scores stay.
    also
        another listener that hears the same.

    Examples
    --------
    >>> import krypsis
    >>> recorder = Recorder()
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["F", "F", "M"]}), {"sex": "quasi-identifier"},
    ...                             models=["k-anonymity:k=2"], progress=recorder)
    >>> recorder.table(["sex"]).select("level:sex", "feasible", "suppressed", "groups").sort("level:sex").rows()
    [(0, False, 1, 1), (1, True, 0, 1)]
    """

    def __init__(self, most: int = MOST_RECORDED, also: Progress = NO_PROGRESS) -> None:
        self.seen = 0
        """How many nodes were judged, also those no longer kept."""
        self._most = most
        self._also = also
        self._nodes: list[JudgedNode] = []

    def phase(self, name: str) -> None:
        self._also.phase(name)

    def judged(self, node: JudgedNode) -> None:
        self.seen += 1
        self._nodes.append(node)
        if len(self._nodes) >= 2 * self._most:  # half of them leave at once, so that sorting costs little per node
            self._keep_best()
        self._also.judged(node)

    def wants_stop(self) -> bool:
        return self._also.wants_stop()

    @property
    def nodes(self) -> tuple[JudgedNode, ...]:
        """The nodes in the order in which they were judged."""
        if len(self._nodes) > self._most:
            self._keep_best()
        return tuple(self._nodes)

    def table(self, attributes: Sequence[str]) -> pl.DataFrame:
        """Return one row per node: ``level:<attribute>``, ``feasible``, ``score``, ``suppressed`` and ``groups``.

        ``attributes`` are the quasi-identifiers in the order of the roles. Nodes over fewer attributes, which a
        search may judge on its way, are left out.
        """
        nodes = [node for node in self.nodes if len(node.levels) == len(attributes)]
        figures = {
            "feasible": pl.Series([node.feasible for node in nodes], dtype=pl.Boolean),
            "score": pl.Series([node.score for node in nodes], dtype=pl.Float64),
            "suppressed": pl.Series([node.suppressed for node in nodes], dtype=pl.Int64),
            "groups": pl.Series([node.groups for node in nodes], dtype=pl.Int64),
        }
        return pl.DataFrame({**level_columns(attributes, [node.levels for node in nodes]), **figures})

    def _keep_best(self) -> None:
        places = sorted(range(len(self._nodes)), key=lambda place: _rank(self._nodes[place]))[: self._most]
        self._nodes = [self._nodes[place] for place in sorted(places)]


def _rank(node: JudgedNode) -> tuple[bool, float, int]:
    return (not node.feasible, float("inf") if node.score is None else node.score, node.suppressed)
