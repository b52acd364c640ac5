"""Graphs, such as social networks, and the forms in which they are published."""

from krypsis.data.graphs.clustered import ClusteredGraph
from krypsis.data.graphs.graph import Graph, Simplification

PublishedGraph = Graph | ClusteredGraph
"""What may be published of a graph: a graph, perhaps with other edges; or super-vertices with counted edges."""

__all__ = ["ClusteredGraph", "Graph", "PublishedGraph", "Simplification"]
