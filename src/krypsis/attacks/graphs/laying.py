"""Lay a pattern on a graph, vertex on vertex: what searches for patterns have in common."""

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.graphs.neighborhoods import has_neighbor
from krypsis.kernels._jit import compiled


@compiled
def continues(
    starts: IntArray,
    neighbors: CodeArray,
    is_edge: BoolArray,
    laid: IntArray,
    place: int,
    vertex: int,
    induced: bool,
) -> bool:
    """Say whether the vertex at some place of a pattern may lie on a vertex, after all earlier ones were laid."""
    for earlier in range(place):
        if laid[earlier] == vertex:
            return False
        wanted = is_edge[place, earlier]
        if wanted or induced:
            is_joined = has_neighbor(neighbors, starts[vertex], starts[vertex + 1], laid[earlier])
            if is_joined != wanted:
                return False
    return True
