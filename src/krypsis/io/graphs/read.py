"""Reading a graph from a file, or taking it from another package."""

import os
from collections.abc import Iterable
from numbers import Integral
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import DataError, UsageError
from krypsis.io.frames import to_polars
from krypsis.io.graphs.adjacency import read_metis, read_nauty
from krypsis.io.graphs.edge_lists import read_edge_list, read_vertex_list
from krypsis.io.graphs.edge_table import Columns, EdgeTable, graph_of_edges, table_of_frame, vertices_of_frame
from krypsis.io.graphs.gml import read_gml
from krypsis.io.graphs.graphml import read_graphml
from krypsis.io.graphs.node_link import read_node_link
from krypsis.io.graphs.packages import package_of, table_of_package
from krypsis.io.graphs.recognition import EDGES, GML, GRAPHML, JSON, METIS, NAUTY, TABLE, ending_of, format_of
from krypsis.io.paths import usable_path
from krypsis.io.read import EXCEL, PARQUET, read_table
from krypsis.io.source import TextSource

READERS = {GRAPHML: read_graphml, GML: read_gml, METIS: read_metis, JSON: read_node_link, NAUTY: read_nauty}


def read_graph(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  what users write
    vertices: Any = None,
    source: str | None = None,
    target: str | None = None,
    type: str | None = None,  # noqa: A002
    visible: Columns = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Graph:
    r"""Return the graph in a file.

    The file may be an edge list, with spaces, tabs, commas or semicolons between the columns and with or without a
    header, as those of SNAP; a Parquet or Excel file with one row per edge; GraphML, GML, METIS, node-link JSON, or
    the text form of nauty. Text may be packed with gzip, xz or bzip2. In edge lists, lines that begin with ``#`` or
    ``%`` are comments.

    The graph is simple and undirected. Loops, repeated edges, directions and attributes of edges, such as weights, are
    left out, and ``simplified`` of the graph says so. Vertices that are numbered 0, 1, 2, … have no other names;
    numbers are written without leading zeros, so 007 is a name.

    Parameters
    ----------
    path
        the file.
    format
        edges, table, graphml, gml, metis, json or nauty; found from the ending or the content unless given.
    vertices
        a file or frame with one row per vertex: the column ``vertex``, ``id`` or ``node``, or else the first one,
        names it, and the others are its attributes. A vertex without edges is an isolated one.
    source, target
        the columns of the ends of edges, by name or number from 1; unless given those that are usually called so, or
        else the first two.
    type
        the column of types of edges.
    visible
        columns of the edges, or of the vertices, that say whether the edge may be shown: yes or no. An edge is kept
        only if all agree, wherever it stands; who says nothing does not agree.
    delimiter, encoding
        of a text file, if they are not recognized.

    Raises
    ------
    DataError
        if the file does not hold a graph, with the line where that shows; or if a vertex has edges and no row in the
        table of vertices.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "friends.txt")
    ...     _ = file.write_text("# friends\nann bob 3\nbob cy 1\nbob ann 2\n", encoding="utf-8")
    ...     friends = read_graph(file)
    >>> friends, friends.simplified.sentences()
    (Graph(3 vertices; 2 edges), ('1 repeated edge was counted once', 'edges have lost their direction',
     'attributes of edges were left out: column 3'))
    """
    file = usable_path(path)
    _check_file(file)
    found = format_of(file, format)
    if found == TABLE:
        table = table_of_frame(read_table(file), file.name, source, target)
    elif found == EDGES:
        wanted = [one for one in (type, *([visible] if isinstance(visible, str) else visible or ())) if one is not None]
        table = read_edge_list(TextSource.open(file, encoding), delimiter, (source, target), wanted)
    else:
        table = READERS[found](TextSource.open(file, encoding))
    if not len(table.source) and table.vertices is None and vertices is None:
        raise DataError(f"{file.name} is empty; expected one edge per line")
    return graph_of_edges(table, _vertex_frame(vertices, table, encoding), type, visible)


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise DataError(f"{file} is a folder; expected the file of a graph")
    if not file.exists():
        raise DataError(f"{file} does not exist; expected the file of a graph")


def _vertex_frame(vertices: Any, table: EdgeTable, encoding: str | None = None) -> pl.DataFrame | None:
    if vertices is None:
        return None
    if not isinstance(vertices, str | os.PathLike):
        return vertices_of_frame(to_polars(vertices))
    file = usable_path(vertices)
    _check_file(file)
    if ending_of(file) in (*PARQUET, *EXCEL):
        return vertices_of_frame(read_table(file))
    ends = pl.concat([one.cast(pl.String).rename("vertex") for one in (table.source, table.target)])
    return vertices_of_frame(read_vertex_list(TextSource.open(file, encoding), None, ends))


def graph_of(
    data: Any,
    *,
    vertices: Any = None,
    source: str | None = None,
    target: str | None = None,
    type: str | None = None,  # noqa: A002  what users write
    visible: Columns = None,
    **reading: Any,
) -> Graph:
    """Return the graph that is given in any form.

    Parameters
    ----------
    data
        a :class:`~krypsis.data.graphs.Graph`; the path of a file, see :func:`read_graph`; a graph of networkx,
        rustworkx, igraph or networkit; a sparse matrix of scipy; a frame with one row per edge; or pairs of names.
    vertices, source, target, type, visible, reading
        as in :func:`read_graph`; ``format``, ``delimiter`` and ``encoding`` are for files only.

    Examples
    --------
    >>> graph_of([("ann", "bob"), ("bob", "cy")])
    Graph(3 vertices; 2 edges)
    >>> graph_of(pl.DataFrame({"from": [7, 8], "to": [8, 9]}), vertices=pl.DataFrame({"id": [7, 8, 9, 10]}))
    Graph(4 vertices; 2 edges)
    """
    columns = {"vertices": vertices, "source": source, "target": target, "type": type, "visible": visible}
    if isinstance(data, str | os.PathLike):
        return read_graph(data, **columns, **reading)
    if given := [name for name, value in reading.items() if value is not None]:
        raise UsageError(f"{given[0]} is for files; got {_kind(data)}")
    if isinstance(data, ClusteredGraph):
        raise UsageError("expected a graph, got super-vertices: they are what is published of one")
    if isinstance(data, Graph):
        if changes := [name for name, value in columns.items() if value is not None]:
            raise UsageError(f"{changes[0]} says how to read data; a Graph has been read already")
        return data
    table = _table_of(data, source, target)
    return graph_of_edges(table, _vertex_frame(vertices, table), type, visible)


def _table_of(data: Any, source: str | None, target: str | None) -> EdgeTable:
    if package_of(data) is not None:
        return table_of_package(data)
    if isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "column_names"):
        return _table_of_pairs(data)
    frame = to_polars(data)
    if frame.width < 2:
        raise DataError(f"a frame of edges has two columns for their ends; got {frame.width}")
    return table_of_frame(frame, "the table of edges", source, target)


def _table_of_pairs(pairs: Iterable[Any]) -> EdgeTable:
    given = list(pairs)
    for pair in given:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise DataError(f"an edge is a pair of vertices such as ('ann', 'bob'), got {pair!r:.60}")
    columns = [[pair[end] for pair in given] for end in (0, 1)]
    is_whole = all(isinstance(one, Integral) and not isinstance(one, bool) for column in columns for one in column)
    dtype = pl.Int64 if is_whole else pl.String
    first, second = (
        pl.Series([int(one) if is_whole else str(one) for one in column], dtype=dtype) for column in columns
    )
    return EdgeTable("the list of edges", first, second)


def _kind(data: object) -> str:
    return f"{data.__class__.__module__}.{data.__class__.__qualname__}".removeprefix("builtins.")
