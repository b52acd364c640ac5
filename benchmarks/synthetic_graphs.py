"""Graphs that are made up: as many vertices and edges as wanted, with some hubs, as social networks have."""

import numpy as np

from krypsis.arrays import IntArray


def hub_pairs(vertices: int, edges: int, seed: int = 1) -> IntArray:
    """Return pairs of vertices, drawn by weights with a long tail; some are loops or come again."""
    draw = np.random.default_rng(seed)
    weights = np.cumsum(draw.pareto(2.5, vertices) + 1)
    return np.searchsorted(weights, draw.random((edges, 2)) * weights[-1]).astype(np.int64)
