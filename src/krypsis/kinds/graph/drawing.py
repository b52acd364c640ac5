"""Places of the vertices of a small graph, so that a drawing shows which belong together."""

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.graphs import Graph

MOST_DRAWN = 300
"""Vertices of a graph that is drawn; of more, nobody sees anything."""
STEPS = 120


def layout(graph: Graph, seed: int = 1) -> FloatArray:
    """Return a place in the unit square for each vertex: neighbors attract each other, all others repel.

    References
    ----------
    Fruchterman, Reingold, "Graph drawing by force-directed placement", Software: Practice and Experience 21, 1991.

    Examples
    --------
    >>> places = layout(Graph.of_codes(np.array([[0, 1], [1, 2]]), 4))
    >>> places.shape, bool(((places >= 0) & (places <= 1)).all())
    ((4, 2), True)
    """
    count = graph.vertices
    places = np.random.default_rng(seed).random((count, 2))
    if count < 2:
        return places
    joined = np.zeros((count, count), dtype=np.bool_)
    joined[graph.edges[:, 0], graph.edges[:, 1]] = joined[graph.edges[:, 1], graph.edges[:, 0]] = True
    distance = 1 / np.sqrt(count)
    for step in range(STEPS):
        gaps = places[:, None, :] - places[None, :, :]
        lengths = np.maximum(np.sqrt((gaps**2).sum(axis=2)), 1e-6)
        # Step 1: all vertices repel each other by distance² / length, neighbors attract by length² / distance.
        force = distance**2 / lengths - joined * lengths**2 / distance
        move = (gaps * (force / lengths)[:, :, None]).sum(axis=1)
        move -= 0.3 * (places - 0.5) * distance  # parts that nothing holds together must not drift away
        # Step 2: nobody moves further than the temperature, which falls.
        far = np.maximum(np.sqrt((move**2).sum(axis=1)), 1e-9)
        places += move / far[:, None] * np.minimum(far, 0.1 * (1 - step / STEPS))[:, None]
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.maximum(high - low, 1e-9))
