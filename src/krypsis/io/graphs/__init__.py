"""Graphs in files of many formats and in other packages."""

from krypsis.io.graphs.read import graph_of, read_graph
from krypsis.io.graphs.recognition import looks_like_graph

__all__ = ["graph_of", "looks_like_graph", "read_graph"]
