"""Edge switching: pairs of edges exchange ends, and everybody keeps their degree."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.edited_graph import EditedGraph, edited_graph, is_adjacent, toggle
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress

MOST_TRIES = 20
"""How many pairs of edges are drawn for each switch before it is given up: in some graphs few or none can switch."""


@compiled
def switch_edges(graph: EditedGraph, edges: CodeArray, drawn: IntArray, wanted: int) -> int:
    """Switch pairs of edges that were drawn, until enough were; return how many.

    A row of ``drawn`` is two edges and whether the second is turned around: ``a - b`` and ``c - d`` become ``a - d``
    and ``c - b``, unless these are there already or would be loops.
    """
    done = 0
    for one, other, is_turned in drawn:
        if done == wanted:
            break
        a, b = int(edges[one, 0]), int(edges[one, 1])
        c, d = int(edges[other, 0]), int(edges[other, 1])
        if is_turned:
            c, d = d, c
        if a in (c, d) or b in (c, d) or is_adjacent(graph, a, d) or is_adjacent(graph, c, b):
            continue
        toggle(graph, a, b)
        toggle(graph, c, d)
        toggle(graph, a, d)
        toggle(graph, c, b)
        edges[one, 0], edges[one, 1] = a, d
        edges[other, 0], edges[other, 1] = c, b
        done += 1
    return done


class EdgeSwitching(GraphMethod):
    """Lets pairs of edges exchange their ends, drawn by chance, so that all vertices keep their degrees.

    Notes
    -----
    Two edges ``a - b`` and ``c - d`` become ``a - d`` and ``c - b``, where that makes neither loops nor double edges.
    The degree sequence is published exactly, so that whoever has a rare degree is found by it. It is meant for
    comparison. Types of edges are not published.

    References
    ----------
    Ying, Wu, "Randomizing social networks: a spectrum preserving approach", SDM 2008.

    Examples
    --------
    >>> from krypsis.data.graphs import Graph
    >>> ring = Graph.of_codes(np.stack([np.arange(10), np.arange(1, 11) % 10], axis=1), 10)
    >>> result = EdgeSwitching(share=0.5).publish(GraphTask(ring, []), np.random.default_rng(1))
    >>> set(result.published.degrees.tolist()), result.private["switches"]
    ({2}, 5)
    """

    name: ClassVar[str] = "edge-switching"
    scheme: ClassVar[str] = "edges"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = ()
    guarantee: ClassVar[str] = (
        "Nothing is promised beyond the models that were checked. Edges were exchanged by chance, and every vertex has "
        "the number of edges that it had: whoever knows a rare one finds its vertex."
    )
    reference: ClassVar[str] = "Ying, Wu, Randomizing social networks: a spectrum preserving approach, SDM 2008"

    share: float = Field(default=0.1, ge=0, le=10, description="how many switches there are for each edge")

    def publish(
        self,
        task: GraphTask,
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,  # noqa: ARG002  soon done
    ) -> GraphResult:
        self.check(task)
        graph = task.graph
        wanted = round(self.share * len(graph.edges))
        edges, edited, done = graph.edges.copy(), edited_graph(graph.starts, graph.neighbors, 4 * wanted), 0
        for _ in range(MOST_TRIES):
            if done == wanted:
                break
            drawn = rng.integers(0, [len(edges), len(edges), 2], (wanted - done, 3))
            done += switch_edges(edited, edges, drawn, wanted - done)
        published = replace(graph.with_edges(edges), attributes=graph.attributes)
        said = (f"{done:,} pairs of edges were switched by chance; every vertex keeps its degree.",)
        return GraphResult(published, np.arange(graph.vertices), said, {"switches": done, "wanted": wanted})
