"""Random edges: some are deleted, and as many others added."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress


class RandomEdges(GraphMethod):
    """Deletes a share of the edges, drawn by chance, and adds as many between others.

    Notes
    -----
    The random perturbation of Hay and others. It makes attackers unsure of single edges and promises nothing, so it is
    meant for comparison. Edges are added between pairs that had none; where there are too few such pairs, all get one.
    Types of edges are not published.

    References
    ----------
    Hay, Miklau, Jensen, Weis, Srivastava, "Anonymizing social networks", Technical Report 07-19, University of
    Massachusetts Amherst, 2007.

    Examples
    --------
    >>> ring = Graph.of_codes(np.stack([np.arange(10), np.arange(1, 11) % 10], axis=1), 10)
    >>> result = RandomEdges(share=0.2).publish(GraphTask(ring, []), np.random.default_rng(1))
    >>> len(result.published.edges), result.said
    (10, ('2 of 10 edges were deleted and 2 others added, by chance; no number of candidates is promised.',))
    """

    name: ClassVar[str] = "random-edges"
    scheme: ClassVar[str] = "edges"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = ()
    guarantee: ClassVar[str] = (
        "Nothing is promised beyond the models that were checked. A share of the edges is not real and as many are "
        "missing, by chance; most edges of everybody are as they were."
    )
    reference: ClassVar[str] = (
        "Hay, Miklau, Jensen, Weis, Srivastava, Anonymizing social networks, Technical Report 07-19, University of "
        "Massachusetts Amherst, 2007"
    )

    share: float = Field(default=0.1, ge=0, le=1, description="the share of the edges that are deleted and replaced")

    def publish(
        self,
        task: GraphTask,
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  soon done
    ) -> GraphResult:
        self.check(task)
        graph = task.graph
        count = round(self.share * len(graph.edges))
        kept = np.sort(rng.permutation(len(graph.edges))[count:])
        added = missing_pairs(graph, count, rng)
        published = graph.with_edges(np.concatenate([graph.edges[kept], added]))
        changed = f"{count:,} of {len(graph.edges):,} edges were deleted and {len(added):,} others added"
        said = (f"{changed}, by chance; no number of candidates is promised.",)
        private = {"deleted_edges": count, "added_edges": len(added)}
        with_attributes = replace(published, attributes=graph.attributes)
        return GraphResult(with_attributes, np.arange(graph.vertices), said, private)


def missing_pairs(graph: Graph, count: int, rng: np.random.Generator) -> IntArray:
    """Return ``count`` pairs of vertices without an edge, each equally likely; all of them where there are fewer.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
    >>> missing_pairs(path, 5, np.random.default_rng(1)).tolist()
    [[0, 2]]
    """
    n = graph.vertices
    pairs = n * (n - 1) // 2
    free = pairs - len(graph.edges)
    count = min(count, free)
    # Pairs are numbered row by row: u < v is pair v(v-1)/2 + u. The edges are taken out of the numbers that are drawn.
    low, high = graph.edges[:, 0].astype(np.int64), graph.edges[:, 1].astype(np.int64)
    taken = np.sort(high * (high - 1) // 2 + low)
    # The r-th free number is r plus the edges before it, of which the i-th has taken[i] - i free numbers before it.
    ranks = _distinct(free, count, rng)
    numbers = ranks + np.searchsorted(taken - np.arange(len(taken)), ranks, side="right")
    upper = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    # Square roots of large numbers are rounded: move to the row that holds the number.
    upper -= upper * (upper - 1) // 2 > numbers
    upper += upper * (upper + 1) // 2 <= numbers
    return np.stack([numbers - upper * (upper - 1) // 2, upper], axis=1)


def _distinct(limit: int, count: int, rng: np.random.Generator) -> IntArray:
    """Return distinct whole numbers below a limit, drawn evenly."""
    if count * 4 > limit:
        return rng.permutation(limit)[:count].astype(np.int64)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        more = np.concatenate([drawn, rng.integers(0, limit, count + count // 2 + 8)])
        _, firsts = np.unique(more, return_index=True)
        drawn = more[np.sort(firsts)]
    return drawn[:count]
