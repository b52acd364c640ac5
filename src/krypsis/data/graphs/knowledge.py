"""Classes of vertices that look alike to an attacker, whatever the attacker knows."""

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.graphs.graph import Graph
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.data.graphs.refinement import refine

NEIGHBORHOOD, FIXPOINT = "neighborhood", "refinement"


def labels_of(graph: Graph, names: Sequence[str]) -> IntArray | None:
    """Return a number for each vertex, equal where some attributes are; nothing where none are named.

    Examples
    --------
    >>> import polars as pl
    >>> jobs = pl.DataFrame({"job": ["cook", "smith", "cook"]})
    >>> labels_of(Graph.of_codes(np.empty((0, 2), dtype=int), 3, attributes=jobs), ["job"])
    array([0, 1, 0])
    """
    if not names:
        return None
    ranks = [graph.attributes.get_column(name).rank("dense").fill_null(0).to_numpy() for name in names]
    found: IntArray = np.unique(np.stack(ranks, axis=1), axis=0, return_inverse=True)[1].astype(np.int64).ravel()
    return found


def classes_by(graph: Graph, knowledge: str, labels: IntArray | None = None) -> IntArray:
    """Return the class of each vertex: equal where vertices look alike by what promises call a knowledge.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
    >>> classes = classes_by(path, "h1")
    >>> bool(classes[0] == classes[2] != classes[1])
    True
    """
    if knowledge == NEIGHBORHOOD:
        return neighborhood_classes(graph, labels)
    return refine(graph, None if knowledge == FIXPOINT else int(knowledge[1:]), labels)
