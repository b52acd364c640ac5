"""Edges as they stand in data, and the simple graph that they form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.graphs import Graph, Simplification
from krypsis.data.graphs.graph import MOST_VERTICES, VERTEX
from krypsis.errors import DataError, UsageError, column_not_found, shorten
from krypsis.io.graphs.pair_arrays import mark_present, renumber, sorted_pairs
from krypsis.kernels.rows import number_keys

INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
"""Names that are whole numbers; 007 is none, for it is not the same name as 7."""
DENSE = 8
"""Numbers of vertices up to so many times the number of edges are looked up in a table, larger ones are hashed."""
YES, NO = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
VERTEX_NAMES = (VERTEX, "id", "node")
"""What the column is called that names the vertex in a table of vertices, in this order; else it is the first one."""
Columns = str | Sequence[str] | None


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Edges as they stand in data: any names, in any direction, repeated, with further columns."""

    where: str
    """What messages call the data."""
    source: pl.Series
    target: pl.Series
    columns: pl.DataFrame = field(default_factory=pl.DataFrame)
    """What else stands there about each edge."""
    unread: tuple[str, ...] = ()
    """Names of further columns that nobody asked for."""
    vertices: pl.DataFrame | None = None
    """The vertices that the data lists, names in the first column; ``None`` if it lists edges alone."""
    is_directed: bool | None = None
    """What the data says about itself; ``None`` if it says nothing."""
    is_listed_twice: bool = False
    """Whether the format lists an edge at both of its ends, so that this is no repetition."""


def graph_of_edges(
    table: EdgeTable, vertices: pl.DataFrame | None = None, edge_type: str | None = None, visible: Columns = None
) -> Graph:
    """Return the simple graph of a table of edges.

    Parameters
    ----------
    vertices
        what is known about the vertices, names in the first column.
    edge_type
        the column of types of edges.
    visible
        the columns that say whether the ends of an edge allow it.

    Raises
    ------
    DataError
        if an end is missing, or a vertex with edges is not among the vertices.
    """
    for column in (table.source, table.target):
        if missing := column.null_count():
            raise DataError(f"{table.where}: {missing:,} edge(s) lack a vertex; every edge needs two ends")
    if edge_type in table.columns.columns and isinstance(table.columns.schema[edge_type], pl.List):
        table = _one_row_per_type(table, edge_type)
    count, names, attributes, (sources, targets) = _numbered(table, _all_vertices(table, vertices))
    if not count:
        raise DataError(f"{table.where} holds no vertices; expected at least one edge or one vertex")
    refused = 0
    if visible is not None and (hidden := _hidden(table, attributes, visible, sources, targets)).any():
        # An end that refuses an edge refuses it wherever it stands: the most restrictive wins.
        keys = np.minimum(sources, targets) * np.int64(count) + np.maximum(sources, targets)
        refused_keys = np.unique(keys[hidden & (sources != targets)])
        shown = ~np.isin(keys, refused_keys) & ~hidden
        refused = len(refused_keys)
        table = _rows(table, shown)
        sources, targets = sources[shown], targets[shown]
    used = {one for one in (edge_type, *_listed(visible)) if one is not None}
    dropped = (*(one for one in table.columns.columns if one not in used), *table.unread)
    edges, loops, repeated, both = sorted_pairs(sources, targets, count)
    if table.is_listed_twice:
        repeated -= both
    is_directed = table.is_directed is not False and 0 < both < len(edges)
    is_directed = is_directed or bool(table.is_directed and both < len(edges))
    left_out = Simplification(loops, repeated, is_directed and not table.is_listed_twice, dropped, refused)
    if attributes.width and visible is not None:
        attributes = attributes.drop([one for one in _listed(visible) if one in attributes.columns])
    frame = attributes if attributes.width else pl.DataFrame()
    if edge_type is None:
        return Graph(count, edges, names, frame, simplified=left_out)
    types, codes = _types(table, edge_type)
    made = Graph.of_codes(np.stack([sources, targets], axis=1), count, types=types, type_codes=codes)
    left_out = Simplification(loops, made.simplified.repeated, left_out.directed, dropped, refused)
    return Graph(count, edges, names, frame, made.types, made.edge_types, left_out)


def _one_row_per_type(table: EdgeTable, edge_type: str) -> EdgeTable:
    """Return an edge that has several types as one edge of each."""
    times = table.columns.get_column(edge_type).list.len().fill_null(1).to_numpy()
    rows = pl.Series(np.repeat(np.arange(len(times)), times))
    columns = table.columns[rows].with_columns(table.columns.get_column(edge_type).explode())
    return replace(table, source=table.source[rows], target=table.target[rows], columns=columns)


