"""The profile of a graph: how large it is, how it is connected, and how many of its vertices look like no other."""

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph
from krypsis.data.graphs.clustering import ClusteringCoefficients
from krypsis.data.graphs.knowledge import labels_of
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.data.graphs.refinement import VertexRefinement, unique_vertices
from krypsis.kinds.base import ProfileTable, ProfileView
from krypsis.models.graph_knowledge import FIXPOINT, NEIGHBORHOOD

DEPTHS = 5
"""Vertices are looked at under H_0 to H_4."""
KNOWN = {
    "h0": "its published attributes (H_0)",
    "h1": "the number of its edges (H_1)",
    "h2": "the degrees of its neighbors (H_2)",
    "h3": "H_2 of its neighbors (H_3)",
    "h4": "H_3 of its neighbors (H_4)",
    FIXPOINT: "all degrees around it (refinement)",
    NEIGHBORHOOD: "which of its neighbors know each other (1-neighborhood)",
}
"""What an attacker knows about a vertex, in words."""
MOST_NEIGHBORHOODS = 400_000_000
"""Up to this sum of squared degrees 1-neighborhoods are compared, which takes some ten seconds."""


@dataclass(frozen=True)
class GraphProfile:
    """What is known about a graph before it is anonymized."""

    name: str
    vertices: int
    edges: int
    components: int
    largest_component: int
    """The number of vertices of the largest one."""
    isolated: int
    """Vertices without edges."""
    degrees: tuple[int, int, int, int, int]
    """The least degree, the lower quartile, the median, the upper quartile, the largest."""
    distribution: tuple[tuple[int, int], ...]
    """How many vertices have each degree that occurs, ascending."""
    clustering: ClusteringCoefficients
    unique: dict[str, int]
    """How many vertices look like no other, by what is known about them; see :data:`KNOWN`."""
    labeled: dict[str, int]
    """The same for who also knows the attributes; empty where there are none."""
    attributes: tuple[str, ...]
    """The attributes of vertices that count as known there."""
    types: tuple[str, ...]
    left_out: tuple[str, ...]
    """What of the data the graph leaves out, in sentences."""

    @property
    def mean_degree(self) -> float:
        """The average number of edges of a vertex."""
        return 2 * self.edges / max(self.vertices, 1)

    @property
    def rare_degrees(self) -> int:
        """The number of vertices whose degree no other vertex has."""
        return sum(count == 1 for _, count in self.distribution)

    def sentences(self) -> tuple[str, ...]:
        """Return what the figures mean, for people who publish the graph.

        Examples
        --------
        >>> star = Graph.of_edges([("ann", "bob"), ("ann", "cy"), ("ann", "di")])
        >>> print(*profile_graph(star, "star").sentences(), sep="; ")
        who knows how many edges a person has finds 1 of 4 persons (25 %); further degrees reveal nothing more
        """
        h1, last = self.unique["h1"], self.unique[FIXPOINT]
        said = [f"who knows how many edges a person has finds {self._share(h1)}"]
        if last > h1:
            said.append(f"who knows all degrees around a person finds {self._share(last)}")
        else:
            said.append("further degrees reveal nothing more")
        if self.labeled.get(NEIGHBORHOOD, 0) > self.unique.get(NEIGHBORHOOD, 0):
            known = f"which of a person's neighbors know each other, and {', '.join(self.attributes)} of them all"
            said.append(f"who knows {known}, finds {self._share(self.labeled[NEIGHBORHOOD])}")
        if self.isolated:
            said.append(f"{self.isolated:,} {'vertex has' if self.isolated == 1 else 'vertices have'} no edges")
        return (*said, *self.left_out)

    def _share(self, count: int) -> str:
        share = f"{count / max(self.vertices, 1):.1%}".replace(".0%", "%").replace("%", " %")
        is_tiny = 0 < count < 0.0005 * self.vertices
        return f"{count:,} of {self.vertices:,} persons ({'less than 0.1 %' if is_tiny else share})"

    def view(self) -> ProfileView:
        """Return the profile for a screen."""
        return ProfileView(
            f"{self.name}: {self.vertices:,} vertices, {self.edges:,} edges",
            (self._figures(), self._uniqueness()),
            tuple(f"Note: {sentence}." for sentence in self.sentences()),
            self.vertices,
        )

    def _figures(self) -> ProfileTable:
        least, lower, median, upper, most = self.degrees
        bound = f" ± {self.clustering.error:.4f}" if self.clustering.error else ""
        rows = {
            "connected components (vertices of the largest)": f"{self.components:,} ({self.largest_component:,})",
            "vertices without edges": f"{self.isolated:,}",
            "edges per vertex (mean)": f"{self.mean_degree:.2f}",
            "edges per vertex (least, quartiles, most)": f"{least:,}, {lower:,}, {median:,}, {upper:,}, {most:,}",
            "degrees that one vertex has alone": f"{self.rare_degrees:,}",
            "average clustering": f"{self.clustering.average:.4f}{bound}",
            "transitivity": f"{self.clustering.transitivity:.4f}{bound}",
        }
        if self.types:
            rows["types of edges"] = ", ".join(self.types)
        return ProfileTable("Graph", ("what", "figure"), tuple(rows.items()))

    def _uniqueness(self) -> ProfileTable:
        counted = {"": self.unique, **({f", with {', '.join(self.attributes)}": self.labeled} if self.labeled else {})}
        rows = [
            (words, *(cell for unique in counted.values() for cell in self._cells(unique, known)))
            for known, words in KNOWN.items()
        ]
        figures = tuple(f"{what}{also}" for also in counted for what in ("unique vertices", "share"))
        return ProfileTable(
            "What distinguishes vertices", ("known about a vertex", *figures), tuple(rows), figures=figures
        )

    def _cells(self, unique: dict[str, int], known: str) -> tuple[str, str]:
        if known not in unique:
            return "too many to compare", "–"
        count = unique[known]
        return f"{count:,}", f"{count / max(self.vertices, 1):.1%}".replace("%", " %")


