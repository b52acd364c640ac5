"""How many edges of a graph were changed."""

from typing import ClassVar

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.metrics.graphs.base import GraphMetric, keys_of, published_edges

LIU_TERZI = "Liu, Terzi, Towards identity anonymization on graphs, SIGMOD 2008"


class EdgesAdded(GraphMetric):
    """The number of published edges that the graph before did not have, by the edges it had.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008.

    Examples
    --------
    >>> before, after = Graph.of_codes(np.array([[0, 1]]), 3), Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
    >>> EdgesAdded().measure(before, after, np.arange(3), np.random.default_rng(1))
    1.0
    """

    name: ClassVar[str] = "edges-added"
    formula: ClassVar[str] = "|E' \\ E| / |E|"
    range: ClassVar[str] = "0 where nothing was added, without limit"
    sentence: ClassVar[str] = "how many edges were added for each edge of the graph before"
    reference: ClassVar[str] = LIU_TERZI

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        own, found = keys_of(original.edges), keys_of(published_edges(original, published, places, rng))
        return float(len(np.setdiff1d(found, own))) / max(len(own), 1)


class EdgesRemoved(GraphMetric):
    """The share of the edges of the graph before that are not published.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008.

    Examples
    --------
    >>> before, after = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3), Graph.of_codes(np.array([[0, 1]]), 3)
    >>> EdgesRemoved().measure(before, after, np.arange(3), np.random.default_rng(1))
    0.5
    """

    name: ClassVar[str] = "edges-removed"
    formula: ClassVar[str] = "|E \\ E'| / |E|"
    range: ClassVar[str] = "0 where all edges are published, to 1"
    sentence: ClassVar[str] = "the share of the edges that are not published"
    reference: ClassVar[str] = LIU_TERZI

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        own, found = keys_of(original.edges), keys_of(published_edges(original, published, places, rng))
        return float(len(np.setdiff1d(own, found))) / max(len(own), 1)


class EdgeOverlap(GraphMetric):
    """What the edges before and after do not have in common.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008.

    Examples
    --------
    >>> before, after = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3), Graph.of_codes(np.array([[0, 1], [0, 2]]), 3)
    >>> EdgeOverlap().measure(before, after, np.arange(3), np.random.default_rng(1))
    0.5
    """

    name: ClassVar[str] = "edge-overlap"
    formula: ClassVar[str] = "1 - |E ∩ E'| / max(|E|, |E'|)"
    range: ClassVar[str] = "0 where the edges are the same, to 1 where none is"
    sentence: ClassVar[str] = "the share of the edges that before and after do not have in common"
    reference: ClassVar[str] = LIU_TERZI

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        own, found = keys_of(original.edges), keys_of(published_edges(original, published, places, rng))
        shared = len(np.intersect1d(own, found, assume_unique=True))
        return 1 - shared / max(len(own), len(found)) if len(own) or len(found) else 0.0
