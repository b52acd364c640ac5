"""Which vertices of a published graph look alike to an attacker; by sorting, and exact."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.color_refinement import joined, refined
from krypsis.checker.neighborhoods import neighborhood_classes
from krypsis.data.graphs import Graph
from krypsis.errors import column_not_found
from krypsis.models.graph_knowledge import FIXPOINT, NEIGHBORHOOD


@dataclass(frozen=True, eq=False)
class VertexClasses:
    """The class of each vertex, numbered from 0 without gaps.

    Where an exact test would take too long, the two differ: the true classes lie between them.
    """

    finest: IntArray
    """Vertices of the same number look alike for certain."""
    coarsest: IntArray
    """Vertices of different numbers look different for certain."""

    @property
    def exact(self) -> bool:
        """Whether all is known."""
        return self.finest is self.coarsest or int(self.finest.max()) == int(self.coarsest.max())


def classes_of(graph: Graph, knowledge: str, known: Sequence[str] = ()) -> VertexClasses:
    """Return the classes of vertices that look alike by some knowledge, and have the same known attributes.

    ``h0`` is the attributes alone, ``h1`` the degree, ``h2`` the degrees of all neighbors, and ``h3`` what ``h2``
    says of them; the attributes of the vertex itself are known besides. In a ``neighborhood`` those of the neighbors
    are known, too. Types of edges are not.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), 5)
    >>> classes_of(path, "h1").finest.tolist(), classes_of(path, "h2").finest.tolist()
    ([0, 1, 1, 1, 0], [0, 1, 2, 1, 0])
    """
    labels = label_codes(graph.attributes, known, graph.vertices)
    if knowledge == NEIGHBORHOOD:
        return VertexClasses(*neighborhood_classes(graph, labels))
    depth = None if knowledge == FIXPOINT else int(knowledge[1:])
    found = joined(refined(graph.starts, graph.neighbors, depth), labels)
    return VertexClasses(found, found)


def label_codes(attributes: pl.DataFrame, known: Sequence[str], vertices: int) -> IntArray:
    """Return a number for each vertex that is the same for the same values of some attributes."""
    for name in known:
        if name not in attributes.columns:
            raise column_not_found(name, attributes.columns)
    if not known:
        return np.zeros(vertices, dtype=np.int64)
    numbers: dict[tuple[object, ...], int] = {}
    rows = attributes.select(known).iter_rows()
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)