def _without_lists(attributes: pl.DataFrame) -> pl.DataFrame:
    """Return attributes of which lists are written as texts."""
    lists = [one for one in attributes if isinstance(one.dtype, pl.List)]
    texts = [[None if entry is None else str(list(entry)) for entry in one.to_list()] for one in lists]
    return attributes.with_columns(pl.Series(one.name, text) for one, text in zip(lists, texts, strict=True))


def _listed(columns: Columns) -> tuple[str, ...]:
    if columns is None:
        return ()
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _rows(table: EdgeTable, kept: BoolArray) -> EdgeTable:
    rows = pl.Series(kept)
    columns = table.columns.filter(rows) if table.columns.width else table.columns
    return replace(table, source=table.source.filter(rows), target=table.target.filter(rows), columns=columns)


def _all_vertices(table: EdgeTable, vertices: pl.DataFrame | None) -> pl.DataFrame | None:
    """Return the vertices that are listed anywhere, with all that is known about them."""
    for frame, where in ((table.vertices, table.where), (vertices, "the table of vertices")):
        if frame is not None:
            _check_vertices(frame, where)
    if table.vertices is None or vertices is None:
        return table.vertices if vertices is None else vertices
    own, other = table.vertices, vertices
    key, twice = own.columns[0], set(own.columns[1:]) & set(other.columns[1:])
    if twice:
        raise DataError(f"{table.where} and the table of vertices both have {shorten(sorted(twice))}; rename it in one")
    other = other.rename({other.columns[0]: key})
    if own.get_column(key).dtype != other.get_column(key).dtype:
        own, other = (frame.with_columns(pl.col(key).cast(pl.String)) for frame in (own, other))
    if missing := own.get_column(key).filter(~own.get_column(key).is_in(other.get_column(key).implode())).to_list():
        raise _without_row(missing)
    return other.join(own, on=key, how="left", maintain_order="left")


def _check_vertices(frame: pl.DataFrame, where: str) -> None:
    names = frame.to_series(0)
    if names.null_count():
        raise DataError(
            f"{where}: {names.null_count():,} row(s) name no vertex; the column {names.name!r} must be full"
        )
    if names.n_unique() < len(names):
        twice = names.filter(names.is_duplicated()).unique(maintain_order=True).to_list()
        raise DataError(f"{where} lists vertices more than once: {shorten(twice, 5)}; give each one row")


def _without_row(missing: list[Any]) -> DataError:
    return DataError(
        f"{len(missing):,} vertices have edges and no row in the table of vertices: {shorten(missing, 5)}; "
        "add a row for each, if only with its name, or leave their edges out"
    )


def _numbered(
    table: EdgeTable, vertices: pl.DataFrame | None
) -> tuple[int, pl.Series | None, pl.DataFrame, tuple[CodeArray, CodeArray]]:
    """Return how many vertices there are, their names and attributes by number, and the numbers of all ends."""
    source, target = table.source, table.target
    named = None if vertices is None else vertices.to_series(0)
    given = [one for one in (source, target, named) if one is not None and len(one)]
    order = None
    if all(is_integer(one) for one in given):
        is_small = all(one.dtype == pl.Int32 for one in (source, target) if len(one))
        ends = [one.cast(pl.Int32 if is_small else pl.Int64).to_numpy() for one in (source, target)]
        listed = None if named is None else named.cast(pl.Int64).to_numpy()
        count, numbers, codes = _integer_codes(ends, listed)
        names = None if numbers is None else pl.Series(VERTEX, numbers)
        order = None if listed is None else np.argsort(listed, kind="stable")
    else:
        names, codes = _text_codes(source.cast(pl.String), target.cast(pl.String), named)
        count = len(names)
    attributes = pl.DataFrame() if vertices is None else vertices.drop(vertices.columns[0])
    if order is not None and attributes.width:
        attributes = attributes[order]
    clash = {VERTEX: f"{VERTEX}_"} if VERTEX in attributes.columns else {}
    return count, names, _without_lists(attributes.rename(clash)), codes


def is_integer(names: pl.Series) -> bool:
    """Say whether all names are whole numbers, or texts that are written as such."""
    if names.dtype.is_integer():
        return names.dtype != pl.UInt64 or int(names.max() or 0) < 2**63  # type: ignore[arg-type]
    return names.dtype == pl.String and bool(names.str.contains(INTEGER).all())