def profile_graph(graph: Graph, name: str, known: tuple[str, ...] = ()) -> GraphProfile:
    """Return the profile of a graph.

    Parameters
    ----------
    known
        attributes that an attacker may know, too: uniqueness is counted without and with them.

    Examples
    --------
    >>> friends = Graph.of_edges([("x1", "x2"), ("x1", "x3"), ("x2", "x4"), ("x2", "x5"), ("x2", "x6"), ("x3", "x6"),
    ...                           ("x4", "x5"), ("x6", "x7")])
    >>> found = profile_graph(friends, "friends")
    >>> found.components, found.degrees, found.unique["h1"], found.unique["h2"]
    (1, (1, 2, 2, 2, 4), 3, 4)
    """
    components, sizes = _components(graph)
    degrees = graph.degrees
    quartiles = np.percentile(degrees, [0, 25, 50, 75, 100]).astype(np.int64) if len(degrees) else np.zeros(5, int)
    least, lower, median, upper, most = quartiles.tolist()
    values, counts = np.unique(degrees, return_counts=True)
    return GraphProfile(
        name=name,
        vertices=graph.vertices,
        edges=len(graph.edges),
        components=components,
        largest_component=int(sizes.max(initial=0)),
        isolated=int((degrees == 0).sum()),
        degrees=(least, lower, median, upper, most),
        distribution=tuple(zip(values.tolist(), counts.tolist(), strict=True)),
        clustering=ClusteringCoefficients.of(graph),
        unique=uniqueness(graph),
        labeled=uniqueness(graph, labels_of(graph, known)) if known else {},
        attributes=known,
        types=graph.types,
        left_out=graph.simplified.sentences(),
    )


def uniqueness(graph: Graph, labels: IntArray | None = None) -> dict[str, int]:
    """Return how many vertices look like no other, by what is known about them.

    The 1-neighborhoods are compared where there are not too many edges in them, and otherwise left out.
    """
    refinement = VertexRefinement.of(graph)
    unique = {}
    for depth in (*range(DEPTHS), None):
        refinement.advance(depth)
        unique[FIXPOINT if depth is None else f"h{depth}"] = unique_vertices(refinement.classes_with(labels))
    if int((graph.degrees**2).sum()) <= MOST_NEIGHBORHOODS:
        unique[NEIGHBORHOOD] = unique_vertices(neighborhood_classes(graph, labels))
    return unique


def _components(graph: Graph) -> tuple[int, IntArray]:
    """Return how many connected components there are, and their numbers of vertices."""
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  slow to import

    if not graph.vertices:
        return 0, np.zeros(0, dtype=np.int64)
    count, numbers = connected_components(graph.to_scipy(), directed=False)
    return int(count), np.bincount(numbers)
