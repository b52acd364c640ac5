"""Read published graphs back from their tables, and refuse those that contradict themselves."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs import ClusteredGraph, Graph, PublishedGraph
from krypsis.data.graphs.graph import SOURCE, TARGET, VERTEX
from krypsis.errors import DataError, shorten
from krypsis.format.graph_tables import ATTRIBUTE, SIZE, SUPERVERTEX, VALUE
from krypsis.format.graph_tables import COUNT as EDGES

TYPE = "type"
"""The column of a table of edges that names the type of each."""
COUNT = "count"
"""The column of how many vertices of a super-vertex have a value."""
WHOLE_NUMBER = r"^(0|[1-9][0-9]{0,17})$"


def graph_of_tables(vertices: pl.DataFrame, edges: pl.DataFrame, attributes: Sequence[str] | None = None) -> Graph:
    """Return the graph that a table of vertices and a table of edges publish.

    Vertices are numbered from 0, each once and in any order; the columns after ``vertex`` are attributes, whose values
    may be missing. An edge has
    ``source`` and ``target`` and, where edges have types, ``type``: then one row for each of its types.

    Parameters
    ----------
    vertices, edges
        the tables.
    attributes
        the attributes that the table of vertices must have, and no others; any, unless given.

    Raises
    ------
    DataError
        if something is missing, repeated, of no vertex, or not declared.

    Examples
    --------
    >>> people = pl.DataFrame({"vertex": [1, 0, 2], "job": ["cook", "smith", "cook"]})
    >>> graph = graph_of_tables(people, pl.DataFrame({"source": [0, 2], "target": [1, 1]}))
    >>> graph, graph.attributes["job"].to_list()
    (Graph(3 vertices; 2 edges), ['smith', 'cook', 'cook'])
    """
    _expect_columns(vertices, (VERTEX,), None if attributes is None else tuple(attributes), "vertices")
    order = _numbering(_numbers(vertices, VERTEX, "vertices"), "vertex")
    _refuse_missing(vertices.select(VERTEX), "vertices")
    described = vertices.drop(VERTEX)[order] if vertices.width > 1 else pl.DataFrame()
    has_types = TYPE in edges.columns
    _expect_columns(edges, (SOURCE, TARGET, *((TYPE,) if has_types else ())), (), "edges")
    _refuse_missing(edges, "edges")
    pairs = _pairs(edges, len(order), "vertex")
    if loops := np.flatnonzero(pairs[:, 0] == pairs[:, 1]).tolist():
        raise DataError(f"the edges name {len(loops)} loop(s), such as vertex {pairs[loops[0], 0]} with itself")
    types = tuple(edges[TYPE].cast(pl.String).unique(maintain_order=True).sort().to_list()) if has_types else ()
    codes = _codes(edges[TYPE].cast(pl.String), types) if has_types else None
    graph = Graph.of_codes(pairs, len(order), attributes=described, types=types, type_codes=codes)
    if graph.simplified.repeated:
        raise DataError(f"the edges name {graph.simplified.repeated} edge(s) twice, perhaps with its ends exchanged")
    return graph


def clustered_of_tables(
    supervertices: pl.DataFrame, superedges: pl.DataFrame, attributes: pl.DataFrame | None = None
) -> ClusteredGraph:
    """Return the super-vertices that tables publish.

    Parameters
    ----------
    supervertices
        ``supervertex``, numbered from 0 and each once, and ``size``.
    superedges
        ``source``, ``target`` and ``edges``; source and target are the same for edges inside a super-vertex.
    attributes
        ``supervertex``, ``attribute``, ``value`` and ``count``: how many of its vertices have the value.

    Raises
    ------
    DataError
        if something is missing, repeated, of no super-vertex, impossible, or not declared.

    Examples
    --------
    >>> groups = pl.DataFrame({"supervertex": [0, 1], "size": [3, 2]})
    >>> clustered_of_tables(groups, pl.DataFrame({"source": [0, 1], "target": [0, 0], "edges": [2, 6]}))
    ClusteredGraph(5 vertices in 2 super-vertices; 8 edges)
    """
    _expect_columns(supervertices, (SUPERVERTEX, SIZE), (), "super-vertices")
    order = _numbering(_numbers(supervertices, SUPERVERTEX, "super-vertices"), "super-vertex")
    sizes = _numbers(supervertices, SIZE, "super-vertices")[order]
    _expect_columns(superedges, (SOURCE, TARGET, EDGES), (), "super-edges")
    pairs = np.sort(_pairs(superedges, len(order), "super-vertex"), axis=1)
    sorting = np.lexsort((pairs[:, 1], pairs[:, 0]))
    counts = _numbers(superedges, EDGES, "super-edges")[sorting]
    described = pl.DataFrame()
    if attributes is not None:
        _expect_columns(attributes, (SUPERVERTEX, ATTRIBUTE, VALUE, COUNT), (), "attributes")
        _refuse_missing(attributes, "attributes")
        described = pl.DataFrame(
            {
                SUPERVERTEX: _numbers(attributes, SUPERVERTEX, "attributes"),
                ATTRIBUTE: attributes[ATTRIBUTE].cast(pl.String),
                VALUE: attributes[VALUE].cast(pl.String),
                COUNT: _numbers(attributes, COUNT, "attributes"),
            }
        )
    found = ClusteredGraph(sizes, pairs[sorting].astype(np.int32), counts, described)
    refuse_inconsistent(found)
    return found


def refuse_inconsistent(published: PublishedGraph) -> None:
    """Raise unless what is published describes a graph that could exist.

    Raises
    ------
    DataError
        if it does not.
    """
    if isinstance(published, Graph):
        _refuse_inconsistent_graph(published)
    else:
        _refuse_inconsistent_clusters(published)


def _refuse_inconsistent_graph(graph: Graph) -> None:
    if graph.vertices < 1:
        raise DataError("the published graph has no vertices; expected at least one")
    _refuse_disorder(graph.edges, graph.vertices, "edges", "vertex")
    if loops := int((graph.edges[:, 0] == graph.edges[:, 1]).sum()):
        raise DataError(f"the published graph has {loops} loop(s); edges connect two vertices")
    if graph.attributes.width and graph.attributes.height != graph.vertices:
        raise DataError(
            f"the published graph has {graph.vertices} vertices and attributes of {graph.attributes.height}"
        )
    if graph.edge_types is not None and len(graph.edge_types) != len(graph.edges):
        raise DataError(f"the published graph has {len(graph.edges)} edges and types of {len(graph.edge_types)}")


def _refuse_inconsistent_clusters(clustered: ClusteredGraph) -> None:
    sizes, pairs, counts = clustered.sizes, clustered.superedges, clustered.counts
    if not len(sizes):
        raise DataError("no super-vertex is published; expected at least one")
    if int(sizes.min()) < 1:
        raise DataError(
            f"super-vertex {int(np.argmin(sizes))} stands for {int(sizes.min())} vertices; expected 1 or more"
        )
    if int(sizes.max()) >= 2**31:
        raise DataError(
            f"super-vertex {int(np.argmax(sizes))} stands for {int(sizes.max())} vertices, which is too many"
        )
    _refuse_disorder(pairs, len(sizes), "super-edges", "super-vertex")
    if len(counts) != len(pairs):
        raise DataError(f"{len(pairs)} super-edges have {len(counts)} counts of edges; expected one for each")
    for place in np.flatnonzero((counts < 1) | (counts > clustered.possible)).tolist()[:1]:
        low, high = pairs[place].tolist()
        raise DataError(
            f"the super-edge of {low} and {high} stands for {int(counts[place])} edges; expected 1 to "
            f"{int(clustered.possible[place])}, the number of pairs of their vertices"
        )
    if clustered.attributes.width:
        _refuse_impossible_histograms(clustered.attributes, sizes)


def _refuse_impossible_histograms(attributes: pl.DataFrame, sizes: IntArray) -> None:
    _expect_columns(attributes, (SUPERVERTEX, ATTRIBUTE, VALUE, COUNT), (), "attributes")
    numbers, counts = _numbers(attributes, SUPERVERTEX, "attributes"), _numbers(attributes, COUNT, "attributes")
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= len(sizes)):
        raise DataError(f"attributes of super-vertex {int(numbers.max())} are published, and there are {len(sizes)}")
    if len(counts) and int(counts.min()) < 1:
        raise DataError(f"attributes count a value {int(counts.min())} times; expected 1 or more")
    if attributes.select(SUPERVERTEX, ATTRIBUTE, VALUE).is_duplicated().any():
        raise DataError("attributes count a value of a super-vertex twice; expected one row for each value")
    described = attributes.group_by(SUPERVERTEX, ATTRIBUTE).agg(pl.col(COUNT).sum())
    whose = described[SUPERVERTEX].to_numpy()
    for place in np.flatnonzero(described[COUNT].to_numpy() > sizes[whose]).tolist()[:1]:
        raise DataError(
            f"super-vertex {int(whose[place])} stands for {int(sizes[whose[place]])} vertices, and values of "
            f"{described[ATTRIBUTE][place]!r} are counted {int(described[COUNT][place])} times"
        )


def _refuse_disorder(pairs: CodeArray, vertices: int, what: str, who: str) -> None:
    """Raise unless pairs are of existing vertices, each once, the smaller first, ascending."""
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise DataError(f"{what} must be pairs, got an array of the shape {pairs.shape}")
    if len(pairs) and (int(pairs.min()) < 0 or int(pairs.max()) >= vertices):
        raise DataError(f"{what} name {who} {int(pairs.max())}; they are numbered 0 to {vertices - 1}")
    if (pairs[:, 0] > pairs[:, 1]).any():
        raise DataError(f"{what} must name the smaller number first")
    keys = pairs[:, 0].astype(np.int64) * vertices + pairs[:, 1]
    if (np.diff(keys) < 0).any():
        raise DataError(f"{what} must be in ascending order")
    if repeated := int((np.diff(keys) == 0).sum()):
        raise DataError(f"{what} name {repeated} pair(s) twice; expected each once")


def _expect_columns(frame: pl.DataFrame, wanted: tuple[str, ...], more: tuple[str, ...] | None, what: str) -> None:
    """Raise unless a table has some columns and of others only those that are allowed; any, where nothing is said."""
    if absent := [name for name in wanted + (more or ()) if name not in frame.columns]:
        raise DataError(f"the table of {what} has no column {absent[0]!r}; columns: {shorten(frame.columns)}")
    if more is not None and (strange := [name for name in frame.columns if name not in wanted + more]):
        raise DataError(f"the table of {what} has the column {strange[0]!r}, which is not declared; expected: "
                        f"{', '.join(wanted + more)}")  # fmt: skip


def _refuse_missing(frame: pl.DataFrame, what: str) -> None:
    for column in frame.iter_columns():
        if column.null_count():
            raise DataError(f"the table of {what} has {column.null_count()} missing value(s) in {column.name!r}")


def _numbers(frame: pl.DataFrame, column: str, what: str) -> IntArray:
    """Return a column of whole numbers; texts count where they are written as such."""
    values = frame[column]
    if values.null_count():
        raise DataError(f"the table of {what} has {values.null_count()} missing value(s) in {column!r}")
    if values.dtype == pl.String and not len(values.filter(~values.str.contains(WHOLE_NUMBER))):
        values = values.cast(pl.Int64)
    if not values.dtype.is_integer() and len(values):
        raise DataError(f"the column {column!r} of the {what} must hold whole numbers, got {values[0]!r:.40}")
    return values.cast(pl.Int64).to_numpy().astype(np.int64)


def _numbering(numbers: IntArray, what: str) -> IntArray:
    """Return where each number from 0 stands; raise unless each does once."""
    if not len(numbers):
        raise DataError(f"no {what} is published; expected at least one")
    order = np.argsort(numbers, kind="stable")
    for place in np.flatnonzero(numbers[order] != np.arange(len(numbers))).tolist()[:1]:
        found = int(numbers[order[place]])
        if place and found == int(numbers[order[place - 1]]):
            raise DataError(f"{what} {found} stands there twice; expected each once")
        raise DataError(f"{what} {place} is missing; expected the numbers 0 to {len(numbers) - 1}, got {found}")
    return order


def _pairs(frame: pl.DataFrame, vertices: int, what: str) -> IntArray:
    pairs = np.stack([_numbers(frame, SOURCE, "edges"), _numbers(frame, TARGET, "edges")], axis=1)
    for row in np.flatnonzero(((pairs < 0) | (pairs >= vertices)).any(axis=1)).tolist()[:1]:
        strange = next(end for end in pairs[row].tolist() if not 0 <= end < vertices)
        raise DataError(f"an edge names the {what} {strange}, which is not published; they are 0 to {vertices - 1}")
    return pairs


def _codes(values: pl.Series, types: tuple[str, ...]) -> IntArray:
    places = {name: place for place, name in enumerate(types)}
    return values.replace_strict(places, return_dtype=pl.Int64).to_numpy()
