"""A graph published as super-vertices: groups of vertices, with the number of edges inside and between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.graphs.graph import Graph
from krypsis.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class ClusteredGraph:
    """Super-vertices with the number of their vertices, and super-edges with the number of edges they stand for.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
    >>> published = ClusteredGraph.of(friends, np.array([0, 0, 0, 1, 1, 2, 2]))
    >>> published.sizes.tolist(), published.superedges.tolist(), round(np.exp(published.log_worlds))
    ([3, 2, 2], [[0, 0], [0, 1], [0, 2], [1, 1], [2, 2]], 675)
    """

    sizes: IntArray
    """The number of vertices of each super-vertex."""
    superedges: CodeArray
    """Pairs of super-vertices with edges between them, the smaller number first, ascending; a pair of equals for the
    edges inside one."""
    counts: IntArray
    """The number of edges that each super-edge stands for."""
    attributes: pl.DataFrame
    """What is published about the vertices of super-vertices: supervertex, attribute, value, count."""

    @classmethod
    def of(cls, graph: Graph, clusters: IntArray, attributes: pl.DataFrame | None = None) -> ClusteredGraph:
        """Return the super-vertices of a graph, given the number of the one of each vertex."""
        sizes = np.bincount(clusters).astype(np.int64)
        if not sizes.all():
            raise DataError(f"super-vertex {int(np.argmin(sizes))} has no vertex; number them without gaps")
        ends = np.sort(clusters[graph.edges], axis=1)
        keys, counts = np.unique(ends[:, 0] * np.int64(len(sizes)) + ends[:, 1], return_counts=True)
        pairs = np.stack([keys // len(sizes), keys % len(sizes)], axis=1).astype(np.int32)
        return cls(sizes, pairs, counts.astype(np.int64), pl.DataFrame() if attributes is None else attributes)

    def __repr__(self) -> str:
        """Name sizes only."""
        return f"ClusteredGraph({self.vertices} vertices in {len(self)} super-vertices; {int(self.counts.sum())} edges)"

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def vertices(self) -> int:
        """The number of vertices in all super-vertices."""
        return int(self.sizes.sum())

    @cached_property
    def possible(self) -> IntArray:
        """The number of pairs of vertices that each super-edge could stand for."""
        low, high = self.sizes[self.superedges[:, 0]], self.sizes[self.superedges[:, 1]]
        inside = self.superedges[:, 0] == self.superedges[:, 1]
        return np.where(inside, low * (low - 1) // 2, low * high)

    @cached_property
    def log_worlds(self) -> float:
        """The logarithm of the number of graphs that look like this one when they are clustered."""
        return float(_log_binomials(self.possible, self.counts).sum())

    def sample_world(self, rng: np.random.Generator) -> Graph:
        """Return one of the graphs that this one could stand for, each as likely as any other.

        Its vertices are numbered super-vertex after super-vertex.
        """
        entry, drawn = _random_subsets(self.possible, self.counts, rng)
        low, high = self.superedges[entry, 0], self.superedges[entry, 1]
        inside = low == high
        # Pair number p of a triangle of pairs: row r is the largest with r (r - 1) / 2 <= p.
        row = ((1 + np.sqrt(1 + 8 * drawn.astype(np.float64))) / 2).astype(np.int64)
        row -= row * (row - 1) // 2 > drawn
        row += row * (row + 1) // 2 <= drawn
        rectangle = np.divmod(drawn, self.sizes[high])
        firsts = np.cumsum(self.sizes) - self.sizes
        sources = firsts[low] + np.where(inside, row, rectangle[0])
        targets = firsts[high] + np.where(inside, drawn - row * (row - 1) // 2, rectangle[1])
        return Graph.of_codes(np.stack([sources, targets], axis=1), self.vertices)

    def sample_worlds(self, number: int, rng: np.random.Generator) -> Iterator[Graph]:
        """Yield some of the graphs that this one could stand for, drawn independently.

        Examples
        --------
        >>> pair = ClusteredGraph(np.array([3]), np.array([[0, 0]], dtype=np.int32), np.array([2]), pl.DataFrame())
        >>> [len(world.edges) for world in pair.sample_worlds(3, np.random.default_rng(1))]
        [2, 2, 2]
        """
        return (self.sample_world(rng) for _ in range(number))

    def renumbered(self, order: IntArray) -> Self:
        """Return the same with other numbers: super-vertex ``order[i]`` becomes ``i``."""
        number = np.empty(len(self), dtype=np.int64)
        number[order] = np.arange(len(self))
        pairs = np.sort(number[self.superedges], axis=1)
        sorting = np.lexsort((pairs[:, 1], pairs[:, 0]))
        attributes = self.attributes
        if attributes.width:
            attributes = attributes.with_columns(supervertex=pl.Series(number[attributes["supervertex"].to_numpy()]))
        return replace(
            self,
            sizes=self.sizes[order],
            superedges=pairs[sorting].astype(np.int32),
            counts=self.counts[sorting],
            attributes=attributes,
        )


def _log_binomials(possible: IntArray, chosen: IntArray) -> FloatArray:
    from scipy.special import gammaln  # noqa: PLC0415  slow to import, and few need it

    return np.asarray(gammaln(possible + 1) - gammaln(chosen + 1) - gammaln(possible - chosen + 1))


def _random_subsets(possible: IntArray, wanted: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Draw so many of the numbers below each bound, each subset as likely as any other; return bound and number."""
    # Where more than half are wanted, those that are not wanted are drawn.
    is_rest = 2 * wanted > possible
    firsts = np.cumsum(possible) - possible
    drawn = _distinct(firsts, possible, np.where(is_rest, possible - wanted, wanted), rng)
    bound = np.searchsorted(firsts, drawn, side="right") - 1
    if not is_rest.any():
        return bound, drawn - firsts[bound]
    left = np.flatnonzero(is_rest)
    all_left = np.repeat(firsts[left], possible[left]) + _turns(possible[left])
    chosen = np.concatenate([drawn[~is_rest[bound]], np.setdiff1d(all_left, drawn, assume_unique=True)])
    bound = np.searchsorted(firsts, chosen, side="right") - 1
    return bound, chosen - firsts[bound]


def _distinct(firsts: IntArray, possible: IntArray, wanted: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw distinct numbers from each range, in any order.

    What was drawn before is drawn again: which numbers there are in the end depends on none of their names, so that
    all sets of them are equally likely.
    """
    found, finished = np.empty(0, dtype=np.int64), [np.empty(0, dtype=np.int64)]
    open_ranges = np.flatnonzero(wanted)
    missing = wanted[open_ranges]
    while len(open_ranges):
        entry = np.repeat(open_ranges, missing)
        found = np.unique(np.concatenate([found, firsts[entry] + rng.integers(possible[entry])]))
        turn = np.searchsorted(firsts[open_ranges], found, side="right") - 1
        missing = wanted[open_ranges] - np.bincount(turn, minlength=len(open_ranges))
        is_open = missing > 0
        finished.append(found[~is_open[turn]])
        found, open_ranges, missing = found[is_open[turn]], open_ranges[is_open], missing[is_open]
    return np.concatenate(finished)


def _turns(counts: IntArray) -> IntArray:
    """Count from 0 anew for each entry."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
