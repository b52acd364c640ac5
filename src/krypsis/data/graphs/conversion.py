"""Graphs for other packages: networkx, rustworkx, igraph, networkit and scipy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from krypsis.data.graphs.graph import VERTEX
from krypsis.errors import UsageError

if TYPE_CHECKING:
    from krypsis.data.graphs.graph import Graph

TYPES = "types"
"""The attribute of an edge that holds the names of its types."""


def to_networkx(graph: Graph) -> Any:
    """Return a ``networkx.Graph``, its vertices called as in the data, with attributes; edges have ``types``."""
    networkx = _package("networkx")
    made = networkx.Graph()
    names = _names(graph)
    made.add_nodes_from(zip(names, _attributes(graph), strict=True))
    low, high = ([names[end] for end in column] for column in graph.edges.T.tolist())
    if graph.edge_types is None:
        made.add_edges_from(zip(low, high, strict=True))
    else:
        made.add_edges_from(zip(low, high, ({TYPES: types} for types in _types(graph)), strict=True))
    return made


def to_rustworkx(graph: Graph) -> Any:
    """Return a ``rustworkx.PyGraph``; what belongs to a vertex is a mapping with ``vertex``, its name."""
    rustworkx = _package("rustworkx")
    made = rustworkx.PyGraph(multigraph=False)
    made.add_nodes_from(
        [{VERTEX: name, **known} for name, known in zip(_names(graph), _attributes(graph), strict=True)]
    )
    if graph.edge_types is None:
        made.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    else:
        ends = zip(*graph.edges.T.tolist(), ({TYPES: types} for types in _types(graph)), strict=True)
        made.extend_from_weighted_edge_list(list(ends))
    return made


def to_igraph(graph: Graph) -> Any:
    """Return an ``igraph.Graph``; vertices have ``name`` and their attributes."""
    igraph = _package("igraph")
    made = igraph.Graph(n=graph.vertices, edges=graph.edges.tolist(), directed=False)
    if graph.names is not None:
        made.vs["name"] = list(map(str, _names(graph)))
    for column in graph.attributes:
        made.vs[column.name] = column.to_list()
    if graph.edge_types is not None:
        made.es[TYPES] = _types(graph)
    return made


def to_networkit(graph: Graph) -> Any:
    """Return a ``networkit.Graph``: numbers of vertices and edges alone, for it knows no names."""
    networkit = _package("networkit")
    ends = np.ones(len(graph.edges)), (graph.edges[:, 0].astype(np.uint64), graph.edges[:, 1].astype(np.uint64))
    return networkit.GraphFromCoo(ends, n=graph.vertices, weighted=False, directed=False)


def to_scipy(graph: Graph) -> Any:
    """Return the matrix of adjacency as a ``scipy.sparse.csr_array``: symmetric, with ones where there is an edge."""
    sparse = _package("scipy.sparse")
    ones = np.ones(len(graph.neighbors), dtype=np.int8)
    return sparse.csr_array((ones, graph.neighbors, graph.starts), shape=(graph.vertices, graph.vertices))


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        root = name.partition(".")[0]
        raise UsageError(
            f"this needs the package {root}, which is not installed; install it: pip install {root}"
        ) from error


def _names(graph: Graph) -> list[Any]:
    return list(range(graph.vertices)) if graph.names is None else graph.names.to_list()


def _attributes(graph: Graph) -> list[dict[str, Any]]:
    """Return what is known about each vertex; what is missing is left out."""
    if not graph.attributes.width:
        return [{} for _ in range(graph.vertices)]
    rows = graph.attributes.to_dicts()
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def _types(graph: Graph) -> list[tuple[str, ...]]:
    """Return the types of each edge, by name."""
    bits = [] if graph.edge_types is None else graph.edge_types.tolist()
    known = {one: tuple(name for at, name in enumerate(graph.types) if one >> at & 1) for one in set(bits)}
    return [known[one] for one in bits]
