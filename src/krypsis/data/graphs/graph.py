"""A graph: vertices, such as people, and edges, such as friendships between them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.errors import DataError
from krypsis.texts.cards import Card

MOST_TYPES = 64
"""Types of edges that one graph may have: each is a bit of a number."""
MOST_VERTICES = 2**31 - 1
TypeBits = npt.NDArray[np.uint64]
HALF, LOWER_HALF = 32, 2**32 - 1
"""Two vertices in one number, which sorts as the pair does."""
SOURCE, TARGET, VERTEX = "source", "target", "vertex"
"""The columns of a frame of edges, and the column that names the vertex in a frame of vertices."""


@dataclass(frozen=True)
class Simplification:
    """What a simple undirected graph leaves out of the data it was read from.

    Examples
    --------
    >>> print(*Simplification(loops=2, directed=True).sentences(), sep="; ")
    2 loops were left out; edges have lost their direction
    """

    loops: int = 0
    repeated: int = 0
    """Edges that stood there more than once, in either direction."""
    directed: bool = False
    dropped: tuple[str, ...] = ()
    """Attributes of edges that were not kept, such as weights."""
    refused: int = 0
    """Edges that one of their ends does not allow to be shown."""

    def sentences(self) -> tuple[str, ...]:
        """Return what was left out in plain words."""
        said = {
            f"{self.loops:,} loop{'s were' if self.loops > 1 else ' was'} left out": self.loops,
            f"{self.repeated:,} repeated edge{'s were' if self.repeated > 1 else ' was'} counted once": self.repeated,
            "edges have lost their direction": self.directed,
            f"attributes of edges were left out: {', '.join(self.dropped)}": self.dropped,
            f"{self.refused:,} edge(s) were left out because an end does not allow them": self.refused,
        }
        return tuple(sentence for sentence, counts in said.items() if counts)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected simple graph, with attributes of its vertices and types of its edges.

    Vertices are numbered from 0; ``names`` says what the data calls them, and is private. Vertices without edges count.

    Examples
    --------
    >>> friends = Graph.of_edges([("ann", "bob"), ("bob", "ann"), ("bob", "cy")])
    >>> friends, friends.degrees.tolist(), friends.neighbors_of(1).tolist(), friends.simplified.repeated
    (Graph(3 vertices; 2 edges), [1, 2, 1], [0, 2], 1)
    """

    vertices: int
    edges: CodeArray
    """One row per edge, the smaller number first, in ascending order."""
    names: pl.Series | None = None
    """What the data calls each vertex; ``None`` where these are the numbers themselves."""
    attributes: pl.DataFrame = field(default_factory=pl.DataFrame)
    """What is known about each vertex, in the order of their numbers; no columns where nothing is."""
    types: tuple[str, ...] = ()
    """The types of edges, where there are several."""
    edge_types: TypeBits | None = None
    """Which types each edge has: bit ``t`` stands for ``types[t]``."""
    simplified: Simplification = Simplification()

    @classmethod
    def read(cls, path: str | os.PathLike[str], **reading: Any) -> Graph:
        """Read a graph from a file; see :func:`krypsis.io.graphs.read_graph` for the formats and the keywords."""
        # Readers lie above what they return, and whoever checks a graph must not load them.
        readers = import_module("krypsis.io.graphs")
        found: Graph = readers.read_graph(path, **reading)
        return found

    @classmethod
    def of(cls, data: Any, **reading: Any) -> Graph:
        """Return the graph that is given in any form; see :func:`krypsis.io.graphs.graph_of` for the keywords.

        Parameters
        ----------
        data
            a frame with one row per edge; a graph of networkx, rustworkx, igraph or networkit; a sparse matrix of
            scipy; pairs of names; or the path of a file.
        reading
            ``vertices``, a frame with one row per vertex; ``source``, ``target`` and ``type``, the columns of edges.

        Examples
        --------
        >>> calls = pl.DataFrame({"from": ["ann", "bob"], "to": ["bob", "cy"]})
        >>> people = pl.DataFrame({"vertex": ["ann", "bob", "cy"], "job": ["cook", "cook", "nurse"]})
        >>> Graph.of(calls, vertices=people).attributes["job"].to_list()
        ['cook', 'cook', 'nurse']
        """
        # As above: readers are loaded when they are asked for.
        readers = import_module("krypsis.io.graphs")
        found: Graph = readers.graph_of(data, **reading)
        return found

    @classmethod
    def of_edges(
        cls,
        pairs: Iterable[Sequence[object]] | npt.NDArray[Any],
        vertices: Iterable[object] = (),
        attributes: pl.DataFrame | None = None,
    ) -> Graph:
        """Return the graph of pairs of names; loops and repeated edges are counted and left out.

        Parameters
        ----------
        pairs
            the two ends of each edge, by any names.
        vertices
            names of further vertices, such as those without edges; they come first in the numbering.
        attributes
            one row per vertex, in the order of ``vertices``, which must then name all of them.
        """
        given = [tuple(pair) for pair in pairs]
        for pair in given:
            if len(pair) != 2:
                raise DataError(f"an edge is a pair of vertices such as ('ann', 'bob'), got {pair!r:.60}")
        named = list(vertices)
        ends = [str(end) for pair in given for end in pair]
        labels = list(dict.fromkeys([str(one) for one in named] + ends))
        number = {label: place for place, label in enumerate(labels)}
        codes = np.array([number[end] for end in ends], dtype=np.int64).reshape(-1, 2)
        if attributes is not None and attributes.height != len(labels):
            raise DataError(f"attributes has {attributes.height} rows for {len(labels)} vertices; give one for each")
        return cls.of_codes(codes, len(labels), names=pl.Series(VERTEX, labels, dtype=pl.String), attributes=attributes)

    @classmethod
    def of_codes(
        cls,
        pairs: npt.NDArray[np.integer[Any]],
        vertices: int,
        *,
        names: pl.Series | None = None,
        attributes: pl.DataFrame | None = None,
        types: Sequence[str] = (),
        type_codes: npt.NDArray[np.integer[Any]] | None = None,
        simplified: Simplification = Simplification(),  # noqa: B008  frozen
    ) -> Graph:
        """Return the graph of pairs of numbers, in any order; loops and repeated edges are counted and left out.

        Parameters
        ----------
        pairs
            one row per edge: the numbers of its ends.
        vertices
            how many there are.
        names, attributes, types
            as the fields.
        type_codes
            the type of each pair, as a place in ``types``.
        simplified
            what else was left out before.
        """
        if vertices > MOST_VERTICES:
            raise DataError(f"a graph may have {MOST_VERTICES:,} vertices, got {vertices:,}")
        if len(types) > MOST_TYPES:
            raise DataError(f"edges may have {MOST_TYPES} types, got {len(types)}; leave out or unite some")
        pairs = np.asarray(pairs).reshape(-1, 2)
        if len(pairs) and (int(pairs.min()) < 0 or int(pairs.max()) >= vertices):
            raise DataError(f"an edge names vertex {int(pairs.max())}, and vertices are numbered 0 to {vertices - 1}")
        is_loop = pairs[:, 0] == pairs[:, 1]
        loops = int(is_loop.sum())
        kept = pairs[~is_loop] if loops else pairs
        keys = _keys(np.minimum(kept[:, 0], kept[:, 1]), np.maximum(kept[:, 0], kept[:, 1]))
        edge_types: TypeBits | None = None
        if type_codes is None:
            keys.sort()
            keys = keys[np.diff(keys, prepend=-1) > 0]
            repeated = len(kept) - len(keys)
        else:
            bits = np.uint64(1) << np.asarray(type_codes, dtype=np.uint64)[~is_loop]
            order = np.argsort(keys, kind="stable")
            keys, bits = keys[order], bits[order]
            firsts = np.flatnonzero(np.diff(keys, prepend=-1) > 0)
            edge_types = np.bitwise_or.reduceat(bits, firsts) if len(firsts) else bits
            repeated = len(kept) - int(np.bitwise_count(edge_types).sum())
            keys = keys[firsts]
        left_out = replace(simplified, loops=simplified.loops + loops, repeated=simplified.repeated + repeated)
        frame = pl.DataFrame() if attributes is None else attributes
        return cls(vertices, _pairs(keys), names, frame, tuple(types), edge_types, left_out)

    def __repr__(self) -> str:
        """Name no vertex: what is shown ends up in notebooks and logs."""
        return f"Graph({self.vertices} vertices; {len(self.edges)} edges)"

    def _repr_html_(self) -> str:
        """Show in a notebook how much there is, and none of it."""
        facts = {"vertices": f"{self.vertices:,}", "edges": f"{len(self.edges):,}"}
        return Card("Graph", facts, note="Vertices and edges are not shown, for they may be private.").html()

    def __len__(self) -> int:
        return self.vertices

    @cached_property
    def degrees(self) -> IntArray:
        """The number of edges of each vertex."""
        return np.bincount(self.edges.ravel(), minlength=self.vertices).astype(np.int64)

    @cached_property
    def starts(self) -> IntArray:
        """Where the neighbors of each vertex start in :attr:`neighbors`; one more entry than vertices."""
        return np.concatenate([[0], np.cumsum(self.degrees)]).astype(np.int64)

    @cached_property
    def neighbors(self) -> CodeArray:
        """The neighbors of all vertices, one vertex after the other, each list ascending."""
        low, high = self.edges[:, 0], self.edges[:, 1]
        keys = np.concatenate([_keys(low, high), _keys(high, low)])
        keys.sort()
        return keys.astype(np.int32)  # the lower half of each

    def neighbors_of(self, vertex: int) -> CodeArray:
        """Return the neighbors of a vertex, ascending."""
        return self.neighbors[self.starts[vertex] : self.starts[vertex + 1]]

    def name_of(self, vertex: int) -> str:
        """Return what the data calls a vertex."""
        return str(vertex) if self.names is None else str(self.names[vertex])

    def with_edges(self, pairs: npt.NDArray[np.integer[Any]], vertices: int | None = None) -> Graph:
        """Return other edges on the same vertices, or on more; names, attributes and types of edges are not kept."""
        return Graph.of_codes(pairs, self.vertices if vertices is None else vertices)

    def edges_of_types(self, types: Iterable[str]) -> CodeArray:
        """Return the edges that have at least one of some types."""
        if self.edge_types is None:
            return self.edges[:0]
        bits = sum(1 << self.types.index(one) for one in set(types))
        found: CodeArray = self.edges[(self.edge_types & np.uint64(bits)) != 0]
        return found

    def renumbered(self, order: IntArray) -> Self:
        """Return the same graph with other numbers: vertex ``order[i]`` becomes ``i``.

        Examples
        --------
        >>> path = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
        >>> path.renumbered(np.array([1, 0, 2])).edges.tolist()
        [[0, 1], [0, 2]]
        """
        number = np.empty(self.vertices, dtype=np.int64)
        number[order] = np.arange(self.vertices)
        one, other = number[self.edges[:, 0]], number[self.edges[:, 1]]
        keys, edge_types = _keys(np.minimum(one, other), np.maximum(one, other)), self.edge_types
        if edge_types is not None:
            edge_types = edge_types[np.argsort(keys)]
        keys.sort()
        return replace(
            self,
            edges=_pairs(keys),
            names=None if self.names is None else self.names[order],
            attributes=self.attributes[order] if self.attributes.width else self.attributes,
            edge_types=edge_types,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return one row per edge, or per edge and type where edges have types: source, target, and the type."""
        ends = {SOURCE: self._called(self.edges[:, 0]), TARGET: self._called(self.edges[:, 1])}
        if self.edge_types is None:
            return pl.DataFrame(ends)
        whole = pl.DataFrame(ends)
        parts = [
            whole.filter(pl.Series((self.edge_types >> np.uint64(place)) & np.uint64(1) == 1)).with_columns(
                pl.lit(name).alias("type")
            )
            for place, name in enumerate(self.types)
        ]
        return pl.concat(parts) if parts else whole

    def vertex_frame(self) -> pl.DataFrame:
        """Return one row per vertex: its name and its attributes."""
        return pl.DataFrame({VERTEX: self._called(np.arange(self.vertices))}).hstack(self.attributes.get_columns())

    def _called(self, vertices: npt.NDArray[np.integer[Any]]) -> pl.Series:
        return pl.Series(vertices.astype(np.int64)) if self.names is None else self.names.gather(vertices)

    def to_networkx(self) -> Any:
        """Return the graph for networkx, with names, attributes and types of edges.

        Raises
        ------
        UsageError
            if networkx is not installed.
        """
        from krypsis.data.graphs.conversion import to_networkx  # noqa: PLC0415

        return to_networkx(self)

    def to_rustworkx(self) -> Any:
        """Return the graph for rustworkx; see :func:`krypsis.data.graphs.conversion.to_rustworkx`."""
        from krypsis.data.graphs.conversion import to_rustworkx  # noqa: PLC0415

        return to_rustworkx(self)

    def to_igraph(self) -> Any:
        """Return the graph for igraph; see :func:`krypsis.data.graphs.conversion.to_igraph`."""
        from krypsis.data.graphs.conversion import to_igraph  # noqa: PLC0415

        return to_igraph(self)

    def to_networkit(self) -> Any:
        """Return the graph for networkit; see :func:`krypsis.data.graphs.conversion.to_networkit`."""
        from krypsis.data.graphs.conversion import to_networkit  # noqa: PLC0415

        return to_networkit(self)

    def to_scipy(self) -> Any:
        """Return the matrix of adjacency; see :func:`krypsis.data.graphs.conversion.to_scipy`."""
        from krypsis.data.graphs.conversion import to_scipy  # noqa: PLC0415

        return to_scipy(self)


def _keys(first: npt.NDArray[np.integer[Any]], second: npt.NDArray[np.integer[Any]]) -> IntArray:
    """Return a number for each pair of vertices; numbers sort as the pairs do."""
    keys = first.astype(np.int64)
    keys <<= HALF
    keys |= second
    return keys


def _pairs(keys: IntArray) -> CodeArray:
    """Return the pairs of vertices that numbers stand for."""
    pairs = np.empty((len(keys), 2), dtype=np.int32)
    pairs[:, 0], pairs[:, 1] = keys >> HALF, keys & LOWER_HALF
    return pairs
