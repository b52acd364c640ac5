"""Graphs of other packages as edges with names: networkx, rustworkx, igraph, networkit, scipy and numpy.

None of them is imported here: whoever has such a graph has the package.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from krypsis.data.graphs.graph import VERTEX
from krypsis.errors import DataError, UsageError
from krypsis.io.graphs.edge_table import EdgeTable, frame_of_records, series_of

PACKAGES = ("networkx", "rustworkx", "igraph", "networkit", "scipy", "numpy")


def package_of(data: object) -> str | None:
    """Return the package whose graph or matrix this is; ``None`` if it is of no other."""
    for cls in type(data).__mro__:
        name = cls.__module__.partition(".")[0]
        if name in PACKAGES:
            return name
    return None


def table_of_package(data: Any) -> EdgeTable:
    """Return the edges and vertices of a graph of another package.

    Raises
    ------
    UsageError
        if it is no graph.
    """
    package = str(package_of(data))
    readers = {
        "networkx": _networkx,
        "rustworkx": _rustworkx,
        "igraph": _igraph,
        "networkit": _networkit,
        "scipy": _scipy,
        "numpy": _numpy,
    }
    expected = {"networkx": "edges", "rustworkx": "edge_list", "igraph": "get_edgelist", "networkit": "iterEdges"}
    if package in expected and not hasattr(data, expected[package]):
        raise UsageError(f"expected a graph of {package}, got {type(data).__name__}")
    return readers[package](data)


def names_of(names: Sequence[Any], where: str) -> pl.Series:
    """Return names as whole numbers where all are, else as texts.

    Raises
    ------
    DataError
        if two vertices have the same name as text.
    """
    column = series_of(VERTEX, names)
    if not column.dtype.is_integer():
        column = pl.Series(VERTEX, list(map(str, names)), dtype=pl.String)
    if column.n_unique() < len(column):
        twice = column.filter(column.is_duplicated())[0]
        raise DataError(f"{where}: two vertices are called {twice!r} when their names are written as text")
    return column


def _table(
    where: str,
    names: pl.Series,
    attributes: Iterable[Mapping[str, Any]],
    ends: np.ndarray[Any, np.dtype[np.int64]],
    edges: Iterable[Mapping[str, Any]],
    *,
    is_directed: bool,
) -> EdgeTable:
    """Return edges between vertices that are given by their places."""
    first, second = names.gather(ends[:, 0]).rename("source"), names.gather(ends[:, 1]).rename("target")
    columns = frame_of_records(first, edges).drop("source")
    return EdgeTable(where, first, second, columns, (), frame_of_records(names, attributes), is_directed)


def _pairs(pairs: Iterable[Sequence[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2)


def _networkx(graph: Any) -> EdgeTable:
    where = "the graph of networkx"
    nodes = list(graph.nodes)
    place = {node: at for at, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    ends = _pairs((place[first], place[second]) for first, second, _ in edges)
    data = [given for _, _, given in edges]
    names = names_of(nodes, where)
    return _table(where, names, (graph.nodes[node] for node in nodes), ends, data, is_directed=graph.is_directed())


def _rustworkx(graph: Any) -> EdgeTable:
    where = "the graph of rustworkx"
    indices, payloads = list(graph.node_indices()), list(graph.nodes())
    place = {index: at for at, index in enumerate(indices)}
    ends = _pairs((place[first], place[second]) for first, second in graph.edge_list())
    # What belongs to a vertex is its name if each has another text or number, and else its attributes, or nothing.
    is_named = all(isinstance(one, str | int) and not isinstance(one, bool) for one in payloads)
    is_named = is_named and len(set(map(str, payloads))) == len(payloads)
    known: list[Mapping[str, Any]] = [one if isinstance(one, Mapping) else {} for one in payloads]
    if not is_named and not any(known) and any(one is not None for one in payloads):
        known = [{"label": one} for one in payloads]
    if known and all(VERTEX in one for one in known):
        names = names_of([one[VERTEX] for one in known], where)
        known = [{key: value for key, value in one.items() if key != VERTEX} for one in known]
    else:
        names = names_of(payloads if is_named else indices, where)
    data = [_edge_data(one) for one in graph.edges()]
    directed = type(graph).__name__ == "PyDiGraph"
    return _table(where, names, known, ends, data, is_directed=directed)


def _edge_data(one: Any) -> Mapping[str, Any]:
    if one is None:
        return {}
    return one if isinstance(one, Mapping) else {"weight": one}


def _igraph(graph: Any) -> EdgeTable:
    where = "the graph of igraph"
    attributes = {name: graph.vs[name] for name in graph.vs.attributes()}
    names = attributes.pop("name", None)
    if names is None or len(set(names)) < len(names) or None in names:
        if names is not None:
            attributes["name"] = names
        names = list(range(graph.vcount()))
    edges = {name: graph.es[name] for name in graph.es.attributes()}
    ends = _pairs(graph.get_edgelist())
    called = names_of(names, where)
    table = _table(where, called, (), ends, (), is_directed=graph.is_directed())
    columns = pl.DataFrame([series_of(name, values) for name, values in edges.items()])
    vertices = pl.DataFrame([called, *(series_of(name, values) for name, values in attributes.items())])
    return EdgeTable(where, table.source, table.target, columns, (), vertices, table.is_directed)


def _networkit(graph: Any) -> EdgeTable:
    nodes = np.fromiter(graph.iterNodes(), dtype=np.int64, count=graph.numberOfNodes())
    ends = _pairs(graph.iterEdges())
    return EdgeTable(
        "the graph of networkit",
        pl.Series("source", ends[:, 0]),
        pl.Series("target", ends[:, 1]),
        unread=("weight",) if graph.isWeighted() else (),
        vertices=pl.DataFrame({VERTEX: nodes}),
        is_directed=graph.isDirected(),
    )


def _scipy(matrix: Any) -> EdgeTable:
    if not hasattr(matrix, "tocoo"):
        raise UsageError(f"expected a sparse matrix of scipy, got {type(matrix).__name__}")
    return _adjacency(matrix.tocoo(), "the sparse matrix")


def _adjacency(matrix: Any, where: str) -> EdgeTable:
    """Return the edges of an adjacency matrix: where it is not 0."""
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{where} has {matrix.shape[0]} rows and {matrix.shape[1]} columns; expected equally many")
    is_edge = matrix.data != 0
    rows, columns = (np.asarray(one, dtype=np.int64)[is_edge] for one in (matrix.row, matrix.col))
    weighted = bool((matrix.data[is_edge] != 1).any())
    return EdgeTable(
        where,
        pl.Series("source", rows),
        pl.Series("target", columns),
        unread=("weight",) if weighted else (),
        vertices=pl.DataFrame({VERTEX: np.arange(matrix.shape[0])}),
        is_listed_twice=_is_symmetric(rows, columns, matrix.shape[0]),
        is_directed=not _is_symmetric(rows, columns, matrix.shape[0]),
    )


def _is_symmetric(rows: Any, columns: Any, size: int) -> bool:
    return bool(np.array_equal(np.sort(rows * size + columns), np.sort(columns * size + rows)))


def _numpy(array: Any) -> EdgeTable:
    """Return the edges of an array of pairs, or of a matrix that is square."""
    if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iu" and array.shape[0] != 2:
        pairs = array.astype(np.int64)
        return EdgeTable("the array", pl.Series("source", pairs[:, 0]), pl.Series("target", pairs[:, 1]))
    raise UsageError(
        f"expected an array of whole numbers with two columns, one row per edge; got {array.dtype} of shape "
        f"{array.shape}. A matrix of adjacency is read from scipy.sparse"
    )