def _integer_codes(
    ends: Sequence[IntArray], listed: IntArray | None
) -> tuple[int, IntArray | None, tuple[CodeArray, CodeArray]]:
    """Return how many numbers occur, these numbers, ascending, unless they are 0, 1, 2, …, and the places of all ends.

    Where vertices are listed, only these may occur.
    """
    known = [one for one in (*ends, *(() if listed is None else (listed,))) if len(one)]
    low = min((int(one.min()) for one in known), default=0)
    high = max((int(one.max()) for one in known), default=-1)
    if low < 0 or high > min(DENSE * sum(map(len, known)) + 1024, MOST_VERTICES):
        return _sparse_codes(ends, listed)
    small: list[CodeArray] = [end.astype(np.int32, copy=False) for end in ends]
    is_present = np.zeros(high + 1, dtype=np.bool_)
    for present in small if listed is None else [listed.astype(np.int32)]:
        mark_present(present, is_present)
    for end in () if listed is None else ends:
        if not is_present[end].all():
            raise _without_row(np.unique(end[~is_present[end]]).tolist())
    if is_present.all():
        return high + 1, None, (small[0], small[1])
    numbers = np.cumsum(is_present, dtype=np.int64) - 1
    codes = [np.empty(len(end), dtype=np.int32) for end in ends]
    for small_end, code in zip(small, codes, strict=True):
        renumber(small_end, numbers, code)
    names = np.flatnonzero(is_present)
    return len(names), names, (codes[0], codes[1])


def _sparse_codes(
    ends: Sequence[IntArray], listed: IntArray | None
) -> tuple[int, IntArray, tuple[CodeArray, CodeArray]]:
    """Do the same for numbers that are far from each other."""
    joined = np.concatenate([*ends, *(() if listed is None else (listed,))]).astype(np.int64)
    numbers, first = np.empty(len(joined), dtype=np.int32), np.empty(len(joined), dtype=np.int64)
    count = number_keys(joined, numbers, first)
    names = joined[first[:count]]
    if listed is not None and count > len(listed):
        raise _without_row(np.setdiff1d(names, listed).tolist())
    order = np.argsort(names)
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    codes = rank[numbers]
    half = len(ends[0])
    return count, names[order], (codes[:half], codes[half : 2 * half])


def _text_codes(
    source: pl.Series, target: pl.Series, named: pl.Series | None
) -> tuple[pl.Series, tuple[CodeArray, CodeArray]]:
    """Return names, as they are listed or else as they appear first, and the places of all ends in them."""
    both = pl.concat([source.rename(VERTEX), target.rename(VERTEX)])
    if named is None:
        # Names appear edge by edge: the first end of an edge, then the second.
        order = pl.DataFrame({VERTEX: both, "row": np.tile(np.arange(len(source)), 2)})
        names = order.group_by(VERTEX, maintain_order=True).agg(pl.col("row").min()).sort("row", maintain_order=True)
        labels = names.get_column(VERTEX)
    else:
        labels = named.cast(pl.String).rename(VERTEX)
    places = pl.DataFrame({VERTEX: labels, "place": np.arange(len(labels), dtype=np.int32)})
    found = both.to_frame().join(places, on=VERTEX, how="left", maintain_order="left").get_column("place")
    if found.null_count():
        raise _without_row(both.filter(found.is_null()).unique(maintain_order=True).to_list())
    codes = found.to_numpy()
    return labels, (codes[: len(source)], codes[len(source) :])


def _hidden(
    table: EdgeTable, attributes: pl.DataFrame, visible: Columns, sources: CodeArray, targets: CodeArray
) -> BoolArray:
    """Return which rows one of the ends does not allow."""
    hidden = np.zeros(len(sources), dtype=np.bool_)
    for name in _listed(visible):
        if name in table.columns.columns:
            hidden |= ~_allowed(table.columns.get_column(name), table.where)
        elif name in attributes.columns:
            allows = _allowed(attributes.get_column(name), "the table of vertices")
            hidden |= ~(allows[sources] & allows[targets])
        else:
            raise column_not_found(name, (*table.columns.columns, *table.unread, *attributes.columns))
    return hidden


def _allowed(column: pl.Series, where: str) -> BoolArray:
    """Return which entries say yes; one that says nothing allows nothing."""
    said = column.cast(pl.String).str.strip_chars().str.to_lowercase().replace("", None).fill_null(NO[0])
    if other := said.filter(~said.is_in([*YES, *NO])).unique(maintain_order=True).to_list():
        raise DataError(
            f"{where}: the column {column.name!r} says whether an edge may be shown; expected yes or no, true or "
            f"false, 1 or 0; got {shorten(map(repr, other), 3)}"
        )
    return said.is_in(list(YES)).to_numpy()


