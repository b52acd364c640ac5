"""The tables that a graph is published as: what their columns are called, for whoever writes and whoever checks."""

from collections.abc import Sequence

import polars as pl

from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.data.graphs.graph import SOURCE, TARGET, VERTEX
from krypsis.errors import DataError

EDGES = "edges"
"""The table of edges, next to the one of vertices."""
SUPEREDGES = "superedges"
"""The table of super-edges, next to the one of super-vertices."""
ATTRIBUTE_TABLE = "attribute_"
"""What the names of tables begin with that say how many vertices of a super-vertex have which value of an attribute."""
VERTICES = "vertices"
"""Their column of numbers of vertices."""
SUPERVERTEX, SIZE, COUNT = "supervertex", "size", "edges"
ATTRIBUTE, VALUE = "attribute", "value"


def tables_of_graph(graph: Graph) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the tables of vertices, with their attributes, and of edges.

    Examples
    --------
    >>> vertices, edges = tables_of_graph(Graph.of_edges([("ann", "bob")]))
    >>> vertices.columns, edges.rows()
    (['vertex'], [(0, 1)])
    """
    vertices = pl.DataFrame({VERTEX: pl.int_range(graph.vertices, eager=True)}).hstack(graph.attributes.get_columns())
    edges = pl.DataFrame(
        {SOURCE: graph.edges[:, 0], TARGET: graph.edges[:, 1]},
        schema_overrides=dict.fromkeys((SOURCE, TARGET), pl.Int64),
    )
    return vertices, edges


def tables_of_clusters(graph: ClusteredGraph) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the tables of super-vertices and of super-edges."""
    vertices = pl.DataFrame({SUPERVERTEX: pl.int_range(len(graph), eager=True), SIZE: graph.sizes})
    pairs = {SOURCE: graph.superedges[:, 0].astype("int64"), TARGET: graph.superedges[:, 1].astype("int64")}
    return vertices, pl.DataFrame({**pairs, COUNT: graph.counts})


def attribute_tables(graph: ClusteredGraph) -> dict[str, pl.DataFrame]:
    """Return a table for each attribute that is counted: super-vertex, value in the column of the attribute, number.

    Examples
    --------
    >>> counted = pl.DataFrame({"supervertex": [0], "attribute": ["job"], "value": ["cook"], "count": [2]})
    >>> import numpy as np
    >>> groups = ClusteredGraph.of(Graph.of_edges([("a", "b")]), np.array([0, 0]), counted)
    >>> {name: table.columns for name, table in attribute_tables(groups).items()}
    {'attribute_1': ['supervertex', 'job', 'vertices']}
    """
    if not graph.attributes.width:
        return {}
    names = graph.attributes[ATTRIBUTE].unique(maintain_order=True).to_list()
    return {
        f"{ATTRIBUTE_TABLE}{place}": graph.attributes.filter(pl.col(ATTRIBUTE) == name)
        .select(pl.col(SUPERVERTEX).cast(pl.Int64), pl.col(VALUE).alias(name), pl.col("count").alias(VERTICES))
        .sort(SUPERVERTEX, name)
        for place, name in enumerate(names, start=1)
    }


def is_attribute_table(name: str) -> bool:
    """Say whether a table of that name counts the values of an attribute."""
    return name.startswith(ATTRIBUTE_TABLE)


def attributes_of(tables: Sequence[pl.DataFrame]) -> pl.DataFrame | None:
    """Return what tables of attributes say as one table: super-vertex, attribute, value, count.

    Raises
    ------
    DataError
        if a table has other columns.
    """
    parts = []
    for table in tables:
        if table.width != 3 or table.columns[0] != SUPERVERTEX or table.columns[2] != VERTICES:
            raise DataError(
                f"a table of an attribute has the columns {SUPERVERTEX}, the attribute and {VERTICES}; got "
                f"{', '.join(table.columns)}"
            )
        name = table.columns[1]
        columns = {SUPERVERTEX: table[SUPERVERTEX], VALUE: table[name], "count": table[VERTICES]}
        parts.append(pl.DataFrame(columns).with_columns(pl.lit(name).alias(ATTRIBUTE)))
    found = [part.select(SUPERVERTEX, ATTRIBUTE, VALUE, "count") for part in parts]
    return pl.concat(found, how="vertical_relaxed") if found else None
