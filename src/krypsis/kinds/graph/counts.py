"""Counts over published graphs: how many vertices have some values, and how many edges lie between such vertices."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import UsageError, column_not_found
from krypsis.kinds.counting import CountAnswer, Where
from krypsis.kinds.graph.publication import GraphPublication
from krypsis.kinds.table.utility.queried_columns import OrderedValues, texts_of
from krypsis.release.release import Release

AnyArray = np.ndarray[Any, Any]
ENDS = ("source", "target")
EXPECTED = "vertices with values, such as department=sales, or edges: source.department=sales, target.department=it"
CERTAIN = "no graph that could lie behind the super-vertices has fewer or more"
RELABELED = "relabeling"
CHANGED = "edges were added, removed or drawn, so any count could be behind this one"


@dataclass(frozen=True)
class GraphQuestion:
    """The conditions on vertices, or on the two ends of edges, which have no direction."""

    vertices: Where
    ends: tuple[Where, Where] | None

    @classmethod
    def of(cls, where: Where) -> "GraphQuestion":
        """Return what is asked for.

        Raises
        ------
        UsageError
            if conditions on vertices and on edges are mixed.
        """
        split = [(name.partition("."), condition) for name, condition in where.items()]
        of_edges = [place for (place, dot, _), _ in split if dot and place in ENDS]
        if of_edges and len(of_edges) < len(split):
            raise UsageError(f"a question is about vertices or about edges: {EXPECTED}; got {', '.join(where)}")
        if not of_edges:
            return cls(where, None)
        source, target = ({name: given for (place, _, name), given in split if place == end} for end in ENDS)
        return cls({}, (source, target))


def count_in_release(release: Release, where: Where) -> CountAnswer:
    """Return what a release of a graph says; of one that has new numbers only, the count is exact."""
    publication = release.publication
    if not isinstance(publication, GraphPublication):
        raise UsageError(f"expected a release of a graph, got one of {release.kind}")
    answer = count_in_graph(publication.graph, where)
    if release.scheme != RELABELED:
        return answer
    exact = round(answer.estimate)
    return CountAnswer(exact, exact, exact, "vertices have new numbers only")


def count_in_graph(published: Graph | ClusteredGraph, where: Where) -> CountAnswer:
    """Return what a published graph says about how many vertices, or edges, meet all conditions.

    Notes
    -----
    Of super-vertices, every pair of vertices of two super-vertices (or of one) is an edge as likely as any other: ``c``
    edges among ``N`` pairs, of which ``q`` meet the conditions, are ``c q / N`` of them, and from ``c - (N - q)`` to
    ``q`` or ``c``. Estimate and bounds are those of all graphs that look like this when they are clustered. Where
    values are not published, the bounds allow for any, and the estimate takes them to be as elsewhere.

    Examples
    --------
    >>> jobs = pl.DataFrame({"supervertex": [0, 0, 1], "attribute": ["job"] * 3, "value": ["cook", "judge", "cook"],
    ...                      "count": [1, 1, 2]})
    >>> friends = Graph.of_codes(np.array([[0, 1], [1, 2], [0, 3]]), 4)
    >>> clusters = ClusteredGraph.of(friends, np.array([0, 0, 1, 1]), jobs)
    >>> answer = count_in_graph(clusters, {"source.job": "cook", "target.job": "cook"})
    >>> answer.estimate, answer.low, answer.high
    (1.0, 0, 2)
    """
    asked = GraphQuestion.of(where)
    if isinstance(published, Graph):
        return CountAnswer(float(true_count(published, where)), None, None, CHANGED)
    return _vertices(published, asked.vertices) if asked.ends is None else _edges(published, *asked.ends)


def true_count(graph: Graph, where: Where) -> int:
    """Return how many vertices, or edges, of a graph meet all conditions."""
    asked = GraphQuestion.of(where)
    if asked.ends is None:
        return int(_meeting(graph, asked.vertices).sum())
    source, target = (_meeting(graph, end) for end in asked.ends)
    low, high = graph.edges[:, 0], graph.edges[:, 1]
    return int(((source[low] & target[high]) | (target[low] & source[high])).sum())


def _meeting(graph: Graph, where: Where) -> BoolArray:
    met = np.ones(graph.vertices, dtype=np.bool_)
    for name, condition in where.items():
        if name not in graph.attributes.columns:
            raise column_not_found(name, graph.attributes.columns)
        values = texts_of(graph.attributes.get_column(name).to_list())
        known = OrderedValues(list(dict.fromkeys(values)), name)
        chosen = dict(zip(known.values, known.chosen(condition).tolist(), strict=True))
        met &= np.array([chosen[value] for value in values], dtype=np.bool_)
    return met


@dataclass(frozen=True)
class Meeting:
    """Of each super-vertex, how many vertices meet a condition: at least, probably, and at most."""

    least: IntArray
    expected: FloatArray
    most: IntArray

    @classmethod
    def exactly(cls, numbers: IntArray) -> "Meeting":
        """Return numbers that are known."""
        return cls(numbers, numbers.astype(np.float64), numbers)

    @classmethod
    def of(cls, published: ClusteredGraph, name: str, condition: object) -> "Meeting":
        """Count a condition on an attribute; values that are not published are as elsewhere."""
        met, known = _counts(published, name, condition)
        overall = met.sum() / max(int(known.sum()), 1)
        share = np.where(known > 0, met / np.maximum(known, 1), overall)
        return cls(met, np.asarray(published.sizes * share, dtype=np.float64), met + published.sizes - known)


def _vertices(published: ClusteredGraph, where: Where) -> CountAnswer:
    """Several attributes of the vertices of a super-vertex may go together in any way."""
    counted = [Meeting.of(published, name, condition) for name, condition in where.items()]
    sizes = published.sizes
    least = np.maximum(0, sum(one.least for one in counted) - (len(counted) - 1) * sizes)
    most = np.min([one.most for one in counted], axis=0)
    expected = sizes * np.prod([one.expected / sizes for one in counted], axis=0)
    return CountAnswer(float(expected.sum()), int(least.sum()), int(most.sum()), CERTAIN)


def _edges(published: ClusteredGraph, source: Where, target: Where) -> CountAnswer:
    a, b, both = _ends(published, source, target)
    counts, possible = published.counts, published.possible
    fewest = _pairs(published, a.least, b.least, both.least)
    likely = _pairs(published, a.expected, b.expected, both.expected)
    many = _pairs(published, a.most, b.most, both.most)
    least, most = np.maximum(0, counts - (possible - fewest)), np.minimum(counts, many)
    estimate = float((counts * likely / np.maximum(possible, 1)).sum())
    return CountAnswer(estimate, int(least.sum()), int(most.sum()), CERTAIN)


def _pairs(published: ClusteredGraph, a: AnyArray, b: AnyArray, both: AnyArray) -> AnyArray:
    """Return for each super-edge how many pairs of its vertices have one end among ``a`` and the other among ``b``."""
    low, high = published.superedges[:, 0], published.superedges[:, 1]
    across = a[low] * b[high] + b[low] * a[high] - both[low] * both[high]
    # Inside: ordered pairs of different vertices, less those that count in both directions.
    inside = a[low] * b[low] - both[low] - both[low] * (both[low] - 1) / 2
    return np.asarray(np.where(low == high, inside, across))


def _ends(published: ClusteredGraph, source: Where, target: Where) -> tuple[Meeting, Meeting, Meeting]:
    """Return how many vertices can be one end, the other end, and both."""
    names = {*source, *target}
    if len(names) > 1:
        raise UsageError(
            "of super-vertices it is known how often each value occurs, not which values go together; ask for one "
            f"attribute at both ends, or at one of them; got {', '.join(sorted(names))}"
        )
    everybody = Meeting.exactly(published.sizes)
    known = [
        next((Meeting.of(published, name, condition) for name, condition in end.items()), None)
        for end in (source, target)
    ]
    if known[0] is None or known[1] is None:
        limited = known[0] or known[1] or everybody
        return limited, everybody, limited
    (name,) = names
    shared = _chosen(published, name, source[name]) & _chosen(published, name, target[name])
    return known[0], known[1], Meeting.of(published, name, sorted(shared))


def _chosen(published: ClusteredGraph, name: str, condition: object) -> set[str]:
    _check_name(published, name)
    return {value for value, is_met in _met(_values(published, name), name, condition) if is_met and value is not None}


def _counts(published: ClusteredGraph, name: str, condition: object) -> tuple[IntArray, IntArray]:
    """Return for each super-vertex how many vertices meet a condition, and of how many the value is published."""
    _check_name(published, name)
    rows = published.attributes.filter(pl.col("attribute") == name)
    chosen = dict(_met(_values(published, name), name, condition))
    values, counts = texts_of(rows["value"].to_list()), rows["count"].to_numpy()
    places = rows["supervertex"].to_numpy()
    is_met = np.array([chosen[value] for value in values], dtype=np.bool_)
    is_known = np.array([value is not None for value in values], dtype=np.bool_)
    found = [np.bincount(places, counts * which, len(published)).astype(np.int64) for which in (is_met, is_known)]
    return found[0], found[1]


def _check_name(published: ClusteredGraph, name: str) -> None:
    known = published.attributes["attribute"].unique().to_list() if published.attributes.width else []
    if name not in known:
        raise column_not_found(name, known)


def _values(published: ClusteredGraph, name: str) -> list[str | None]:
    rows = published.attributes.filter(pl.col("attribute") == name)
    return list(dict.fromkeys(texts_of(rows["value"].to_list())))


def _met(values: Iterable[str | None], name: str, condition: object) -> Iterator[tuple[str | None, bool]]:
    axis = OrderedValues(list(values), name)
    return zip(axis.values, axis.chosen(condition).tolist(), strict=True)