def _types(table: EdgeTable, name: str) -> tuple[tuple[str, ...], IntArray]:
    if name not in table.columns.columns:
        raise column_not_found(name, (*table.columns.columns, *table.unread))
    column = table.columns.get_column(name).cast(pl.String)
    if column.null_count():
        raise DataError(f"{table.where}: {column.null_count():,} edge(s) have no {name!r}; give each edge a type")
    types = column.unique().sort()
    places = pl.DataFrame({name: types, "place": np.arange(len(types))})
    found = column.to_frame(name).join(places, on=name, how="left", maintain_order="left")
    return tuple(types.to_list()), found.to_series(1).to_numpy()


SOURCES = (
    "source",
    "from",
    "src",
    "fromnodeid",
    "from_id",
    "source_id",
    "node1",
    "node_1",
    "id_1",
    "u",
    "head",
    "vertex1",
)
TARGETS = ("target", "to", "dst", "tonodeid", "to_id", "target_id", "node2", "node_2", "id_2", "v", "tail", "vertex2")
"""What the columns of the ends are usually called, in lower case without spaces."""


def end_columns(names: Sequence[str], source: str | None, target: str | None) -> tuple[int, int]:
    """Return which columns hold the ends of edges: those named, those usually called so, or else the first two.

    Examples
    --------
    >>> end_columns(["weight", "from", "to"], None, None), end_columns(["a", "b", "c"], None, "3")
    ((1, 2), (0, 2))
    """
    places = [place_of(source, names), place_of(target, names)]
    usual = [_usual_place(names, SOURCES), _usual_place(names, TARGETS)]
    if source is None and target is None and None not in usual:
        places = usual
    for end in (0, 1):
        if places[end] is None:
            places[end] = next((at for at in range(len(names)) if at not in places), None)
    first, second = places
    if first is None or second is None:
        raise DataError(f"an edge needs two columns, one for each end; got {shorten(names) or 'none'}")
    if first == second:
        raise UsageError(f"source and target must be two columns, got {names[first]!r} for both")
    return first, second


def place_of(name: str | None, names: Sequence[str]) -> int | None:
    """Return the place of a column by its name, or else by its number from 1."""
    if name is None:
        return None
    if name in names:
        return list(names).index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise column_not_found(name, names)


def _usual_place(names: Sequence[str], usual: Sequence[str]) -> int | None:
    plain = ["".join(name.lower().split()) for name in names]
    return next((plain.index(one) for one in usual if one in plain), None)


def is_usual_header(names: Sequence[str]) -> bool:
    """Say whether these are names that columns of edges usually have."""
    return _usual_place(names, SOURCES) is not None and _usual_place(names, TARGETS) is not None


def table_of_frame(frame: pl.DataFrame, where: str, source: str | None = None, target: str | None = None) -> EdgeTable:
    """Return the edges of a frame with one row per edge."""
    first, second = end_columns(frame.columns, source, target)
    rest = frame.select([pl.nth(at) for at in range(frame.width) if at not in (first, second)])
    return EdgeTable(where, _plain(frame.to_series(first)), _plain(frame.to_series(second)), rest)


def vertices_of_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame of vertices with the column that names them first."""
    plain = [name.strip().lower() for name in frame.columns]
    key = next((frame.columns[plain.index(one)] for one in VERTEX_NAMES if one in plain), frame.columns[0])
    return frame.select(_plain(frame.get_column(key)), pl.exclude(key))


def _plain(names: pl.Series) -> pl.Series:
    """Return names as texts or whole numbers, whatever they were."""
    if names.dtype.is_integer() or names.dtype == pl.String:
        return names
    if names.dtype.is_float() and bool((names.drop_nulls() % 1 == 0).all()):
        return names.cast(pl.Int64)  # whole numbers with gaps become floating point ones in some libraries
    return names.cast(pl.String)


def frame_of_records(names: pl.Series, records: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the table of vertices or edges that are described one by one; what one does not have is missing."""
    rows = list(records)
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return pl.DataFrame([names, *(series_of(str(key), [row.get(key) for row in rows]) for key in keys)])


def series_of(name: str, values: Sequence[Any]) -> pl.Series:
    """Return values as a column: numbers or truth values where all are, else texts; lists of texts where all are lists.

    Examples
    --------
    >>> series_of("age", [31, None]).to_list(), series_of("age", [31, "old"]).to_list()
    ([31, None], ['31', 'old'])
    """
    kinds = {type(value) for value in values} - {type(None)}
    whole_or_not = {int, float}
    if kinds <= whole_or_not or kinds in ({bool}, {str}):
        if kinds == whole_or_not:
            values = [None if value is None else float(value) for value in values]
        if kinds != {int} or all(value is None or -(2**63) <= value < 2**63 for value in values):
            return pl.Series(name, values)
    if kinds and kinds <= {list, tuple, set, frozenset}:
        texts = [None if value is None else [str(one) for one in value] for value in values]
        return pl.Series(name, texts, dtype=pl.List(pl.String))
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
